# SPDX-License-Identifier: LGPL-2.1-or-later
# Tandem's packages, built on Debian 12 by ./dev package, in an image with what runs them.
#
#   docker build -t tandem .
#   docker run --rm tandem doctor
#   docker run --rm --gpus all -v "$PWD:/data" tandem run vivid --input video.mp4 --output people.mp4
FROM debian:12 AS build
WORKDIR /src
# The list of packages changes less often than the sources.
COPY dev ./
COPY tools/steps.sh tools/
RUN apt-get update && ./dev setup build gstreamer opencl tbb highway json pango brokers introspection libclang package
COPY . .
RUN ./dev package /packages

FROM debian:12-slim
COPY --from=build /packages/gstreamer1.0-tandem_*.deb /packages/gstreamer1.0-tandem-data_*.deb \
     /packages/libgsttandem-1.0-0_*.deb /packages/tandem-tools_*.deb /tmp/packages/
RUN apt-get update \
 && apt-get install -y --no-install-recommends /tmp/packages/*.deb gstreamer1.0-libav gstreamer1.0-tools \
 && rm -rf /tmp/packages /var/lib/apt/lists/* \
# NVIDIA's container toolkit brings the driver, but not the file that tells the OpenCL loader of it.
 && mkdir -p /etc/OpenCL/vendors \
 && echo libnvidia-opencl.so.1 > /etc/OpenCL/vendors/nvidia.icd \
 && useradd --create-home tandem
ENV NVIDIA_DRIVER_CAPABILITIES=compute,utility
USER tandem
WORKDIR /data
ENTRYPOINT ["tandem"]
CMD ["doctor"]

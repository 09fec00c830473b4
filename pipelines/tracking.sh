#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What moves in a video with gst-launch alone, in a window or, with a second file name, written as MJPEG in AVI.
# usage: tracking.sh [VIDEO [OUTPUT.avi]], in the environment of `meson devenv`. VIDEO is the demo's by default.
set -euo pipefail

video=${1:-${TANDEM_DEMO_VIDEO:-}}
if [ ! -f "$video" ]; then
  echo "tracking: no video '$video'; usage: tracking.sh VIDEO [OUTPUT.avi]" >&2
  exit 2
fi
output=(autovideosink)
[ $# -lt 2 ] || output=(jpegenc ! avimux ! filesink "location=$2")

exec gst-launch-1.0 -e filesrc "location=$video" ! decodebin ! videoconvert ! \
  video/x-raw,format=I420 ! \
  tandembin. '(' kltpyramid ! kltfeatures ! kltflow ! klttracks ')' ! \
  tandemoverlay ! queue ! videoconvert ! "${output[@]}"

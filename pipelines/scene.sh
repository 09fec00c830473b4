#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What kind of scene a video shows with gst-launch alone, in a window or, with a second file name, written as MJPEG in AVI.
# usage: scene.sh VIDEO [OUTPUT.avi], in the environment of `meson devenv`.
set -euo pipefail

video=${1:?usage: scene.sh VIDEO [OUTPUT.avi]}
output=(autovideosink)
[ $# -lt 2 ] || output=(jpegenc ! avimux ! filesink "location=$2")

exec gst-launch-1.0 -e filesrc "location=$video" ! decodebin ! videoconvert ! videoscale ! \
  video/x-raw,format=I420,width=256,height=256,pixel-aspect-ratio=1/1 ! \
  tandembin. '(' scenefeatures ! sceneclassifier ')' ! \
  tandemoverlay ! queue ! videoconvert ! "${output[@]}"

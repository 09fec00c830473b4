#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A video without its speckle with gst-launch alone, in a window or, with a second file name, written as MJPEG in AVI.
# usage: srad.sh [VIDEO [OUTPUT.avi [ITERATIONS]]], in the environment of `meson devenv`. VIDEO is the demo's by default.
set -euo pipefail

video=${1:-${TANDEM_DEMO_VIDEO:-}}
if [ ! -f "$video" ]; then
  echo "srad: no video '$video'; usage: srad.sh VIDEO [OUTPUT.avi [ITERATIONS]]" >&2
  exit 2
fi
output=(autovideosink)
[ $# -lt 2 ] || output=(jpegenc ! avimux ! filesink "location=$2")

exec gst-launch-1.0 -e filesrc "location=$video" ! decodebin ! videoconvert ! \
  video/x-raw,format=I420 ! \
  tandembin. '(' sradextract ! sradprepare ! sradreduce ! sraddiffuse ! \
  sradupdate "iterations=${3:-50}" ! sradcompress ')' ! \
  queue ! videoconvert ! "${output[@]}"

#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# People in a real video at low definition, high definition and low definition again, in one stream.
# usage: demo.sh [VIDEO] [OPTION of `tandem run`...], in the environment of `meson devenv`.
# VIDEO is vtest.avi of Debian's opencv-doc, $TANDEM_DEMO_VIDEO by default.
set -euo pipefail

video=${TANDEM_DEMO_VIDEO:-}
if [ $# -gt 0 ] && [[ $1 != -* ]]; then
  video=$1
  shift
fi
output=${TANDEM_DEMO_OUTPUT:-demo-output}

if [ ! -f "$video" ]; then
  echo "demo: no video '$video'; give the path of vtest.avi from Debian's opencv-doc package" >&2
  exit 1
fi
mkdir -p "$output"
rm -f "$output"/part*.png

# The people are 45 to 95 pixels high at 600x416 and 110 to 245 at 1920x1080, a detector's window is 128:
# the small frames are enlarged twofold first.
echo "people in $video: 600x416, 1920x1080, 600x416"
tandem run vivid --input "$video" \
  --size 600x416,1920x1080,600x416 --segment-frames 75 --first-scale 0.5,1,0.5 \
  --output "$output/people.mp4" --output-size 960x540 \
  --metadata "$output/people.jsonl" --pictures "$output" "$@"

echo "written:"
for file in "$output"/people.mp4 "$output"/people.jsonl "$output"/part*.png; do
  printf '  %s\n' "$file"
done

// SPDX-License-Identifier: LGPL-2.1-or-later
// Gain and offset of levels, kept within a byte
// data: n=16384 gain=1.5 offset=-20
// data: n=65536 gain=1.5 offset=-20
// data: n=262144 gain=1.5 offset=-20
// data: n=1048576 gain=1.5 offset=-20
// data: n=4194304 gain=1.5 offset=-20
// data: n=16777216 gain=1.5 offset=-20
// random: n=1..3000 gain=-4..4 offset=0..100
#define SATURATED(v) ((v) < 0 ? 0 : (v) > 255 ? 255 : (v))

void saturated_gain(const unsigned char *in, unsigned char *restrict out, int n, float gain, int offset) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const int level = (int)(gain * in[i]) + offset;
    out[i] = SATURATED(level);
  }
}

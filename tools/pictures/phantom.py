#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes an ultrasound picture of a phantom that is made up: cysts, bright targets and a wall in tissue, with the speckle
of a coherent sensor, log-compressed to 50 dB. A PGM of 400x300 to standard output; the same each time."""

import math
import random
import sys

WIDTH, HEIGHT, RANGE_DB = 400, 300, 50
CYSTS = [(100, 100, 42), (215, 82, 26), (305, 120, 16)]
BRIGHT = [(120, 215, 34), (225, 205, 22), (310, 215, 12)]


def echo(x, y):
    """How much of the sound comes back from there: amplitude, 1 for tissue."""
    if any(math.hypot(x - a, y - b) < r for a, b, r in CYSTS):
        return 0.06
    if any(math.hypot(x - a, y - b) < r for a, b, r in BRIGHT):
        return 4.0
    if abs(y - 265 - 10 * math.sin(x / 60)) < 4:
        return 9.0
    return 1.0


def blurred(rows, taps):
    """Each row convolved with the taps."""
    half = len(taps) // 2
    return [[sum(t * row[min(max(x + k - half, 0), len(row) - 1)] for k, t in enumerate(taps))
             for x in range(len(row))] for row in rows]


def scattered(seed):
    """One part of the field of random scatterers, as wide as the beam."""
    source = random.Random(seed)
    rows = [[source.gauss(0, 1) * echo(x, y) for x in range(WIDTH)] for y in range(HEIGHT)]
    across = blurred(rows, [0.25, 0.6, 1, 0.6, 0.25])
    return list(zip(*blurred([list(column) for column in zip(*across)], [0.5, 1, 0.5])))


def main():
    field = zip(scattered(1), scattered(2))
    pixels = bytearray()
    for real, imaginary in field:
        for a, b in zip(real, imaginary):
            decibel = 20 * math.log10(math.hypot(a, b) / 30 + 1e-9)
            pixels.append(int(255 * min(max(1 + decibel / RANGE_DB, 0), 1)))
    sys.stdout.buffer.write(f"P5\n{WIDTH} {HEIGHT}\n255\n".encode() + pixels)


if __name__ == "__main__":
    main()

// SPDX-License-Identifier: LGPL-2.1-or-later
// Compiled with the header before it, as meson has it for each target.

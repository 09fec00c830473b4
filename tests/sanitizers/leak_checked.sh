#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# leak_checked.sh PROGRAM [ARGUMENT...]: runs a test, and again where LeakSanitizer itself crashed: now and then it reads
# memory of a thread that is about to end (google/sanitizers 723, 1170). What it tells of leaks fails at once.
said=$(mktemp)
for _ in 1 2 3; do
  "$@" 2> >(tee "$said" >&2)
  status=$?
  wait $!
  grep -q 'LeakSanitizer has encountered a fatal error' "$said" || break
done
rm -f "$said"
exit $status

#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# tsan_again.sh LIBRARY COMMAND...: runs a test with the library preloaded, and once more if TSan could
# not map memory of its own. GCC 12's runtime then ends the test without a finding.
library=$1
shift
errors=$(mktemp) || exit 1
trap 'rm -f "$errors"' EXIT
LD_PRELOAD=$library "$@" 2>"$errors"
status=$?
cat "$errors" >&2
if [ "$status" -eq 66 ] && grep -q 'ThreadSanitizer failed to allocate' "$errors"; then
  LD_PRELOAD=$library "$@"
  status=$?
fi
exit "$status"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs every fuzzer of a build folder for a bounded time, starting from the committed corpus. New
# inputs and crashes stay in the build folder.
#   scripts/fuzz.sh <build folder> [seconds for each fuzzer, default 60]
set -eu
cd "$(dirname "$0")/.."
build=${1:?usage: scripts/fuzz.sh <build folder> [seconds]}
seconds=${2:-60}
found=no
for fuzzer in "$build"/tests/fuzz/*_fuzz; do
  [ -x "$fuzzer" ] || continue
  found=yes
  name=$(basename "$fuzzer")
  corpus=tests/fuzz/corpus/${name%_fuzz}
  work=$build/fuzz-work/$name
  mkdir -p "$work"
  echo "fuzz: $name, $seconds s, $(find "$corpus" -type f | wc -l) committed inputs"
  "$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -verbosity=0 -artifact_prefix="$work/crash-" "$work" "$corpus"
done
if [ $found = no ]; then
  echo "fuzz: no fuzzer in $build/tests/fuzz; build it first (make fuzz)" >&2
  exit 1
fi

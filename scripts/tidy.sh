#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# clang-tidy over the tracked sources of library and command; all checks of .clang-tidy are errors.
#   scripts/tidy.sh <build folder with compile_commands.json> [files...]
set -eu
cd "$(dirname "$0")/.."
build=${1:?usage: scripts/tidy.sh <build folder> [files...]}
shift
[ $# -gt 0 ] || set -- $(git ls-files 'src/*.cc' 'tools/*.cc')
printf '%s\0' "$@" | xargs -0 -n 1 -P "${JOBS:-$(nproc)}" \
  clang-tidy-14 --quiet --warnings-as-errors='*' -p "$build"

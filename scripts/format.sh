#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Formats all tracked C++ and CUDA sources with the one version of clang-format that counts.
#   scripts/format.sh            rewrites
#   scripts/format.sh --check    fails on a difference
set -eu
cd "$(dirname "$0")/.."
case ${1-} in
  '') mode=-i ;;
  --check) mode='--dry-run --Werror' ;;
  *) echo "format: '$1' is no option; use --check or nothing" >&2; exit 2 ;;
esac
git ls-files -z '*.cc' '*.hpp' '*.cu' '*.cuh' | xargs -0 clang-format-14 $mode

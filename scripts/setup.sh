#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that are missing, without questions; does nothing when all are there.
#
#   scripts/setup.sh build         what building and running weft needs
#   scripts/setup.sh build test    ... and what its tests and benchmarks need
#   scripts/setup.sh build lint    ... and the formatter, the linter and the fuzzer's compiler
set -eu

build_packages='g++ cmake ninja-build libfmt-dev nlohmann-json3-dev libcli11-dev libdnnl-dev
                libxxhash-dev'
test_packages='libgtest-dev libbenchmark-dev librapidcheck-dev python3 python3-jsonschema'
lint_packages='clang-14 libclang-rt-14-dev clang-format-14 clang-tidy-14'

say() { echo "setup: $*" >&2; }

wanted=''
for set in "$@"; do
  case $set in
    build) wanted="$wanted $build_packages" ;;
    test) wanted="$wanted $test_packages" ;;
    lint) wanted="$wanted $lint_packages" ;;
    *) say "'$set' is no package set; use one of build, test, lint"; exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  say "this is no Debian; install these or their equivalents, then run with SETUP=no:" $wanted
  exit 1
fi

missing=''
for package in $wanted; do
  state=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null) || state=''
  [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
  as_root=''
elif command -v sudo >/dev/null; then
  # With no terminal to ask on, sudo fails at once instead of waiting for a password.
  if [ -t 0 ]; then as_root='sudo'; else as_root='sudo -n'; fi
else
  say "missing packages:$missing"
  say "this user is not root and there is no sudo; ask for: apt-get install$missing"
  exit 1
fi

apt() {
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
    -o Dpkg::Use-Pty=0 "$@" </dev/null
}

say "installing:$missing"
apt update >&2 || say "apt-get update failed; trying with the package lists at hand"
if ! apt install --no-install-recommends $missing >&2; then
  say "could not install:$missing (see apt's message above); install them, then run again"
  exit 1
fi

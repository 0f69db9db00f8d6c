#!/bin/sh
# Installs the Debian 12 packages that Kerr builds with. Does nothing, quickly, where all are there.
set -eu
packages="g++ cmake ninja-build ccache pkg-config libfmt-dev libcli11-dev libhwy-dev libelf-dev libdw-dev
  nlohmann-json3-dev libzstd-dev libxxhash-dev libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev
  libtomlplusplus-dev gcc-riscv64-unknown-elf python3 mypy gdb-multiarch"
missing=""
for package in $packages; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
echo "kerr: installing$missing"
if [ "$(id -u)" != 0 ]; then
  echo "kerr: these packages are missing and you are not root. Run:  sudo apt-get install$missing" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086
apt-get install -y -qq --no-install-recommends $missing >/dev/null

#!/bin/sh
# Installs the missing packages that building and testing kgen needs on Debian 12, Ubuntu 24.04 and newer, as root
# or with sudo. Prints nothing if nothing is missing. Arguments are further packages.
set -eu

packages="g++ cmake ninja-build libfmt-dev libspdlog-dev nlohmann-json3-dev catch2 libcli11-dev
libssl-dev libstb-dev libblas-dev libfftw3-dev zlib1g-dev"

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "install_dependencies: apt-get was not found; install the equivalents of these Debian packages:" \
        $packages "$@" >&2
    exit 0 # CMake reports what is missing
fi

missing=""
for package in $packages "$@"; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
        missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "install_dependencies: sudo was not found; run as root: apt-get install$missing" >&2
        exit 1
    fi
    as_root="sudo"
fi

echo "installing:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
if ! { $as_root apt-get update -q && # sudo drops the variable, so env sets it again
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends $missing; } >"$log" 2>&1 </dev/null; then
    cat "$log" >&2
    echo "install_dependencies: apt-get failed, see above" >&2
    exit 1
fi

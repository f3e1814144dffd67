#!/bin/sh
# Installs what is missing, builds the command and two examples in build/demo, quickly and with little optimisation, and
# runs the examples on the default device. KGEN_DEVICE=host chooses the CPU. The script can be repeated.
set -eu
cd "$(dirname "$0")/.."

scripts/install_dependencies.sh
echo "building in build/demo (a minute or two the first time)"
mkdir -p build/demo
if ! { cmake --preset demo && cmake --build --preset demo \
    --target kgen_cli example_01_squared_diff example_12_photograph; } >build/demo/build.log 2>&1; then
    cat build/demo/build.log >&2
    echo "demo: the build failed, see above" >&2
    exit 1
fi
grep -- '-- kgen:' build/demo/build.log || true

examples=build/demo/examples
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
count_images() { find "$cache" -name '*.kgc' | wc -l; }

echo
echo "== the squared difference, first process, empty cache: the kernel is compiled"
KGEN_CACHE_DIR=$cache $examples/01_squared_diff
stored=$(count_images)
echo
echo "== the same in a second process: the kernel comes from the cache"
KGEN_CACHE_DIR=$cache $examples/01_squared_diff
if [ "$stored" -eq 0 ] || [ "$(count_images)" -ne "$stored" ]; then
    echo "demo: the second process was not served from the cache" >&2
    exit 1
fi
echo
echo "== a photograph through four kernels"
mkdir -p build/demo/pictures
KGEN_CACHE_DIR=$cache $examples/12_photograph examples/data/astronaut.jpg "$PWD/build/demo/pictures"
echo
echo "demo: done, pictures in $PWD/build/demo/pictures, the command is build/demo/src/cli/kgen"

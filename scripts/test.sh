#!/bin/sh
# Installs what is missing, builds everything, and runs all tests on the devices of this machine. The script can be
# repeated. Arguments are passed to ctest: scripts/test.sh -R cache. KGEN_WERROR=ON makes warnings errors.
# Each folder of the library is compiled as a whole, which is faster; KGEN_UNITY=OFF compiles file by file.
# KGEN_PRESET=ci takes the preset of .ci/run, which is built in less time.
set -eu
cd "$(dirname "$0")/.."

scripts/install_dependencies.sh python3-numpy pkg-config zsh fish mandoc openmpi-bin
preset=${KGEN_PRESET:-release}
cmake --preset "$preset" -DKGEN_WERROR="${KGEN_WERROR:-OFF}" -DCMAKE_UNITY_BUILD="${KGEN_UNITY:-ON}"
cmake --build --preset "$preset"

log=$PWD/build/test.log
status=0
ctest --preset "$preset" -j "$(nproc)" --output-log "$log" "$@" </dev/null || status=1
total=$(sed -n 's/.*tests failed out of \([0-9]*\)$/\1/p' "$log")
failed=$(sed -n 's/.*passed, \([0-9]*\) tests failed out of.*/\1/p' "$log")
skipped=$(grep -c '\*\*\*Skipped' "$log" || true)
if [ "$status" -ne 0 ] || [ -z "$total" ] || [ "$total" -eq 0 ]; then
    echo "tests: ${failed:-all} of ${total:-0} failed"
    exit 1
fi

# Tests that run on every device print this line if there is no CUDA device.
on_host_alone=$(grep -c 'SKIPPED: no CUDA device' "build/$preset/Testing/Temporary/LastTest.log" || true)
[ "$on_host_alone" -eq 0 ] || echo "no CUDA device: $on_host_alone of the tests ran only on the host"
echo "tests: $((total - skipped)) passed, $skipped skipped"

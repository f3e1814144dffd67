#!/bin/sh
# Runs the unit tests under AddressSanitizer and UndefinedBehaviorSanitizer, and the tests with threads under
# ThreadSanitizer, on the host device only. The script can be repeated.
set -eu
cd "$(dirname "$0")/.."
export KGEN_DEVICE=host
# The runtime of g++ 12 takes thread-local memory of a loaded library that begins 16 bytes behind a page for memory with a
# header, and its search for leaks then ends at a wild address ("Tracer caught signal 11").
export ASAN_OPTIONS=intercept_tls_get_addr=0

scripts/install_dependencies.sh
cores=$(nproc)
build() {  # build PRESET PROGRAM
    cmake --preset "$1" -DKGEN_BUILD_EXAMPLES=OFF -DKGEN_BUILD_CLI=OFF
    cmake --build --preset "$1" --target "$2" --parallel "$((cores + 1))"
}
build asan kgen_tests
build tsan kgen_thread_tests

# The tests are dealt out to files of names, of which each core takes the next one. Kernels for GPUs that run on the CPU
# are left to the release build: compilers do their work, and no sanitizer sees those kernels.
parts=build/asan/parts
rm -rf $parts
mkdir -p $parts
build/asan/tests/kgen_tests --list-test-names-only '~[emulated]~[.]' </dev/null |
    sed -e '/^$/d' -e 's/[",]/\\&/g' >build/asan/names
split --number="r/$((12 * cores))" build/asan/names $parts/part
status=0
# xargs runs the quoted text in a shell for each file. A test that fails is printed with its failed checks.
# shellcheck disable=SC2016
printf '%s\n' $parts/part* | xargs -n 1 -P "$cores" sh -c '
    build/asan/tests/kgen_tests --input-file "$1" </dev/null >"$1.log" 2>&1 && exit
    grep --before-context=12 --after-context=12 "FAILED:" "$1.log"
    tail -n 100 "$1.log"
    exit 1' sh || status=1
ran=$(sed -n -e 's/^All tests passed (.* in \([0-9]*\) test case.*/\1/p' $parts/*.log | awk '{ sum += $1 } END { print sum + 0 }')
echo "AddressSanitizer: $ran of $(grep -c . build/asan/names) tests in files of which all tests passed"

# ThreadSanitizer of g++ 12 cannot start if the kernel randomises addresses too much.
fixed_addresses="setarch $(uname -m) --addr-no-randomize"
$fixed_addresses true 2>/dev/null || fixed_addresses=""
$fixed_addresses build/tsan/tests/kgen_thread_tests </dev/null || status=1
[ $status -eq 0 ] || exit 1
echo "sanitizers: no error"

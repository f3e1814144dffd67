#!/bin/sh
# Runs the unit tests under AddressSanitizer and UndefinedBehaviorSanitizer, and the tests with threads under
# ThreadSanitizer, on the host device only. The script can be repeated.
set -eu
cd "$(dirname "$0")/.."
export KGEN_DEVICE=host
# The runtime of g++ 12 takes thread-local memory of a loaded library that begins 16 bytes behind a page for memory with a
# header, and its search for leaks then ends at a wild address ("Tracer caught signal 11"). Each allocation remembers 8 callers
# instead of 30, which saves a sixth of the time of what NVRTC does.
export ASAN_OPTIONS=intercept_tls_get_addr=0:malloc_context_size=8

# clang builds in half the time of g++. The preset turns off its check of function types, because kgen declares NCCL's
# functions with types of its own.
scripts/install_dependencies.sh clang-14 libclang-rt-14-dev
build() {  # build PRESET PROGRAM JOBS
    cmake --preset "$1" -DKGEN_BUILD_EXAMPLES=OFF -DKGEN_BUILD_CLI=OFF
    cmake --build --preset "$1" --target "$2" --parallel "$3"
}
cores=$(nproc)
build asan kgen_tests "$((cores + 1))"
# The tests are dealt to processes like cards, as many processes at a time as there are cores. Meanwhile the rest is built and
# run for ThreadSanitizer. Kernels for GPUs that run on the CPU are left to the release build: compilers do their work, and no
# sanitizer sees those kernels.
tests=build/asan/tests/kgen_tests
list_names() {  # list_names SPECIFICATION...; Catch2 v2 and v3 have different options for it
    if $tests --help | grep -q list-test-names-only; then
        $tests "$@" --list-test-names-only || true
    else
        $tests "$@" --list-tests --verbosity quiet
    fi
}
rm -f build/asan/hand.*
list_names '~[emulated]~[.]' | sed 's/[\\,"]/\\&/g' |
    awk '{ print >("build/asan/hand." NR % 16) }'
count=$(cat build/asan/hand.* | wc -l)
found=$(for hand in build/asan/hand.*; do list_names -f "$hand"; done | wc -l)
if [ "$count" -eq 0 ] || [ "$found" -ne "$count" ]; then
    echo "sanitizers: $found of $count tests were found by their names" >&2
    exit 1
fi
ls build/asan/hand.* | xargs -P "$cores" -I {} sh -c '
    build/asan/tests/kgen_tests -f "$1" </dev/null >"$1.log" 2>&1 || {
        grep --before-context=12 --after-context=12 "FAILED:" "$1.log"
        tail -n 100 "$1.log"
        exit 1
    }' sh {} &
hands=$!
build tsan kgen_thread_tests "$cores"
# ThreadSanitizer of g++ 12 cannot start if the kernel randomises addresses too much.
fixed_addresses="setarch $(uname -m) --addr-no-randomize"
$fixed_addresses true 2>/dev/null || fixed_addresses=""
$fixed_addresses build/tsan/tests/kgen_thread_tests </dev/null
wait "$hands"
tail -q -n 2 build/asan/hand.*.log
echo "sanitizers: no error"

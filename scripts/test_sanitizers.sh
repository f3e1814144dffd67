#!/bin/sh
# Runs the unit tests under AddressSanitizer and UndefinedBehaviorSanitizer, and the tests with threads under
# ThreadSanitizer, on the host device only. The script can be repeated.
set -eu
cd "$(dirname "$0")/.."
export KGEN_DEVICE=host
# The runtime of g++ 12 takes thread-local memory of a loaded library that begins 16 bytes behind a page for memory with a
# header, and its search for leaks then ends at a wild address ("Tracer caught signal 11").
export ASAN_OPTIONS=intercept_tls_get_addr=0

# clang builds in half the time of g++. The preset turns off its check of function types, because kgen declares NCCL's
# functions with types of its own.
scripts/install_dependencies.sh clang-14 libclang-rt-14-dev
build() {  # build PRESET PROGRAM JOBS
    cmake --preset "$1" -DKGEN_BUILD_EXAMPLES=OFF -DKGEN_BUILD_CLI=OFF
    cmake --build --preset "$1" --target "$2" --parallel "$3"
}
asan_tests() {  # asan_tests LOG SPECIFICATION: prints each failed check and the end of the output if a test fails
    if build/asan/tests/kgen_tests "$2" </dev/null >"build/asan/$1.log" 2>&1; then
        tail -n 3 "build/asan/$1.log"
    else
        grep --before-context=12 --after-context=12 'FAILED:' "build/asan/$1.log" || true
        tail -n 100 "build/asan/$1.log"
        return 1
    fi
}
cores=$(nproc)
build asan kgen_tests "$((cores + 1))"
# Most tests run on one core. Meanwhile the other cores build for ThreadSanitizer and then run the rest. Kernels for GPUs that
# run on the CPU are left to the release build: compilers do their work, and no sanitizer sees those kernels.
asan_tests most '~[emulated]~[reduction]~[host_reduction]~[template]~[host_loops]~[nvrtc]~[.]' &
most=$!
build tsan kgen_thread_tests "$((cores > 1 ? cores - 1 : 1))"
# ThreadSanitizer of g++ 12 cannot start if the kernel randomises addresses too much.
fixed_addresses="setarch $(uname -m) --addr-no-randomize"
$fixed_addresses true 2>/dev/null || fixed_addresses=""
$fixed_addresses build/tsan/tests/kgen_thread_tests </dev/null
asan_tests rest '[reduction]~[emulated]~[.],[host_reduction]~[.],[template]~[.],[host_loops]~[.],[nvrtc]~[.]'
wait "$most"
echo "sanitizers: no error"

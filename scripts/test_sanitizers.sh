#!/bin/sh
# The unit tests under AddressSanitizer and UndefinedBehaviorSanitizer, and those with threads under ThreadSanitizer.
# The host device alone. Safe to repeat.
set -eu
cd "$(dirname "$0")/.."
export KGEN_DEVICE=host

scripts/install_dependencies.sh
build() {  # build PRESET PROGRAM JOBS
    cmake --preset "$1" -DKGEN_BUILD_EXAMPLES=OFF -DKGEN_BUILD_CLI=OFF
    cmake --build --preset "$1" --target "$2" --parallel "$3"
}
asan_tests() {  # asan_tests LOG SPECIFICATION: the tests' output is shown if one fails
    if build/asan/tests/kgen_tests "$2" </dev/null >"build/asan/$1.log" 2>&1; then
        tail -n 3 "build/asan/$1.log"
    else
        tail -n 200 "build/asan/$1.log"
        return 1
    fi
}
cores=$(nproc)
build asan kgen_tests "$((cores + 1))"
# Most tests run on one core; the others build for ThreadSanitizer meanwhile and then run the rest.
asan_tests most '~[reduction]~[host_reduction]~[template]~[host_loops]~[nvrtc]~[.]' &
most=$!
build tsan kgen_thread_tests "$((cores > 1 ? cores - 1 : 1))"
# ThreadSanitizer of g++ 12 cannot start where the kernel randomises addresses too far.
fixed_addresses="setarch $(uname -m) --addr-no-randomize"
$fixed_addresses true 2>/dev/null || fixed_addresses=""
$fixed_addresses build/tsan/tests/kgen_thread_tests </dev/null
asan_tests rest '[reduction]~[.],[host_reduction]~[.],[template]~[.],[host_loops]~[.],[nvrtc]~[.]'
wait "$most"
echo "sanitizers: no error"

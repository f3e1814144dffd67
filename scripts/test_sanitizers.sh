#!/bin/sh
# The unit tests under AddressSanitizer and UndefinedBehaviorSanitizer, and those with threads under ThreadSanitizer.
# The host device alone. Safe to repeat.
set -eu
cd "$(dirname "$0")/.."
export KGEN_DEVICE=host

scripts/install_dependencies.sh
for preset in asan tsan; do
    cmake --preset $preset -DKGEN_BUILD_EXAMPLES=OFF -DKGEN_BUILD_BENCHMARKS=OFF -DKGEN_BUILD_CLI=OFF
    cmake --build --preset $preset --target kgen_tests
done

build/asan/tests/kgen_tests </dev/null

# ThreadSanitizer of g++ 12 cannot start where the kernel randomises addresses too far.
fixed_addresses="setarch $(uname -m) --addr-no-randomize"
$fixed_addresses true 2>/dev/null || fixed_addresses=""
threads="flight_table_test cache_concurrency_test host_thread_pool_test device_test"
tags=$(printf '[#%s],' $threads)
$fixed_addresses build/tsan/tests/kgen_tests --filenames-as-tags "${tags%,}" </dev/null
echo "sanitizers: no error"

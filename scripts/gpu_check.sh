#!/usr/bin/env bash
# Everything that wants a GPU, in one run: builds, runs all tests, measures first calls and shares of a
# copy, runs compute-sanitizer over the tests, and prints a short table last. Needs the dependencies
# already (scripts/install_dependencies.sh) and the CUDA toolkit.
#
#     scripts/gpu_check.sh [OUTPUT_DIR] [build] [test] [startup] [bench] [sanitize]
#
# KGEN_CMAKE_OPTIONS adds to the configuration. OUTPUT_DIR gets the logs and the JSON of the benchmark.
# Without step names all steps run.
set -u
cd "$(dirname "$0")/.."
out=${1:-build/gpu}
shift || true
steps=${*:-build test startup bench sanitize}
build=build/gpu-release
mkdir -p "$out"
out=$(cd "$out" && pwd)
declare -a table=()
failed=0

wants() { [[ " $steps " == *" $1 "* ]]; }
row() { table+=("$1"); }
check() {  # check NAME STATUS DETAIL
    row "$(printf '%-12s %-6s %s' "$1" "$([ "$2" = 0 ] && echo ok || echo FAILED)" "$3")"
    [ "$2" = 0 ] || failed=1
}

row "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1), $(git rev-parse --short HEAD 2>/dev/null)"

if wants build; then
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release ${KGEN_CMAKE_OPTIONS:-} >"$out/configure.log" 2>&1 &&
        cmake --build "$build" -j "$(nproc)" >"$out/build.log" 2>&1
    status=$?
    check build $status "$(grep -c -i 'warning:' "$out/build.log") warnings"
    if [ $status != 0 ]; then
        tail -n 5 "$out/configure.log"
        grep -E -A3 'error|FAILED' "$out/build.log" | head -n 60
        exit 1
    fi
fi

if wants test; then
    # One test takes all of the GPU's memory for a moment: it runs alone.
    greedy='more memory than there is'
    (cd "$build" && timeout 60 ctest -R "$greedy" --output-on-failure &&
        timeout 300 ctest -j 8 -E "$greedy" --output-on-failure) >"$out/ctest.log" 2>&1
    check tests $? "$(grep -E 'tests passed|tests failed' "$out/ctest.log" | tail -n 1)"
    grep -E '\(Failed\)|\(Timeout\)|SEGFAULT|Exception|FAILED' "$out/ctest.log" | sort | uniq -c | sort -rn | head -n 30
fi

if wants startup; then
    "$build/benchmarks/kgen_startup" bare >/dev/null  # the files are in memory from here on
    for round in 1 2 3 4 5 6 7 8 9 10 11; do
        cache=$(mktemp -d)
        echo "bare: $("$build/benchmarks/kgen_startup" bare)"
        echo "cold: $(KGEN_CACHE_DIR=$cache "$build/benchmarks/kgen_startup" call)"
        echo "warm: $(KGEN_CACHE_DIR=$cache "$build/benchmarks/kgen_startup" call)"
        rm -rf "$cache"
    done >"$out/startup.log" 2>&1
    for kind in bare cold warm; do
        row "$(printf '%-12s %s' "$kind" "median: $(grep "^$kind" "$out/startup.log" | cut -d' ' -f2- | sort -t' ' -k3 -n | sed -n 6p)")"
    done
    cache=$(mktemp -d)
    for what in call call host-loop; do
        row "$(printf '%-12s %s' host "$(KGEN_DEVICE=host KGEN_HOST_THREADS=1 KGEN_CACHE_DIR=$cache "$build/benchmarks/kgen_startup" $what 2>&1 | tr '\n' ';')")"
    done
    rm -rf "$cache"
fi

if wants bench; then
    "$build/benchmarks/kgen_bench" --json "$out/elementwise.json" >"$out/bench.log" 2>&1
    check bench $? "$(grep -c . "$out/bench.log") lines"
    while IFS= read -r line; do row "  $line"; done <"$out/bench.log"
fi

if wants sanitize; then
    timeout 280 compute-sanitizer --tool memcheck --error-exitcode 9 --report-api-errors no --target-processes application-only \
        "$build/tests/kgen_tests" "~gpu: a wild write*" >"$out/sanitizer.log" 2>&1
    check memcheck $? "$(grep 'ERROR SUMMARY' "$out/sanitizer.log" | tail -n 1)"
    grep -A8 'FAILED:' "$out/sanitizer.log" | head -n 40
fi

printf '%s\n' "${table[@]}"
exit $failed

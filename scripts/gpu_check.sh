#!/usr/bin/env bash
# Everything that wants a GPU, in one run: builds, runs all tests, measures shares of a copy and
# what calls cost, runs compute-sanitizer over the tests, and prints a short table last. Needs the dependencies
# already (scripts/install_dependencies.sh) and the CUDA toolkit.
#
#     scripts/gpu_check.sh [OUTPUT_DIR] [build] [test] [host] [bench] [sanitize]
#
# KGEN_CMAKE_OPTIONS adds to the configuration, KGEN_BENCH_CASES names what the benchmark runs (all that there is),
# KGEN_PEERS_JSON the files of other libraries' measurements (benchmarks/README.md). OUTPUT_DIR gets the logs, and the
# JSON and the plot of the benchmark.
# Without step names all steps run.
set -u
cd "$(dirname "$0")/.."
out=${1:-build/gpu}
shift || true
steps=${*:-build test host bench sanitize}
build=build/gpu-release
mkdir -p "$out"
out=$(cd "$out" && pwd)
declare -a table=()
failed=0

wants() { [[ " $steps " == *" $1 "* ]]; }
row() { table+=("$1"); }
show() {  # show FILE: its lines are rows of the table
    while IFS= read -r line; do row "  $line"; done <"$1"
}
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

if wants host; then
    KGEN_HOST_THREADS=1 "$build/src/cli/kgen" bench first-call host-loops --device host >"$out/host.log" 2>&1
    check host $? ""
    show "$out/host.log"
fi

if wants bench; then
    peers=()
    for file in ${KGEN_PEERS_JSON:-}; do peers+=(--peers "$file"); done
    "$build/src/cli/kgen" bench ${KGEN_BENCH_CASES:-} --output "$out/bench.json" --svg "$out/shares.svg" \
        ${peers[@]+"${peers[@]}"} >"$out/bench.log" 2>&1
    check bench $? "$(grep -c '  below' "$out/bench.log") below their target"
    show "$out/bench.log"
fi

if wants sanitize; then
    timeout 280 compute-sanitizer --tool memcheck --error-exitcode 9 --report-api-errors no --target-processes application-only \
        "$build/tests/kgen_tests" "~gpu: a wild write*" >"$out/sanitizer.log" 2>&1
    check memcheck $? "$(grep 'ERROR SUMMARY' "$out/sanitizer.log" | tail -n 1)"
    grep -A8 'FAILED:' "$out/sanitizer.log" | head -n 40
fi

printf '%s\n' "${table[@]}"
exit $failed

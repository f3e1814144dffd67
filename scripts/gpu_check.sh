#!/usr/bin/env bash
# Runs everything that needs a GPU: builds, runs all tests, runs the benchmark, runs the tests of the library's templates
# from a pack, and runs compute-sanitizer over the tests. Prints a short table at the end. Needs kgen's dependencies
# (scripts/install_dependencies.sh), the CUDA toolkit, and Catch2 3 for the sanitizers.
#
#     scripts/gpu_check.sh [OUTPUT_DIR] [build] [test] [host] [bench] [sharded] [pack] [interchange] [sanitize]
#
# Without names of steps all steps run. OUTPUT_DIR receives the logs, and the JSON and the plot of the benchmark.
# KGEN_CMAKE_OPTIONS are further options of cmake. KGEN_BENCH_CASES names the cases of the benchmark (default: all).
# KGEN_PEERS_JSON names the files with other libraries' measurements (benchmarks/README.md).
set -u
cd "$(dirname "$0")/.."
out=${1:-build/gpu}
shift || true
steps=${*:-build test host bench sharded pack interchange sanitize}
build=build/gpu-release
mkdir -p "$out"
out=$(cd "$out" && pwd)
declare -a table=()
failed=0

wants() { [[ " $steps " == *" $1 "* ]]; }
row() { table+=("$1"); }
show() {  # show FILE: adds its lines to the table
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
    # One test takes all of the GPU's memory for a moment, so it runs alone.
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

# Sharded arrays on several GPUs: one thread, a process a GPU, and PyTorch beside them.
gpus=$(nvidia-smi -L 2>/dev/null | wc -l)
if wants sharded && [ "$gpus" -gt 1 ]; then
    {
        cmake --build "$build" --target kgen_sharded_bench && for count in 1 "$gpus"; do
            echo "one thread, $count GPUs"
            timeout 100 "$build/benchmarks/kgen_sharded_bench" "$count" || failed=1
        done
        echo "a process a GPU"
        room=$(mktemp -d)
        for rank in $(seq 0 $((gpus - 1))); do
            RANK=$rank WORLD_SIZE=$gpus LOCAL_RANK=$rank KGEN_RENDEZVOUS_FILE=$room/meeting \
                timeout 100 "$build/benchmarks/kgen_sharded_bench" || echo "rank $rank FAILED" &
        done
        wait
        timeout 120 torchrun --nproc-per-node "$gpus" benchmarks/sharded/sharded_peers.py
        echo "a program of NCCL's calls"
        nvcc -O2 -std=c++20 -arch=native benchmarks/sharded/nccl_program.cu -lnccl -o "$build/nccl_program" &&
            timeout 100 "$build/nccl_program" || echo FAILED
        for rank in $(seq 0 $((gpus - 1))); do
            RANK=$rank WORLD_SIZE=$gpus NCCL_ID_FILE=$room/id timeout 100 "$build/nccl_program" || echo "rank $rank FAILED" &
        done
        wait
        cmake --build "$build" --target kgen_interchange && KGEN_RENDEZVOUS_FILE=$room/beside timeout 120 \
            torchrun --nproc-per-node "$gpus" tests/interchange/sharded_check.py "$build/tests/libkgen_interchange.so" || echo FAILED
        rm -rf "$room"
    } >"$out/sharded.log" 2>&1
    check sharded "$(grep -c 'FAILED\|kgen_sharded_bench: ' "$out/sharded.log")" "$gpus GPUs"
    grep ' us\|^one thread\|^a process\|^a program\|FAILED\|kgen_sharded_bench: ' "$out/sharded.log" >"$out/sharded.txt"
    show "$out/sharded.txt"
fi

if wants pack; then
    # Compiles a pack of all dtypes without the driver. The library's tests then run from it without compiling.
    all=bool,int8,int16,int32,int64,uint8,uint16,uint32,uint64,float16,bfloat16,float32,float64,complex64,complex128
    room=$(mktemp -d)
    KGEN_CUDA_PATH=/nonexistent/libcuda.so KGEN_CACHE_DIR="$room/filled" timeout 300 "$build/src/cli/kgen" compile --all \
        --types "T=$all" --types "U=$all" --output "$room/library.kgp" >"$out/pack.log" 2>&1
    check pack $? "$(tail -n 1 "$out/pack.log")"
    KGEN_TEST_DEVICES=cuda KGEN_COMPILE=never KGEN_NVRTC_PATH=/nonexistent/libnvrtc.so KGEN_CACHE_RO_DIRS="$room/library.kgp" \
        KGEN_CACHE_DIR="$room/empty" timeout 100 "$build/tests/kgen_tests" "[library]" >"$out/library.log" 2>&1
    check library $? "$(tail -n 2 "$out/library.log" | head -n 1)"
    rm -rf "$room"
fi

# sanitize TOOL FILTER: runs the tests on the GPU in eight processes, among which Catch2 3 distributes them. The
# launch timeout is long, because a process may use the GPU late.
sanitize() {
    local pids=() status=0
    for shard in 0 1 2 3 4 5 6 7; do
        KGEN_TEST_DEVICES=cuda timeout 280 compute-sanitizer --tool "$1" --error-exitcode 9 --report-api-errors no \
            --launch-timeout 600 --target-processes application-only "$build/tests/kgen_tests" "$2" --shard-count 8 --shard-index "$shard" \
            >"$out/$1$shard.log" 2>&1 &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do wait "$pid" || status=$?; done
    cat "$out/$1"?.log >"$out/$1.log"
    rm "$out/$1"?.log
    check "$1" $status "$(grep -hoE '(ERROR|RACECHECK) SUMMARY: .*' "$out/$1.log" | sort | uniq -c | tr '\n' ' ')"
    grep -A8 'FAILED:' "$out/$1.log" | head -n 40
}

if wants interchange; then
    cmake --build "$build" --target kgen_interchange >"$out/interchange.log" 2>&1 &&
        timeout 200 python3 tests/interchange/check.py "$build/tests/libkgen_interchange.so" >>"$out/interchange.log" 2>&1
    check interchange $? "$(grep -c '^ok' "$out/interchange.log") right, PyTorch and CuPy"
    grep -E '^FAILED|Error|error' "$out/interchange.log"
    nvcc -std=c++20 -O2 -arch=native -Iinclude -Isrc tests/interchange/libraries.cu "$build/src/libkgen.a" -lspdlog -lfmt \
        -lcrypto -lz -ldl -lpthread -o "$build/libraries" >"$out/libraries.log" 2>&1 && "$build/libraries" >>"$out/libraries.log" 2>&1 &&
        KGEN_CHECK_POINTERS=1 "$build/libraries" freed >>"$out/libraries.log" 2>&1
    check libraries $? "$(grep -c '^ok' "$out/libraries.log") right, CUDA runtime, Thrust and CUB"
    grep -E '^FAILED|error' "$out/libraries.log"
fi

if wants sanitize; then
    # Without the tests that lose the GPU or take all of its memory.
    sanitize memcheck '~"gpu: a wild write*" ~"gpu: a process*" ~"gpu: under KGEN_SYNC*" ~"*more memory than there is*" ~[.]'
    sanitize racecheck '[reduction],[scratch]'
fi

printf '%s\n' "${table[@]}"
exit $failed

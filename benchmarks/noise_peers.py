#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times random numbers of PyTorch and CuPy (cuRAND) for `kgen bench --peers`.

    noise_peers.py > peers.json
    kgen bench noise --peers peers.json

Each writes 2^28 float32 into memory that is there, 9 batches of 10 calls, timed with events. `frac` is the share of a copy
of 1 GiB within the device (read + write) in the same run.
"""
import json
import statistics

COUNT = 2**28


def batches(call, start, stop, elapsed):
    times = []
    for batch in range(10):
        start()
        for _ in range(10):
            call()
        stop()
        if batch > 0:
            times.append(elapsed() / 10)
    return statistics.median(times)


def torch_times():
    import torch

    first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    x, y = (torch.empty(COUNT, device="cuda") for _ in range(2))

    def elapsed():
        last.synchronize()
        return first.elapsed_time(last)

    def time(call):
        return batches(call, first.record, last.record, elapsed)

    return "PyTorch", time(lambda: y.copy_(x)), time(lambda: x.uniform_()), time(lambda: x.normal_())


def cupy_times():
    import cupy

    first, last = cupy.cuda.Event(), cupy.cuda.Event()
    x, y = (cupy.empty(COUNT, cupy.float32) for _ in range(2))
    rng = cupy.random.default_rng(42)

    def elapsed():
        last.synchronize()
        return cupy.cuda.get_elapsed_time(first, last)

    def time(call):
        return batches(call, first.record, last.record, elapsed)

    return (
        "CuPy",
        time(lambda: cupy.copyto(y, x)),
        time(lambda: rng.random(out=x, dtype=cupy.float32)),
        time(lambda: rng.standard_normal(out=x, dtype=cupy.float32)),
    )


def main():
    rows = []
    for times in (torch_times, cupy_times):
        try:
            peer, copy, uniform, normal = times()
        except ImportError:
            continue
        for case, ms in (("uniform_f32_2^28", uniform), ("normal_f32_2^28", normal)):
            rows.append({"case": case, "peer": peer, "ms": ms, "frac": copy / 2 / ms})
    print(json.dumps({"rows": rows}, indent=1))


main()

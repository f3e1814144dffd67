#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures in PyTorch what sharded_arrays.cpp measures in kgen: NCCL's collectives by themselves, and DTensor.

    torchrun --nproc-per-node 2 benchmarks/sharded/sharded_peers.py
"""

import statistics
import time

import torch
import torch.distributed as dist
from torch.distributed.tensor import Replicate, Shard, distribute_tensor, init_device_mesh


def time_us(calls, call):
    times = []
    for batch in range(-2, 7):
        torch.cuda.synchronize()
        dist.barrier()
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            call()
        torch.cuda.synchronize()
        if batch >= 0:
            times.append((time.perf_counter() - start) / calls * 1e6)
    return statistics.median(times)


def main():
    dist.init_process_group("nccl")
    rank, size = dist.get_rank(), dist.get_world_size()
    torch.cuda.set_device(rank)
    others = (size - 1) / size

    def tell(name, us, bytes_moved=None):
        if rank == 0:
            speed = f"{bytes_moved / us / 1e3:.1f} GB/s" if bytes_moved else ""
            print(f"{name:<44} {us:12.2f} us  {speed}", flush=True)

    block = torch.ones(1 << 28, device="cuda")
    whole = torch.empty(size << 28, device="cuda")
    total = 4.0 * size * (1 << 28)
    us = time_us(5, lambda: dist.all_gather_into_tensor(whole, block))
    tell("NCCL all_gather, 1 GiB a GPU", us, total * others)
    got = torch.empty_like(block)
    us = time_us(5, lambda: dist.all_to_all_single(got, block))
    tell("NCCL all_to_all, 1 GiB a GPU", us, total / size * others)
    del whole, got, block
    mesh = init_device_mesh("cuda", (size,))
    x = distribute_tensor(torch.ones(16384 * size, 16384, device="cuda"), mesh, [Shard(0)])
    us = time_us(5, lambda: x.redistribute(mesh, [Shard(1)]))
    tell("DTensor rows to columns, 1 GiB a GPU", us, total / size * others)
    us = time_us(5, lambda: x.redistribute(mesh, [Replicate()]).to_local())
    tell("DTensor rows to replicated, 1 GiB a GPU", us, total * others)
    us = time_us(5, lambda: x.sum(0).redistribute(mesh, [Replicate()]).to_local())
    tell("DTensor sum along the split axis", us)
    del x
    small = distribute_tensor(torch.ones(size << 20, device="cuda"), mesh, [Shard(0)])
    us = time_us(50, lambda: small.sum().redistribute(mesh, [Replicate()]).to_local())
    tell("DTensor sum, 4 MiB a GPU", us)
    y = distribute_tensor(torch.ones(1024 * size, device="cuda"), mesh, [Shard(0)])
    tell("DTensor elementwise, 4 KiB a GPU", time_us(200, lambda: torch.mul(y, 2)))
    for width in (1024, 1 << 20):
        row, halo = torch.ones(width, device="cuda"), torch.empty(width, device="cuda")

        def exchange():
            peers = [p for p in (rank - 1, rank + 1) if 0 <= p < size]
            work = [dist.P2POp(dist.isend, row, p) for p in peers]
            work += [dist.P2POp(dist.irecv, halo, p) for p in peers]
            for each in dist.batch_isend_irecv(work):
                each.wait()

        tell(f"NCCL neighbours, rows of {width >> 8} KiB", time_us(100, exchange), 4.0 * width)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

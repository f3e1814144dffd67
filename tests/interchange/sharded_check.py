#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Computes with kgen's sharded arrays on tensors of PyTorch, in processes that torchrun started, in turn with PyTorch's NCCL.

    KGEN_RENDEZVOUS_FILE=/tmp/meeting torchrun --nproc-per-node 2 sharded_check.py libkgen_interchange.so

Prints a line for each check; the exit status is the number of failed checks.
"""
import ctypes
import pathlib
import sys

import torch
import torch.distributed as dist

library = ctypes.CDLL(sys.argv[1])
library.interchange_column_norms.restype = ctypes.c_void_p
library.interchange_column_norms.argtypes = (
    [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_char_p])
dist.init_process_group("nccl")
rank = dist.get_rank()
torch.cuda.set_device(rank)
failures = 0


def check(what, is_right):
    global failures
    failures += not is_right
    print(("ok      " if is_right else "FAILED  ") + f"rank {rank}: {what}", flush=True)


error = ctypes.create_string_buffer(1000)
is_right = True
for stream in (torch.cuda.current_stream(), torch.cuda.Stream()):
    for number in range(20):
        with torch.cuda.stream(stream):
            block = torch.randn(1000 + 17 * rank + number, 257, device="cuda")
            norms = torch.empty(257, device="cuda")
            expected = (block.double() ** 2).sum(0)
            dist.all_reduce(expected)
            stream.synchronize()  # operations of two communicators at once can block each other
            done = library.interchange_column_norms(
                block.data_ptr(), block.shape[0], 257, norms.data_ptr(), stream.cuda_stream, error)
            stream.synchronize()
            is_right &= done is not None and torch.allclose(norms.double(), expected.sqrt(), rtol=1e-5)
check(f"norms of sharded columns {error.value.decode()}", is_right)
maps = pathlib.Path("/proc/self/maps").read_text()
loaded = {line.split()[-1] for line in maps.splitlines() if "libnccl" in line}
check(f"one NCCL is loaded: {', '.join(loaded)}", len(loaded) == 1)
dist.destroy_process_group()
sys.exit(failures)

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the calls of `kgen bench --random N --output calls.json` in PyTorch, in eager mode and compiled.

    random_peers.py calls.json --count 50 --seconds 500 --output peers.json
    random_peers.py calls.json --list         # the calls as Python functions; needs no PyTorch

Each call has the same shapes, strides, dtypes and alignment, and writes the given outputs. Calls that PyTorch cannot
express are counted and left out. Processes compile the calls beforehand, in parallel, into a cache of their own.
Times are medians of 9 batches of about 25 ms, measured by events, as kgen's are. `peer / kgen` is the time of the
better of eager and compiled divided by kgen's: above 1, kgen is faster.
"""
import argparse
import collections
import json
import math
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import types

from random_torch_text import ITEM_BYTES, call_text, inputs_of, outputs_of, reason_left_out, reason_not_compiled
from random_torch_text import torch_dtype

BATCH_MS = 25
GRAPH_CALLS = 100
IN_GRAPHS_BELOW_MS = 0.2  # as random_calls.cpp: the time that the host takes to launch short calls does not count
BATCHES = 9
WORST_COUNT = 20
GOOD_SHARE = 0.98


def tensor_of(torch, row, operand, device):
    """Returns a tensor that lies in memory as the operand does, except that no axis runs backward."""
    dtype = getattr(torch, torch_dtype(row, operand))
    item = ITEM_BYTES[operand["dtype"]]
    strides = [abs(stride) // item for stride in operand["strides"]]
    offset = operand["offset_bytes"] // item
    size = offset + 1 + sum((extent - 1) * stride for extent, stride in zip(operand["shape"], strides))
    if dtype.is_floating_point or dtype.is_complex:
        real = torch.float64 if dtype in (torch.float64, torch.complex128) else torch.float32
        memory = torch.empty(size, dtype=dtype, device=device)
        parts = torch.view_as_real(memory) if dtype.is_complex else memory
        parts.copy_(torch.rand(parts.shape, dtype=real, device=device) * 4 - 2)
    else:
        high = 2 if dtype == torch.bool else 127
        memory = torch.randint(0, high, (size,), dtype=torch.uint8, device=device).to(dtype)
    return memory.as_strided(operand["shape"], strides, offset)


def tensors_of(torch, row, device):
    return [tensor_of(torch, row, operand, device) for operand in inputs_of(row) + outputs_of(row)]


def function_of(torch, row, eager):
    """Returns the call as a function. Its text is a file of its own, so that errors show lines, and a module of its own,
    which torch.compile imports by its name."""
    text = call_text(row, eager)
    module = types.ModuleType(f"random_call_{row['seed']}_{'eager' if eager else 'compiled'}")
    module.torch = torch
    sys.modules[module.__name__] = module
    exec(compile(text, f"<call of seed {row['seed']}>", "exec"), module.__dict__)
    return module.call


def compiled_function(torch, row):
    torch._dynamo.reset()
    return torch.compile(function_of(torch, row, eager=False), dynamic=False, fullgraph=True)


def synchronize(torch, device):
    if device.startswith("cuda"):
        torch.cuda.synchronize(device)


def batch_ms(torch, device, calls, work):
    if not device.startswith("cuda"):
        begin = time.perf_counter()
        for _ in range(calls):
            work()
        return (time.perf_counter() - begin) * 1000 / calls
    begin = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(calls):
        work()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / calls


def graph_of(torch, work):
    """Captures GRAPH_CALLS calls as a graph. Returns its replay."""
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(GRAPH_CALLS):
            work()
    return graph.replay


def median_ms(torch, device, work, is_small=False):
    """Measures as time_ms() of measurement.cpp does, and small and short calls as graph_time_ms(). `is_small` is None for a
    graph itself."""
    work()
    if is_small and device.startswith("cuda"):
        return median_ms(torch, device, graph_of(torch, work), None) / GRAPH_CALLS
    work()
    synchronize(torch, device)
    one = max(batch_ms(torch, device, 1, work), 1e-4)
    calls = int(min(max(BATCH_MS / one, 3), 200))
    median = sorted(batch_ms(torch, device, calls, work) for _ in range(BATCHES))[BATCHES // 2]
    if is_small is None or median >= IN_GRAPHS_BELOW_MS or not device.startswith("cuda"):
        return median
    return median_ms(torch, device, graph_of(torch, work), None) / GRAPH_CALLS


def prepare(torch, row, device):
    return compiled_function(torch, row), tensors_of(torch, row, device)


def compile_ahead(prepare, row, device):
    """Compiles one call in this process, which fills the cache. Returns why it could not, or ""."""
    try:
        import torch

        with torch.no_grad():
            function, tensors = prepare(torch, row, device)
            function(*tensors)
            synchronize(torch, device)
            del tensors
            if device.startswith("cuda"):
                torch.cuda.empty_cache()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def fill_cache(prepare, rows, device, processes, deadline):
    """Compiles the calls in parallel until the deadline. `prepare` returns the compiled function of a row and its arguments."""
    pool = multiprocessing.get_context("spawn").Pool(processes)
    waiting = [pool.apply_async(compile_ahead, (prepare, row, device)) for row in rows]
    while waiting and time.monotonic() < deadline:
        time.sleep(0.2)
        waiting = [each for each in waiting if not each.ready()]
    pool.terminate()
    pool.join()
    # Choices among block sizes were measured while other processes used the device. They are made again.
    for choice in pathlib.Path(os.environ["TORCHINDUCTOR_CACHE_DIR"]).rglob("*.best_config"):
        choice.unlink()
    return len(rows) - len(waiting)


def largest_difference(torch, found, expected):
    """Returns the largest difference of two lists of tensors, relative to numbers greater than 1."""
    worst = 0.0
    for a, b in zip(found, expected):
        a, b = (each.to(torch.complex128 if each.is_complex() else torch.float64) for each in (a, b))
        difference = ((a - b).abs() / b.abs().clamp(min=1)).max() if a.numel() else 0.0
        worst = max(worst, float(difference))
    return worst


def run_row(torch, row, device, checks_on_cpu):
    """Returns the times of one call. `difference`: between compiled and eager results."""
    result = {"seed": row["seed"], "class": row["class"], "kgen_ms": row["median_ms"], "peers": {}}
    tensors = tensors_of(torch, row, device)
    outputs = tensors[len(inputs_of(row)):]
    eager = function_of(torch, row, eager=True)
    eager(*tensors)
    expected = [output.clone() for output in outputs]
    if checks_on_cpu:
        on_cpu = [tensor.cpu() for tensor in tensors]
        eager(*on_cpu)
        result["difference_from_cpu"] = largest_difference(
            torch, [each.cpu() for each in outputs], on_cpu[len(inputs_of(row)):])
    result["peers"]["eager"] = median_ms(torch, device, lambda: eager(*tensors), row["class"] == "small")
    why = reason_not_compiled(row)
    if why is None:
        try:
            compiled = compiled_function(torch, row)
            compiled(*tensors)
            result["difference"] = largest_difference(torch, outputs, expected)
            result["peers"]["compiled"] = median_ms(torch, device, lambda: compiled(*tensors), row["class"] == "small")
        except Exception as error:
            why = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    if why is not None:
        result["not_compiled"] = why
    result["best_peer"] = min(result["peers"], key=result["peers"].get)
    result["ratio"] = result["peers"][result["best_peer"]] / row["median_ms"]
    return result


def measured_again(torch, row, first, command, device):
    """Runs the call again, kgen's command and then PyTorch. The second times count. Returns the first result if one fails."""
    try:
        if device.startswith("cuda"):
            torch.cuda.empty_cache()
        with tempfile.TemporaryDirectory(prefix="random_peers_") as folder:
            path = os.path.join(folder, "call.json")
            subprocess.run([command, "bench", "--random", "1", "--seed", str(row["seed"]), "--class", row["class"],
                            "--device", "host" if device == "cpu" else device, "--output", path],
                           check=True, stdout=subprocess.DEVNULL)
            second = json.loads(pathlib.Path(path).read_text())["random"]["rows"][0]
        if second["seed"] != row["seed"] or "median_ms" not in second:
            raise ValueError(f"kgen did not time the call of seed {row['seed']}")
        result = run_row(torch, second, device, False)
    except Exception as error:
        return first | {"not_measured_again": f"{type(error).__name__}: {error}"}
    kept = {key: first[key] for key in ("difference_from_cpu",) if key in first}
    return result | kept | {"first_ratio": first["ratio"]}


def chosen_rows(rows, count):
    """Returns the first `count` calls of each class that PyTorch can express, in turn, and why others are left out."""
    taken = collections.defaultdict(list)
    left_out = collections.Counter()
    for row in rows:
        if count is not None and len(taken[row["class"]]) == count:
            continue
        reason = reason_left_out(row)
        if reason is None:
            taken[row["class"]].append(row)
        else:
            left_out[reason] += 1
    turns = max(map(len, taken.values()), default=0)
    return [list_[turn] for turn in range(turns) for list_ in taken.values() if turn < len(list_)], left_out


def class_summaries(results):
    """Returns quantiles of the ratios of each class."""
    classes = collections.defaultdict(list)
    for result in results:
        classes[result["class"]].append(result["ratio"])
    summaries = []
    for name, ratios in classes.items():
        ratios.sort()
        summaries.append({
            "class": name,
            "calls": len(ratios),
            "geometric_mean": math.exp(sum(map(math.log, ratios)) / len(ratios)),
            "median": ratios[len(ratios) // 2],
            "at_least_in_90_percent": ratios[len(ratios) // 10],
            "at_least_in_95_percent": ratios[len(ratios) // 20],
            "worst": ratios[0],
            "share_at_least_0.98": sum(ratio >= GOOD_SHARE for ratio in ratios) / len(ratios),
        })
    return summaries


def print_summary(results, rows_by_seed, left_out):
    print(f"\n{'class':<12} {'calls':>6} {'geo mean':>9} {'median':>8} {'90 % >=':>8} {'95 % >=':>8} {'worst':>8} "
          f"{'>= 0.98':>8}   of peer / kgen")
    for each in class_summaries(results):
        print(f"{each['class']:<12} {each['calls']:>6} {each['geometric_mean']:>9.3f} {each['median']:>8.3f} "
              f"{each['at_least_in_90_percent']:>8.3f} {each['at_least_in_95_percent']:>8.3f} {each['worst']:>8.3f} "
              f"{each['share_at_least_0.98']:>8.1%}")
    again = [each for each in results if "first_ratio" in each]
    if again:
        good = sum(each.get("first_ratio", each["ratio"]) >= GOOD_SHARE for each in results) / len(results)
        print(f"{len(again)} calls below {GOOD_SHARE} were measured again; by the first ratios {good:.1%} are not below it")
    worst = sorted(results, key=lambda each: each["ratio"])[:WORST_COUNT]
    print(f"\nthe {len(worst)} calls with the least peer / kgen")
    for each in worst:
        row = rows_by_seed[each["seed"]]
        first = f"(first {each['first_ratio']:.3f})  " if "first_ratio" in each else ""
        print(f"{each['seed']:<20} {each['class']:<11} {each['ratio']:>6.3f}  {first}kgen {each['kgen_ms']:.5f} ms, "
              f"{each['best_peer']} {each['peers'][each['best_peer']]:.5f} ms; {row['loop']}; {shapes_text(row)}")
    for reason, count in left_out.most_common():
        print(f"left out: {count} calls: {reason}")


def shapes_text(row):
    parts = [f"{each['dtype']} {tuple(each['shape'])} strides {tuple(each['strides'])}" for each in row["operands"]]
    return f"{row['expression']['kind']}, axes {row.get('axes', 'all')} | " + " | ".join(parts)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("calls", help="what kgen bench --random N --output FILE wrote")
    parser.add_argument("--count", type=int, help="calls of each class (default: all)")
    parser.add_argument("--seconds", type=float, default=3600, help="end after this time, half of it for compiling")
    parser.add_argument("--processes", type=int, default=min(os.cpu_count() or 1, 10), help="that compile")
    parser.add_argument("--again", metavar="KGEN",
                        help="the command kgen: calls below 0.98 are measured again, and their second ratio counts")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--output", help="write the ratios as JSON")
    parser.add_argument("--list", action="store_true", help="print the calls as Python functions and end")
    return parser.parse_args()


def import_torch(folder):
    """Returns PyTorch, whose compiler keeps what it makes in the folder, here and in the processes that compile."""
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder.name
    os.environ["TRITON_CACHE_DIR"] = os.path.join(folder.name, "triton")
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    try:
        import torch
    except ImportError:
        sys.exit("this needs PyTorch: pip install torch")
    return torch


def main():
    arguments = parse_arguments()
    begin = time.monotonic()
    report = json.loads(pathlib.Path(arguments.calls).read_text())
    if "random" not in report:
        sys.exit(f"{arguments.calls} has no random calls: write it by kgen bench --random N --output FILE")
    rows, left_out = chosen_rows(report["random"]["rows"], arguments.count)
    if arguments.list:
        for row in rows:
            print(f"# {row['seed']}, {row['class']}: {shapes_text(row)}\n# eager\n{call_text(row, eager=True)}"
                  f"# compiled\n{call_text(row, eager=False)}")
        for reason, count in left_out.most_common():
            print(f"# left out: {count} calls: {reason}")
        return
    folder = tempfile.TemporaryDirectory(prefix="random_peers_")
    torch = import_torch(folder)
    print(f"PyTorch {torch.__version__} on {arguments.device}, beside kgen on {report['device_name']}")
    to_compile = [row for row in rows if reason_not_compiled(row) is None]
    half = begin + arguments.seconds / 2
    done = fill_cache(prepare, to_compile, arguments.device, arguments.processes, half)
    print(f"compiled {done} of {len(to_compile)} calls in {time.monotonic() - begin:.0f} s")
    results = []
    checked = set()
    with torch.no_grad():
        for row in rows:
            if time.monotonic() - begin > arguments.seconds:
                left_out[f"not reached within {arguments.seconds:.0f} s"] += 1
                continue
            try:
                result = run_row(torch, row, arguments.device, row["class"] not in checked)
                if arguments.again and result["ratio"] < GOOD_SHARE:
                    result = measured_again(torch, row, result, arguments.again, arguments.device)
                results.append(result)
            except Exception as error:
                left_out[f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"] += 1
                continue
            checked.add(row["class"])
            each = results[-1]
            times = ", ".join(f"{name} {ms:.5f}" for name, ms in each["peers"].items())
            differences = [each.get(name, 0) for name in ("difference", "difference_from_cpu")]
            remark = f" (first {each['first_ratio']:.3f})" if "first_ratio" in each else ""
            remark += f" ({each['not_measured_again']})" if "not_measured_again" in each else ""
            remark += "" if max(differences) < 0.02 else f"  results differ by {max(differences):.2g}"
            print(f"{each['seed']:<20} {each['class']:<11} kgen {each['kgen_ms']:.5f} ms, {times}: "
                  f"{each['ratio']:.3f}{remark}", flush=True)
    print_summary(results, {row["seed"]: row for row in rows}, left_out)
    if arguments.output:
        data = {"calls": arguments.calls, "torch": torch.__version__, "device_name": report["device_name"],
                "classes": class_summaries(results), "rows": results, "left_out": dict(left_out)}
        pathlib.Path(arguments.output).write_text(json.dumps(data, indent=1) + "\n")


if __name__ == "__main__":
    main()

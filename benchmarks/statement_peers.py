#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws statements, chains of operators and functions, and runs them in PyTorch and CuPy beside kgen.

    statement_peers.py --draw 200 --seed 7 --output statements.json          # needs Python alone
    kgen bench --statements statements.json --output times.json
    statement_peers.py times.json --seconds 500 --output peers.json

A statement has 3 to 20 operations, of which a third are functions of one operand, on 1 to 4 arrays of one dtype. 40 % are
elementwise; the others reduce all axes, the last, the first or one in the middle by a sum, mean or maximum, of which
30 % are followed by two operations more. The largest operand has 2^24 to 2^28 bytes, in 30 % of the statements 2^12 to
2^22. Further arrays are transposed (10 %), sliced with step 2 (8 %), or repeat along an axis (15 %).

With --rows, a statement is a softmax, log-softmax, layer norm, RMS norm or cosine of rows instead, over rows of 64 to
100,000 elements of float32, float16 or bfloat16 along the last axis (60 %) or another one, of 2^22 to 2^28 bytes. PyTorch runs
its own functions for them where it has any.

Each program fills the arrays alike and makes new outputs. Times are those of random_peers.py, which takes graphs for short
calls; CuPy's separate kernels run in graphs too. Sampled elements of kgen's result are compared with PyTorch's in float64:
`differs` if the largest error is more than 4 times that of PyTorch's eager mode and 8 units of the dtype.
"""
import argparse
import json
import math
import os
import pathlib
import random
import sys
import tempfile
import time
import types

from random_peers import class_summaries, fill_cache, import_torch, median_ms

ITEM_BYTES = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8}
EPSILON = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52}
FUNCTIONS = ["sqrt", "exp", "tanh", "sin", "cos", "log1p", "abs", "maximum", "minimum", "where", "sum", "mean", "amax"]
UNARY = ["-{}", "abs({})", "tanh({})", "sin({})", "cos({})", "sqrt(abs({}))", "exp(-abs({}))", "log1p(abs({}))"]
BINARY = ["({} + {})", "({} - {})", "({} * {})", "({} * {})", "({} / (1.5 + abs({})))", "maximum({}, {})", "minimum({}, {})"]
NUMBERS = ["0.5", "1.25", "2.0", "3"]


class Draw:
    """One statement as text that kgen, PyTorch and CuPy read alike."""

    def __init__(self, number, seed):
        self.random = random.Random(seed * 1_000_003 + number)
        pick = self.random
        self.dtype = pick.choices(list(ITEM_BYTES), [20, 15, 50, 15])[0]
        self.kind = pick.choices(["elementwise", "all", "rows", "columns", "middle"], [40, 15, 15, 15, 15])[0]
        rank = pick.randint(3 if self.kind == "middle" else 1 if self.kind in ("elementwise", "all") else 2, 4)
        is_small = pick.random() < 0.3
        size = 2 ** (pick.uniform(12, 22) if is_small else pick.uniform(24, 28)) / ITEM_BYTES[self.dtype]
        self.shape = self.extents(rank, int(size))
        self.count = pick.randint(1, 4)
        self.used = 0
        operations = pick.randint(3, 20)
        text = self.grow(operations)
        if self.kind != "elementwise":
            axis = {"all": "", "rows": f", axis={rank - 1}", "columns": ", axis=0",
                    "middle": f", axis={pick.randint(1, max(rank - 2, 1))}"}[self.kind]
            text = f"{pick.choices(['sum', 'mean', 'amax'], [55, 25, 20])[0]}({text}{axis})"
            if pick.random() < 0.3:
                text = pick.choice(["sqrt(abs({}))", "({} * 0.5 + 1)", "tanh({} / 100)"]).format(text)
        self.statement = {"name": f"{seed}:{number}", "kind": ("small " if is_small else "") + self.kind,
                          "expression": text, "arrays": [self.layout(k) for k in range(self.used)]}

    def extents(self, rank, size):
        shape = []
        for left in range(rank - 1, 0, -1):
            extent = max(2, min(int(2 ** self.random.uniform(1, math.log2(max(size, 4)))), size))
            if self.random.random() < 0.3:
                extent = 2 ** int(math.log2(extent))
            shape.append(extent)
            size = max(size // extent, 2)
        shape.append(size)
        self.random.shuffle(shape)
        return shape

    def layout(self, number):
        """Returns the first array as a C-ordered one, the others in other layouts too."""
        shape, steps, order = list(self.shape), [1] * len(self.shape), list(range(len(self.shape)))
        form = self.random.random() if number > 0 else 1
        if form < 0.15:
            shape[self.random.randrange(len(shape))] = 1
        elif form < 0.25:
            order.reverse()
        elif form < 0.33:
            steps[self.random.randrange(len(shape))] = 2
        strides, stride = [0] * len(shape), ITEM_BYTES[self.dtype]
        for axis in reversed(order):
            strides[axis] = stride * steps[axis]
            stride *= shape[axis] * steps[axis]
        return {"dtype": self.dtype, "shape": shape, "strides": strides}

    def leaf(self):
        number = self.used if self.used < self.count and (self.used == 0 or self.random.random() < 0.6) else None
        if number is None:
            return f"x{self.random.randrange(self.used)}"
        self.used += 1
        return f"x{number}"

    def grow(self, operations):
        if operations <= 0:
            return self.leaf()
        if self.random.random() < 0.35:
            form = self.random.choice(UNARY)
            return form.format(self.grow(operations - form.count("(") - form.startswith("-")))
        form = self.random.choice(BINARY)
        left = operations - 1 - 2 * ("1.5" in form)
        if form in BINARY[:4] and self.random.random() < 0.3:
            return form.format(self.grow(left), self.random.choice(NUMBERS))
        first = self.random.randint(0, max(left, 0))
        return form.format(self.grow(first), self.grow(left - first))


class RowDraw:
    """One statement of rows. kgen and PyTorch have functions for it; "torch" is PyTorch's text."""

    FORMS = {
        "softmax": ("softmax(x0, axis={a})", "softmax(x0, {a})"),
        "log_softmax": ("log_softmax(x0, axis={a})", "log_softmax(x0, {a})"),
        "layer_norm": ("layer_norm(x0, axis={a})", "layer_norm(x0, {n})"),
        "rms_norm": ("rms_norm(x0, axis={a})", "rms_norm(x0, {n}, eps=1e-5)"),
        "cosine": ("sum(x0 * x1, axis={a}) / sqrt(sum(x0 * x0, axis={a}) * sum(x1 * x1, axis={a}))", None),
    }
    # For axes that PyTorch's functions do not take.
    LONG = {
        "layer_norm": "(x0 - x0.mean({a}, True)) * rsqrt(x0.var({a}, unbiased=False, keepdim=True) + 1e-5)",
        "rms_norm": "x0 * rsqrt((x0 * x0).mean({a}, True) + 1e-5)",
    }

    def __init__(self, number, seed):
        pick = random.Random(seed * 1_000_003 + number)
        name = pick.choice(list(self.FORMS))
        dtype = pick.choices(["float32", "float16", "bfloat16"], [50, 25, 25])[0]
        row = int(2 ** pick.uniform(6, math.log2(100_000)))
        if pick.random() < 0.4:
            row = max(64, row // 64 * 64)
        if pick.random() < 0.3:
            row = 2 ** int(math.log2(row))
        rows = max(1, int(2 ** pick.uniform(22, 28) / ITEM_BYTES[dtype] / row))
        if pick.random() < 0.6:
            shape, axis, place = [rows, row], 1, "last"
        elif pick.random() < 0.5:
            shape, axis, place = [row, rows], 0, "first"
        else:
            inner = max(1, min(int(2 ** pick.uniform(1, 10)), rows))
            shape, axis, place = [max(1, rows // inner), row, inner], 1, "middle"
        text, torch_text = self.FORMS[name]
        if place != "last" and name in self.LONG:
            torch_text = self.LONG[name]
        fill = {"a": axis, "n": [row]}
        strides, stride = [0] * len(shape), ITEM_BYTES[dtype]
        for at in reversed(range(len(shape))):
            strides[at] = stride
            stride *= shape[at]
        count = 2 if name == "cosine" else 1
        self.statement = {"name": f"{seed}:{number}", "kind": f"{place}", "expression": text.format(**fill),
                          "torch": (torch_text or text).format(**fill),
                          "arrays": [{"dtype": dtype, "shape": shape, "strides": strides}] * count}


def function_of(row, namespace, name):
    """Returns the statement as a function of its arrays, in a module of its own, which torch.compile imports by its name."""
    names = ", ".join(f"x{k}" for k in range(len(row["arrays"])))
    module = types.ModuleType(f"statement_{name}_{row['name'].replace(':', '_')}")
    module.__dict__.update(namespace)
    sys.modules[module.__name__] = module
    text = f"def call({names}):\n    return {row.get('torch', row['expression'])}\n"
    exec(compile(text, f"<statement {row['name']}>", "exec"), module.__dict__)
    return module.call


def torch_function(torch, row):
    namespace = {name: getattr(torch, name) for name in FUNCTIONS + ["rsqrt"]}
    for name in ["softmax", "log_softmax", "layer_norm", "rms_norm"]:
        namespace[name] = getattr(torch.nn.functional, name)
    return function_of(row, namespace, "torch")


def tensors_of(torch, row, device):
    """Fills the arrays as benchmarks/statements.cpp does."""
    tensors = []
    for number, array in enumerate(row["arrays"]):
        item = ITEM_BYTES[array["dtype"]]
        strides = [stride // item for stride in array["strides"]]
        size = 1 + sum((extent - 1) * stride for extent, stride in zip(array["shape"], strides))
        hashed = (torch.arange(size, device=device) * 2654435761 + number * 40503) % (1 << 24)
        memory = (hashed.to(torch.float32) * 2.0**-22 - 2).to(getattr(torch, array["dtype"]))
        tensors.append(memory.as_strided(array["shape"], strides))
    return tensors


def prepare(torch, row, device):
    """For fill_cache: returns the compiled function and its arguments."""
    torch._dynamo.reset()
    return torch.compile(torch_function(torch, row), dynamic=False, fullgraph=True), tensors_of(torch, row, device)


def relative_error(values, exact):
    worst = 0.0
    for value, target in zip(values, exact):
        if not math.isfinite(target) or not math.isfinite(value):
            worst = max(worst, 0.0 if str(value) == str(target) else math.inf)
        else:
            worst = max(worst, abs(value - target) / max(abs(target), 1))
    return worst


def errors(torch, row, function, tensors):
    """Returns the largest error of kgen's samples, and of PyTorch's eager mode, against float64."""
    places = torch.tensor([place for place, _ in row["samples"]], device=tensors[0].device)
    exact = function(*(tensor.double() for tensor in tensors)).reshape(-1)[places].tolist()
    eager = function(*tensors).double().reshape(-1)[places].tolist()
    return relative_error([float(value) for _, value in row["samples"]], exact), relative_error(eager, exact)


def cupy_ms(torch, row, tensors):
    import cupy

    namespace = {name: getattr(cupy, name) for name in FUNCTIONS}
    function = function_of(row, namespace, "cupy")
    arrays = [cupy.from_dlpack(tensor) for tensor in tensors]
    with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
        call = lambda: function(*arrays)
        call()
        time_ms = median_ms(torch, "cuda", call, None)
    if time_ms >= 0.2:
        return time_ms
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        call()
        stream.begin_capture()
        for _ in range(100):
            call()
        graph = stream.end_capture()
    replay = lambda: graph.launch(cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream))
    return median_ms(torch, "cuda", replay, None) / 100


def run_row(torch, row, device, with_cupy):
    result = {"name": row["name"], "class": row["kind"], "kgen_ms": row["median_ms"], "peers": {}}
    tensors = tensors_of(torch, row, device)
    function = torch_function(torch, row)
    result["error"], result["eager_error"] = errors(torch, row, function, tensors)
    dtype = row["arrays"][0]["dtype"]
    result["differs"] = result["error"] > 4 * result["eager_error"] + 8 * EPSILON[dtype]
    result["peers"]["eager"] = median_ms(torch, device, lambda: function(*tensors), False)
    try:
        compiled, _ = prepare(torch, row, device)
        result["peers"]["compiled"] = median_ms(torch, device, lambda: compiled(*tensors), False)
    except Exception as error:
        result["not_compiled"] = f"{type(error).__name__}: {error}"[:200]
    result["best_peer"] = min(result["peers"], key=result["peers"].get)
    result["ratio"] = result["peers"][result["best_peer"]] / row["median_ms"]
    if with_cupy and dtype != "bfloat16" and "torch" not in row:
        try:
            result["cupy_ms"] = cupy_ms(torch, row, tensors)
        except Exception as error:
            result["no_cupy"] = f"{type(error).__name__}: {error}"[:200]
    return result


def print_summary(results, rows):
    print(f"\n{'class':<18} {'calls':>6} {'geo mean':>9} {'median':>8} {'95 % >=':>8} {'worst':>8} {'>= 0.98':>8}"
          "   of the better of eager and compiled / kgen")
    for each in class_summaries(results) + class_summaries([{**result, "class": "together"} for result in results]):
        print(f"{each['class']:<18} {each['calls']:>6} {each['geometric_mean']:>9.3f} {each['median']:>8.3f} "
              f"{each['at_least_in_95_percent']:>8.3f} {each['worst']:>8.3f} {each['share_at_least_0.98']:>8.1%}")
    factors = [{"class": "CuPy / kgen", "ratio": each["cupy_ms"] / each["kgen_ms"]} for each in results if "cupy_ms" in each]
    for each in class_summaries(factors):
        print(f"{each['class']:<18} {each['calls']:>6} {each['geometric_mean']:>9.3f} {each['median']:>8.3f}")
    print("\nthe statements with the least ratio")
    for each in sorted(results, key=lambda each: each["ratio"])[:20]:
        row = rows[each["name"]]
        arrays = " | ".join(f"{a['dtype']} {a['shape']} {a['strides']}" for a in row["arrays"])
        print(f"{each['name']:<10} {each['class']:<18} {each['ratio']:>6.3f}  kgen {each['kgen_ms']:.5f}, floor {row['floor_ms']:.5f}, "
              f"{each['peers']}; {row['loop']}; {row['expression']}; {arrays}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("times", nargs="?", help="what kgen bench --statements FILE --output wrote")
    parser.add_argument("--draw", type=int, metavar="N", help="draw N statements instead")
    parser.add_argument("--rows", action="store_true", help="draw statements of rows")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3600, help="end after this time, half of it for compiling")
    parser.add_argument("--processes", type=int, default=min(os.cpu_count() or 1, 10), help="that compile")
    parser.add_argument("--no-cupy", action="store_true")
    parser.add_argument("--output", help="write the statements or the ratios as JSON")
    options = parser.parse_args()
    if options.draw is not None:
        draw = RowDraw if options.rows else Draw
        text = json.dumps({"statements": [draw(k, options.seed).statement for k in range(options.draw)]}, indent=1) + "\n"
        pathlib.Path(options.output).write_text(text) if options.output else print(text, end="")
        return
    if options.times is None:
        parser.error("expected times.json or --draw N")
    begin = time.monotonic()
    report = json.loads(pathlib.Path(options.times).read_text())
    if "statements" not in report:
        sys.exit(f"{options.times} has no statements: write it by kgen bench --statements FILE --output {options.times}")
    rows = [row for row in report["statements"] if "problem" not in row]
    for row in report["statements"]:
        if "problem" in row:
            print(f"{row['name']}: {row['problem']}")
    folder = tempfile.TemporaryDirectory(prefix="statement_peers_")
    torch = import_torch(folder)
    print(f"PyTorch {torch.__version__} beside kgen on {report['device_name']}")
    done = fill_cache(prepare, rows, "cuda", options.processes, begin + options.seconds / 2)
    print(f"compiled {done} of {len(rows)} statements in {time.monotonic() - begin:.0f} s")
    results = []
    with torch.no_grad():
        for row in rows:
            if time.monotonic() - begin > options.seconds:
                print(f"stopped after {len(results)} of {len(rows)} statements")
                break
            try:
                results.append(run_row(torch, row, "cuda", not options.no_cupy))
            except Exception as error:
                print(f"{row['name']}: {type(error).__name__}: {error}"[:300])
                continue
            each = results[-1]
            times = ", ".join(f"{name} {ms:.5f}" for name, ms in each["peers"].items())
            remark = f"  DIFFERS by {each['error']:.2g}, eager by {each['eager_error']:.2g}" if each["differs"] else ""
            print(f"{each['name']:<10} {each['class']:<18} kgen {each['kgen_ms']:.5f}, {times}, CuPy {each.get('cupy_ms', math.nan):.5f}: "
                  f"{each['ratio']:.3f}{remark}", flush=True)
    print_summary(results, {row["name"]: row for row in rows})
    if options.output:
        data = {"torch": torch.__version__, "device_name": report["device_name"], "classes": class_summaries(results), "rows": results}
        pathlib.Path(options.output).write_text(json.dumps(data, indent=1) + "\n")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares random expressions with NumPy 2: dtypes, shapes, values, and which are refused.

    numpy_check.py kgen_tests [--seed S] [--count N] [--processes P] [--rows]

Integers and bools must be equal. Floating point may differ as much as the expression magnifies rounding errors: NumPy
computes it again with each result changed by about 2 units in the last place, and kgen's result may be 16 times as far
from NumPy's as these are, and 4 units more. Elements for which that is not finite are left out and counted.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

# These results are exact, so they are not changed.
EXACT = {"negative", "abs", "floor", "ceil", "trunc", "rint", "sign", "maximum", "minimum", "fmax", "fmin", "copysign",
         "where", "min", "max", "astype"}
# These magnify the rounding errors of their operands inside.
SENSITIVE = {"sum", "prod", "mean", "var", "std", "logaddexp"}


class Functions:
    """NumPy's functions. With a random generator, their results are changed by rounding errors."""

    def __init__(self, generator=None):
        self.generator = generator

    def changed(self, values):
        values = np.asarray(values)
        if self.generator is None or values.dtype.kind not in "fc":
            return values
        eps = np.finfo(values.dtype).eps
        factor = 1 + 2 * eps * self.generator.uniform(-1, 1, values.shape)
        tiny = np.finfo(values.dtype).smallest_subnormal * self.generator.uniform(-1, 1, values.shape)
        wide = np.longdouble if values.dtype.kind == "f" else np.clongdouble
        return (values.astype(wide) * factor + tiny).astype(values.dtype)

    def __getattr__(self, name):
        function = getattr(np, name, None)

        def call(*arguments, **options):
            if name == "astype":
                return arguments[0].astype(arguments[1])
            if name in ("argmin", "argmax", "count_nonzero") and options.get("axis") is not None and len(options["axis"]) == 1:
                options["axis"] = options["axis"][0]
            if options.get("axis") is not None and np.ndim(arguments[0]) == 0:
                raise ValueError("NumPy lets some functions reduce axis 0 of a scalar")
            if name in SENSITIVE:
                arguments = tuple(self.changed(each) if isinstance(each, np.ndarray) else each for each in arguments)
            if name in ("var", "std") and np.asarray(arguments[0]).dtype == np.float16:
                # NumPy squares float16 in float16, which overflows.
                result = np.asarray(function(arguments[0].astype(np.float32), **options)).astype(np.float16)
            else:
                result = np.asarray(function(*arguments, **options))
            if self.generator is not None and name in ("signbit", "copysign"):
                # The sign of NaN has no meaning.
                result = np.where(np.isnan(arguments[-1]), ~result if name == "signbit" else -result, result)
            if self.generator is not None and name in ("var", "std") and self.generator.random() < 0.5:
                # The deviation of equal numbers may be 0, or a rounding error.
                limit = 8 * np.finfo(result.dtype).eps * np.abs(arguments[0]).max(initial=0)
                result = np.where(np.abs(result) <= limit, result.dtype.type(0), result)
            if name == "reciprocal" and result.dtype.kind in "iu":
                result = np.where(arguments[0] == 0, result.dtype.type(0), result)  # as kgen documents
            if name == "expm1" and result.dtype.kind == "c":
                # exp(-inf + y j) is 0 also for an infinite y and NaN, in NumPy too, but its expm1 gives NaN there.
                result = np.where(np.isneginf(np.real(arguments[0])), result.dtype.type(-1), result)
            is_rounded = name in ("abs", "sign") and np.asarray(arguments[0]).dtype.kind == "c"
            return result if name in EXACT and not is_rounded else self.changed(result)

        return call


def evaluate(text, arrays, generator=None):
    names = {f"x{k}": array for k, array in enumerate(arrays)}
    return np.asarray(eval(text, {"f": Functions(generator), "nan": np.nan, "inf": np.inf, **names}))


def differences(line, arrays, got, expected, samples):
    """Returns what is wrong, or "", and the share of the elements that were compared."""
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return f"{got.dtype} {got.shape}, NumPy {expected.dtype} {expected.shape}", 1
    if got.size == 0:
        return "", 1
    if got.dtype.kind in "biu":
        generator = np.random.default_rng(line["seed"])
        others = [evaluate(line["text"], arrays, generator) for _ in range(samples)]
        # A comparison may turn out differently where its operands are within their rounding errors.
        steady = np.logical_and.reduce([other == expected for other in others])
        wrong = (got != expected) & steady
        compared = steady.mean()
    else:
        generator = np.random.default_rng(line["seed"])
        wide = np.longdouble if got.dtype.kind == "f" else np.clongdouble
        target = expected.astype(wide)
        spread = np.zeros(got.shape)
        for _ in range(samples):
            other = evaluate(line["text"], arrays, generator).astype(wide)
            same = (other == target) | (np.isnan(other) & np.isnan(target))
            spread = np.maximum(spread, np.where(same, 0, np.abs(other - target)))
        limit = 16 * spread + 4 * np.finfo(got.dtype).eps * np.abs(target) + 4 * np.finfo(got.dtype).smallest_subnormal
        value = got.astype(wide)
        same = (value == target) | (np.isnan(value) & np.isnan(target))
        # A result that jumps with the rounding errors is not known; it may be NaN.
        known = np.isfinite(spread) & (same | np.isfinite(value) | (spread <= 0.01 * np.abs(target)))
        near = np.abs(value - target) <= limit
        wrong = ~(same | near) & known
        compared = known.mean()
    if not wrong.any():
        return "", compared
    at = tuple(np.argwhere(wrong)[0]) if got.ndim else ()
    return f"{wrong.sum()} of {got.size} elements differ; at {tuple(map(int, at))} {got[at]!r}, NumPy {expected[at]!r}", compared


def check(line, memory):
    def read(entry):
        dtype = np.dtype(entry["dtype"])
        count = int(np.prod(entry["shape"], dtype=np.int64))
        return np.frombuffer(memory, dtype, count, entry["offset"]).reshape(entry["shape"])

    arrays = [read(each) for each in line.get("arrays", [])]
    refused = ""
    try:
        expected = evaluate(line["text"], arrays)
    except (TypeError, NotImplementedError) as error:
        refused = f"TypeError: {error}"
    except (ValueError, OverflowError) as error:  # np.exceptions.AxisError is a ValueError
        refused = f"ValueError: {error}"
    # NumPy's where() wraps an integer that does not fit the dtype of the other choice.
    if "does not fit" in line.get("error", {}).get("text", "") and "f.where(" in line["text"]:
        return "", 1, "refused"
    # NumPy compares bools only with numbers that fit int64.
    if "too large to convert" in refused and "error" not in line:
        return "", 1, "refused"
    if refused or "error" in line:
        if refused and "error" in line:
            return "", 1, "refused"
        # NumPy's argmin, max and the like of no elements raise an error, also if they have no results.
        if ("attempt to get arg" in refused or "zero-size array to reduction" in refused) and read(line["result"]).size == 0:
            return "", 1, "refused"
        if refused:
            return f"computed, but NumPy: {refused}", 1, "refused"
        return f"refused: {line['error']['text']}", 1, "refused"
    problem, compared = differences(line, arrays, read(line["result"]), expected, samples=6)
    if problem:  # more computations may show that an element depends on rounding errors
        problem, compared = differences(line, arrays, read(line["result"]), expected, samples=200)
    return problem, compared, "computed"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tests")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--rows", action="store_true", help="only statements of rows, which are two of five otherwise")
    parser.add_argument("--show", type=int, default=20)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")

    share = -(-options.count // options.processes)
    running = []
    for k in range(options.processes):
        folder = tempfile.TemporaryDirectory()
        environment = {"KGEN_NUMPY_FOLDER": folder.name, "KGEN_NUMPY_SEED": str(options.seed + k * share),
                       "KGEN_NUMPY_COUNT": str(share), "KGEN_NUMPY_ROWS": str(int(options.rows))}
        process = subprocess.Popen([options.tests, "[expression-numpy]"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   env={**__import__("os").environ, **environment}, text=True)
        running.append((folder, process))

    counts = {"computed": 0, "refused": 0}
    failures = 0
    shares = []
    for folder, process in running:
        output, _ = process.communicate()
        if process.returncode != 0:
            sys.exit(f"{output[-4000:]}\nnumpy_check: {options.tests} failed")
        path = pathlib.Path(folder.name)
        memory = (path / "arrays.bin").read_bytes()
        for text in (path / "expressions.jsonl").read_text().splitlines():
            line = json.loads(text)
            problem, compared, kind = check(line, memory)
            counts[kind] += 1
            shares.append(compared)
            if problem:
                failures += 1
                if failures <= options.show:
                    dtypes = [f"{each['dtype']}{each['shape']}" for each in line.get("arrays", [])]
                    print(f"seed {line['seed']}: {problem}\n    {line['text']}\n    {', '.join(dtypes)}")
    print(f"numpy_check: seed {options.seed}: {counts['computed']} expressions computed, {counts['refused']} refused by both, "
          f"{failures} differ; {100 * np.mean(shares):.1f} % of the elements compared (NumPy {np.__version__})")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

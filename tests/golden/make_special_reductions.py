#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes special_reductions.txt: what NumPy's reductions are of special values. Run it where NumPy is.

A line "rows DTYPE | ITEM ITEM | ITEM | ..." lists inputs, the first without elements; a line "NAME DTYPE RESULT_DTYPE | RESULT |
..." the template's result of each, '!' where there is none. Items are bits in hexadecimal digits, of complex numbers "re,im".

Where kgen's templates differ from NumPy on purpose (kernel_templates/library/README.md), the lines have what kgen promises:
integers and bools of `dot` are summed in 64 bits, `maxnorm` of nothing is 0, `nanargmin` and `nanargmax` of NaN alone or of
nothing are -1 and tell infinities from NaN, norms of float16 are folded in float32, and the sum in `var` and `std` does not
overflow.
"""
import os
import warnings

import numpy as np

warnings.simplefilter("ignore")
nan, inf = np.nan, np.inf

floats = ["float16", "bfloat16", "float32", "float64"]
complexes = ["complex64", "complex128"]
signed = ["int8", "int16", "int32", "int64"]
unsigned = ["uint8", "uint16", "uint32", "uint64"]
whole = ["bool"] + signed + unsigned


def rounded(values):
    """float32 as bfloat16 holds it, to the nearest and even."""
    bits = np.asarray(values, np.float32).reshape(-1).view(np.uint32).astype(np.uint64)
    kept = (bits + 0x7FFF + (bits >> np.uint64(16) & np.uint64(1))) >> np.uint64(16) << np.uint64(16)
    is_nan = np.isnan(np.asarray(values, np.float32).reshape(-1))
    result = kept.astype(np.uint32).view(np.float32).copy()
    result[is_nan] = nan
    return result.reshape(np.shape(values))


def array(dtype, values):
    if dtype == "bfloat16":
        return rounded(np.array(values, np.float32))
    return np.array(values, dtype)


def limits(dtype):
    if dtype == "bfloat16":
        return float(np.array(0x7F7F0000, np.uint32).view(np.float32)), float(np.array(1 << 16, np.uint32).view(np.float32))
    info = np.finfo(dtype)
    return float(info.max), float(info.smallest_subnormal)


def rows(dtype):
    if dtype == "bool":
        return [[], [0], [1], [0, 0], [0, 1], [1, 0], [1, 1], [0, 1, 1]]
    if dtype in whole:
        info = np.iinfo(dtype)
        low, high = int(info.min), int(info.max)
        return [[], [0], [1], [low], [high], [low, high], [high, low], [high, high], [low, low], [1, 1, 1], [2, 3, 2],
                [high, 0, high], [low, 5, low]]
    most, least = limits(dtype if dtype in floats else {"complex64": "float32", "complex128": "float64"}[dtype])
    if dtype in complexes:
        c = complex
        parts = [0.0, -0.0, 1.0, inf, -inf, nan]
        singles = [[c(re, im)] for re in parts for im in parts if re != im or re in (1.0, inf) or re != re]
        return [[]] + singles + [[c(nan, 1), c(1, 2)], [c(1, 2), c(1, nan)], [c(inf, 1), c(2, 3)], [c(inf, 0), c(-inf, 0)],
                                 [c(3, 4), c(0, -12), c(0, 0)], [c(1, 1), c(nan, nan), c(2, 0)], [c(most, 0)]]
    singles = [0.0, -0.0, 1.0, -2.0, most, -most, least, inf, -inf, nan, -nan]
    pairs = [(nan, 1), (1, nan), (nan, inf), (-inf, nan), (nan, nan), (inf, 1), (-2, inf), (-inf, 1), (inf, inf), (-inf, -inf),
             (inf, -inf), (-inf, inf), (0.0, -0.0), (-0.0, 0.0), (-0.0, -0.0), (most, most), (-most, most), (most, inf), (1, 1)]
    triples = [(nan, 3, 1), (3, nan, 1), (3, 1, nan), (inf, 3, 1), (3, -inf, 1), (3, 1, inf), (nan, inf, 2), (inf, 2, nan),
               (nan, nan, 1), (1, nan, nan), (2, 2, 2), (1, 3, 3), (-inf, -inf, 2), (nan, nan, nan), (0.0, nan, -0.0)]
    return [[]] + [[v] for v in singles] + [list(p) for p in pairs + triples]


def wide(x):
    """As kgen folds it: narrow floats in float32, integers in 64 bits."""
    if x.dtype.kind in "bi":
        return x.astype(np.int64)
    return x.astype(np.uint64) if x.dtype.kind == "u" else x.astype(np.float32) if x.dtype == np.float16 else x


def real(x):
    return x.astype(np.float64) if x.dtype.kind in "biu" else wide(x)


def unless_empty(function):
    return lambda x: function(x) if x.size else None


def nan_place(function):
    def place(x):
        places = np.flatnonzero(x == x)
        return places[function(x[places])] if places.size else -1
    return place


def variance(x):
    return (x.astype(np.longdouble) if x.dtype == np.float64 else x.astype(np.float64)).var()


same, boolean, index, floating, summed = range(5)
ordered = whole + floats
all_types = ordered + complexes
templates = {
    "sum": (all_types, summed, lambda x: wide(x).sum()),
    "sum_compensated": (["float32", "float64"], same, np.sum),
    "prod": (all_types, summed, lambda x: wide(x).prod()),
    "min": (ordered, same, unless_empty(np.min)),
    "max": (ordered, same, unless_empty(np.max)),
    "argmin": (ordered, index, unless_empty(np.argmin)),
    "argmax": (ordered, index, unless_empty(np.argmax)),
    "any": (all_types, boolean, np.any),
    "all": (all_types, boolean, np.all),
    "count_nonzero": (all_types, index, np.count_nonzero),
    "l1norm": (all_types, floating, lambda x: np.abs(real(x)).sum()),
    "l2norm": (all_types, floating, lambda x: np.linalg.norm(real(x)) if x.size else real(x).dtype.type(0)),
    "maxnorm": (all_types, floating, lambda x: np.abs(real(x)).max() if x.size else real(x).dtype.type(0)),
    "dot": (all_types, summed, lambda x: (wide(x) * wide(x)).sum()),  # np.dot of complex NaN depends on its BLAS
    "mean": (all_types, floating, lambda x: real(x).mean()),
    "var": (ordered, floating, lambda x: variance(real(x))),
    "std": (ordered, floating, lambda x: np.sqrt(variance(real(x)).astype(real(x).dtype))),
    "logsumexp": (ordered, floating, lambda x: np.logaddexp.reduce(real(x)) if x.size else -inf),
    "nansum": (all_types, summed, lambda x: np.nansum(wide(x))),
    "nanprod": (all_types, summed, lambda x: np.nanprod(wide(x))),
    "nanmin": (ordered, same, unless_empty(np.nanmin)),
    "nanmax": (ordered, same, unless_empty(np.nanmax)),
    "nanargmin": (ordered, index, nan_place(np.argmin)),
    "nanargmax": (ordered, index, nan_place(np.argmax)),
    "nanmean": (ordered, floating, lambda x: np.nanmean(real(x))),
}


def result_type(rule, dtype):
    if rule == boolean:
        return "bool"
    if rule == index:
        return "int64"
    if rule == floating:
        return "float64" if dtype in whole else dtype
    if rule == summed and dtype in whole:
        return "uint64" if dtype in unsigned else "int64"
    return dtype


def hexadecimal(dtype, value):
    """The bits of one item."""
    if dtype in complexes:
        part = {"complex64": "float32", "complex128": "float64"}[dtype]
        value = np.complex128(value) if dtype == "complex128" else np.complex64(value)
        return hexadecimal(part, value.real) + "," + hexadecimal(part, value.imag)
    if dtype == "bfloat16":
        return f"{int(rounded(np.float32(value)).reshape(1).view(np.uint32)[0]) >> 16:x}"
    item = np.array(value).astype(dtype).reshape(1)
    return f"{int(item.view(f'u{item.itemsize}')[0]):x}"


def lines():
    tested = ["bool", "int8", "int64", "uint8", "uint64"] + floats + complexes
    for dtype in tested:
        inputs = rows(dtype)
        yield " | ".join([f"rows {dtype}"] + [" ".join(hexadecimal(dtype, v) for v in array(dtype, row)) for row in inputs])
        for name, (dtypes, rule, function) in templates.items():
            if dtype not in dtypes:
                continue
            results = [function(array(dtype, row)) for row in inputs]
            norms = name in ("l1norm", "maxnorm", "l2norm")
            # What abs() of a complex number gives is real.
            of = {"complex64": "float32", "complex128": "float64"}.get(dtype) if norms else None
            of = of or result_type(rule, dtype)
            yield " | ".join([f"{name} {dtype} {of}"] + ["!" if r is None else hexadecimal(of, r) for r in results])


path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "special_reductions.txt")
with open(path, "w") as file:
    file.write("\n".join(lines()) + "\n")

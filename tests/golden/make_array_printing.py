#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes array_printing.txt: what NumPy (2.3 or newer) prints for many arrays. Run it where NumPy is.

A case is a line of JSON. Its "array" is "DTYPE SHAPE bits HEX..." (one item, or for complex two parts, each a
number) or "DTYPE SHAPE arange START STEP". Its "text" is what str() gives, or array2string() if it has "options".
"""
import json
import os
import numpy as np

random = np.random.default_rng(7)
cases = []


def shape_text(shape):
    return "x".join(map(str, shape)) or "scalar"


options = {}


def emit(line, array):
    case = {"array": line, "text": str(array)}
    if options:
        given = {option_names.get(name, name): option_values.get(value, value) for name, value in options.items()}
        case = {"array": line, "options": options, "text": np.array2string(array, **given)}
    cases.append(json.dumps(case))


# kgen's names of NumPy's options, and of their values.
option_names = {"edge_items": "edgeitems", "line_width": "max_line_width"}
option_values = {"plus": "+", "space": " "}


def bits(array):
    array = np.ascontiguousarray(array).reshape(np.shape(array))
    parts = array.view(array.real.dtype) if array.dtype.kind == "c" and array.ndim else array
    if array.dtype.kind == "c" and not array.ndim:
        parts = array.reshape(1).view(array.real.dtype)
    raw = parts.reshape(-1).view(f"u{parts.dtype.itemsize}")
    emit(f"{array.dtype} {shape_text(array.shape)} bits " + " ".join(f"{v:x}" for v in raw), array)


def arange(dtype, shape, start, step):
    count = int(np.prod(shape, dtype=np.int64))
    array = (start + np.arange(count) * step).astype(dtype).reshape(shape)
    emit(f"{array.dtype} {shape_text(shape)} arange {start} {step}", array)


floats = [np.float16, np.float32, np.float64]
special = [0.0, -0.0, np.nan, np.inf, -np.inf]
np.seterr(all="ignore")

# --- Integers and bool: widths, negative numbers, line breaks, cut arrays -------------------------
for dtype in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64):
    info = np.iinfo(dtype)
    bits(np.array(info.max, dtype))
    bits(np.array([info.min, 0, info.max], dtype))
    bits(np.array([[1, 20], [info.max, 4]], dtype))
arange(np.int64, (2, 5), 0, 1)
arange(np.int32, (100,), 0, 1)
arange(np.int32, (1000,), -500, 1)
arange(np.int32, (1001,), -500, 1)
arange(np.int64, (3, 4, 5), 0, 7)
arange(np.int64, (2, 1, 3, 2), 0, 100)
arange(np.int64, (40, 40), 0, 1)
arange(np.int64, (2, 3, 500), 0, 1)
arange(np.int64, (600, 2), 0, 1)
arange(np.int16, (12, 11, 10), 0, 1)
arange(np.uint8, (7, 7, 7, 7), 0, 0)
arange(np.int64, (5, 30), 10**9, 1)
arange(np.int64, (1,) * 16, 3, 1)
arange(np.int64, (2,) * 8, 0, 1)
arange(np.int64, (4, 40), -(10**17), 10**15)
for shape in ((0,), (3, 0), (0, 4), (2, 0, 3)):
    arange(np.float32, shape, 0, 1)
bits(np.array(True))
bits(np.array(False))
bits(np.array([True, False]))
bits(np.array([[True], [True]]))
bits(random.random(30) < 0.5)

# --- Floats ---------------------------------------------------------------------------------------
for dtype in floats:
    info = np.finfo(dtype)
    scalars = special + [1, -2.5, 0.1, 1e-4, 9e-5, 999, 1000, 65504, 1e5, 999999, 1e6, 123456789, 1e15,
                         1e16, 1e17, 3.14159265358979, 1 / 3, info.max, info.tiny,
                         info.smallest_subnormal, info.eps]
    for value in scalars:
        value = np.array(value).astype(dtype)
        bits(value)
        bits(value.reshape(1))
        bits(np.array([value, 0.1], dtype))
    bits(np.array(special, dtype))
    bits(np.array([np.nan, 1], dtype))
    bits(np.array([-np.inf, 1], dtype))
    bits(np.array([np.inf, 1e5], dtype))
    bits(np.array([np.nan, np.inf], dtype))
    bits(np.array([np.nan, 1e-7, 1], dtype))
    bits(np.array([-1, 1e-6], dtype))
    bits(np.array([0.5, 1000, 1000.5, 500.5], dtype))
    bits(np.array([1, 1001], dtype))
    bits(np.array([0.0001, 0.1], dtype))
    for scale in (-6, -3, 0, 2, 5):
        for size in (2, 4, 9):
            bits((random.standard_normal(size) * 10.0**scale).astype(dtype))
    for size in (3, 6):
        bits(2.0 ** random.integers(-14, 15, size).astype(dtype))
        raw = random.integers(0, 2**63, size, dtype=np.uint64) >> (64 - 8 * info.dtype.itemsize)
        bits(raw.astype(f"u{info.dtype.itemsize}").view(dtype))
    bits(random.integers(0, 1000, 5).astype(dtype))
    bits(np.round(random.random(20), 2).astype(dtype))
    bits(random.random((3, 9)).astype(dtype))
    arange(dtype, (2, 5), 0, 1)
    arange(dtype, (26, 50), 0, 0.25)
    arange(dtype, (3, 4, 2), -1.5, 0.125)
bits(np.array([1.00000001, 1.000000001, 2.5]))
bits(np.array([0.123456785, 0.000123456785]))
bits(np.array([99999999.0, 0.5]) / 1000)
bits(np.array([9.9999999999, 1.0]))
bits(np.array([9.9999999999e-9, 1.0]))
bits(np.array([1e100, 1e-100]))
bits(np.array([1e-300, 1e-5]))

# --- Complex --------------------------------------------------------------------------------------
for dtype in (np.complex64, np.complex128):
    for value in (1 + 2j, 2j, complex(-0.0, 2), complex(np.nan, np.inf), complex(0, np.nan), 0,
                  complex(np.inf, -np.inf), 1e20 + 1j, 0.1 - 3j, complex(1, -0.0), 123456 + 1e6j):
        value = np.array(value).astype(dtype)
        bits(value)
        bits(value.reshape(1))
        bits(np.array([value, 0.25 - 10j], dtype))
    for scale in (-6, 0, 4):
        values = random.standard_normal(5) * 10.0**scale + 1j * random.standard_normal(5)
        bits(values.astype(dtype))
    bits(np.array([[1, 2j], [np.nan, -1 - 1j]], dtype))
    arange(dtype, (60, 20), 0, 0.5)

# --- Options --------------------------------------------------------------------------------------
sets = [{"precision": 0}, {"precision": 3}, {"precision": 17}, {"sign": "plus"}, {"sign": "space"},
        {"suppress_small": True}, {"suppress_small": True, "precision": 2, "sign": "space"},
        {"threshold": 5, "edge_items": 1}, {"threshold": 0, "edge_items": 2, "line_width": 30},
        {"line_width": 1}]
for options in sets:
    for dtype in floats:
        bits(random.standard_normal(4).astype(dtype))
        bits(np.abs(random.standard_normal((2, 3)) * 100).astype(dtype))
        bits(np.array([0.00001, 1, np.nan], dtype))
        bits(np.array([1e-7, 0.5, 12345.678], dtype))
        bits(np.array([-np.inf, 2.5], dtype))
        bits(np.array([np.inf, 9.99], dtype))
        bits(np.array([1.5, 2.5, 10], dtype))
        bits(np.array(3.14159).astype(dtype))
        bits(np.array(100).astype(dtype))
        arange(dtype, (3, 8), 0, 0.25)
    bits((random.standard_normal(3) + 1j * random.standard_normal(3)).astype(np.complex64))
    bits(np.array([1, 1e-9 + 2j, complex(np.nan, -np.inf)]))
    bits(np.array([1, 20, 300], np.int32))
    bits(np.array([1, -20, 3], np.int8))
    bits(np.array([-1, -20], np.int8))
    bits(np.array([7, 200], np.uint8))
    bits(np.array(5))
    bits(np.array([True, False]))
    arange(np.int64, (4, 5), 0, 1)
    arange(np.int64, (5, 2, 6), -3, 1)
    arange(np.float32, (0, 3), 0, 1)

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "array_printing.txt")
with open(path, "w", encoding="ascii") as file:
    file.write(f"# What NumPy {np.__version__} prints; written by make_array_printing.py.\n")
    file.write("\n".join(cases) + "\n")
print(f"{len(cases)} cases")

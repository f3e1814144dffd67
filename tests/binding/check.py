# SPDX-License-Identifier: MIT
"""Uses kgen from Python through the C functions of binding.h, with ctypes alone.

    python3 check.py libkgen_binding.so

Defines kernels, calls them with any number of arguments, reads the parts of errors, lists the parameters of a
raw kernel and supplies memory. No message is searched for text.
"""
import ctypes
import struct
import sys

ARRAY, NUMBER, BYTES = range(3)
FORMATS = {"float32": "f", "float64": "d", "int32": "i", "int8": "b"}


class Argument(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("array", ctypes.c_void_p), ("dtype", ctypes.c_char_p),
                ("bytes", ctypes.c_char_p), ("byte_count", ctypes.c_size_t), ("alignment", ctypes.c_size_t)]


class Parameter(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("name", "type", "kind", "dtype")]
    _fields_ += [("size_bytes", ctypes.c_size_t), ("alignment", ctypes.c_size_t)]


class ErrorParts(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("type", "kind", "parameter", "expected", "got", "message")]


class KgenError(Exception):
    def __init__(self):
        parts = library.binding_error()
        for name, _ in ErrorParts._fields_:
            setattr(self, name, getattr(parts, name).decode())
        super().__init__(self.message)

    def parts(self):
        return (self.type, self.kind, self.parameter, self.expected, self.got)


library = ctypes.CDLL(sys.argv[1])
for name in ("binding_array", "binding_elementwise", "binding_raw"):
    getattr(library, name).restype = ctypes.c_void_p
library.binding_array.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(ctypes.c_int64)]
library.binding_elementwise.argtypes = [ctypes.c_char_p] * 4
library.binding_raw.argtypes = [ctypes.c_char_p] * 2
library.binding_free.argtypes = [ctypes.c_void_p]
library.binding_free.restype = None
library.binding_call.argtypes = [ctypes.c_void_p, ctypes.POINTER(Argument), ctypes.c_size_t,
                                 ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t]
library.binding_launch.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.POINTER(Argument),
                                   ctypes.c_size_t]
library.binding_parameters.argtypes = [ctypes.c_void_p, ctypes.POINTER(Parameter), ctypes.c_int]
library.binding_log.argtypes = [ctypes.c_void_p]
library.binding_log.restype = ctypes.c_char_p
library.binding_set_allocator.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
library.binding_error.restype = ErrorParts


def checked(result):
    if not result:
        raise KgenError()
    return result


class Object:
    def __init__(self, handle):
        self.handle = checked(handle)

    def __del__(self):
        if hasattr(self, "handle"):
            library.binding_free(self.handle)


class Array(Object):
    def __init__(self, values, dtype="float32"):
        self.buffer = (dict(f=ctypes.c_float, d=ctypes.c_double, i=ctypes.c_int32, b=ctypes.c_int8)
                       [FORMATS.get(dtype, "f")] * len(values))(*values)
        shape = (ctypes.c_int64 * 1)(len(values))
        super().__init__(library.binding_array(ctypes.addressof(self.buffer), dtype.encode(), 1, shape))

    def list(self):
        return list(self.buffer)


class Number:
    def __init__(self, value, dtype):
        self.value, self.dtype = value, dtype


class Struct:
    def __init__(self, layout, *values, alignment=0):
        self.data, self.alignment = struct.pack(layout, *values), alignment


def arguments(values):
    made = (Argument * len(values))()
    for argument, value in zip(made, values):
        if isinstance(value, Array):
            argument.kind, argument.array = ARRAY, value.handle
            continue
        if isinstance(value, Struct):
            argument.kind, argument.bytes, argument.alignment = BYTES, value.data, value.alignment
            argument.byte_count = len(value.data)
            continue
        if not isinstance(value, Number):
            value = Number(value, "float64" if isinstance(value, float) else "int32")
        argument.kind, argument.dtype = NUMBER, value.dtype.encode()
        argument.bytes = struct.pack(FORMATS[value.dtype], value.value)
        argument.byte_count = struct.calcsize(FORMATS[value.dtype])
    return made


class Elementwise(Object):
    def __init__(self, inputs, outputs, operation, name):
        super().__init__(library.binding_elementwise(*(text.encode() for text in (inputs, outputs, operation, name))))

    def __call__(self, *values, out):
        handles = (ctypes.c_void_p * len(out))(*(array.handle for array in out))
        checked(library.binding_call(self.handle, arguments(values), len(values), handles, len(out)))


class Raw(Object):
    def __init__(self, code, name):
        super().__init__(library.binding_raw(code.encode(), name.encode()))

    def __call__(self, grid, block, *values):
        checked(library.binding_launch(self.handle, grid, block, arguments(values), len(values)))

    def parameters(self):
        list_of = (Parameter * 8)()
        count = library.binding_parameters(self.handle, list_of, 8)
        if count < 0:
            raise KgenError()
        return [(each.name.decode(), each.type.decode(), each.kind.decode(), each.dtype.decode(),
                 each.size_bytes, each.alignment) for each in list_of[:count]]


def error_of(work):
    try:
        work()
    except KgenError as error:
        return error.parts()
    raise AssertionError("no error")


def check(got, expected):
    if got != expected:
        raise AssertionError(f"got {got}, expected {expected}")


def check_calls():
    x, y, z = Array([1, 2, 3]), Array([10, 20, 30]), Array([0, 0, 0])
    names = "abcdefghkl"
    for count in (1, 2, 3, 10):  # one path for any number of arguments
        total = Elementwise(", ".join(f"T {name}" for name in names[:count]), "T z",
                            "z = " + " + ".join(names[:count]), f"total_{count}")
        total(*[x] * count, out=[z])
        check(z.list(), [count * value for value in (1, 2, 3)])
    axpy = Elementwise("T a, T x, T y", "T z", "z = a * x + y", "axpy")
    axpy(2, x, y, out=[z])
    check(z.list(), [12, 24, 36])
    split = Elementwise("T x", "T lo, T hi", "lo = x - 1; hi = x + 1", "split")
    split(x, out=[y, z])
    check((y.list(), z.list()), ([0, 1, 2], [2, 3, 4]))


def check_errors():
    x, z = Array([1, 2, 3]), Array([0, 0, 0])
    axpy = Elementwise("float32 a, T x", "T z", "z = a * x", "scale")
    check(error_of(lambda: axpy(x, out=[z])), ("TypeError", "argument_count", "", "2", "1"))
    check(error_of(lambda: axpy(2, x, out=[Array([0, 0])])), ("ShapeError", "shape", "z", "(3,)", "(2,)"))
    check(error_of(lambda: axpy(Array([1, 2, 3], "int32"), x, out=[z])),
          ("TypeError", "dtype", "a", "float32", "int32"))
    check(error_of(lambda: Array([1], "flaot32")), ("TypeError", "name", "", "", "flaot32"))
    check(error_of(lambda: Elementwise("flaot32 x", "T y", "y = x", "k"))[0], "SignatureError")
    check(error_of(lambda: Raw("__global__ void k( {}", "k").parameters())[0], "CompileError")


def check_raw():
    raw = Raw("""
#pragma message("a note that a binding can show")
struct Step { double size; int count; };
extern "C" __global__ void advance(const float* x, Step step, signed char sign, float* y) {
    y[threadIdx.x] = x[threadIdx.x] + sign * step.size * step.count;
}""", "advance")
    check(raw.parameters(), [("x", "const float*", "pointer", "float32", 8, 8), ("step", "Step", "value", "", 16, 8),
                             ("sign", "signed char", "number", "int8", 1, 1), ("y", "float*", "pointer", "float32", 8, 8)])
    x, y = Array([1, 2, 3]), Array([0, 0, 0])
    raw(1, 3, x, Struct("=di4x", 0.5, 4, alignment=8), 1, y)
    check(y.list(), [3, 4, 5])
    check(error_of(lambda: raw(1, 3, x, Struct("=di", 0.5, 4), 1, y)),
          ("TypeError", "argument_type", "2", "16 bytes", "12 bytes"))
    check(error_of(lambda: raw(1, 3, x, Struct("=di4x", 0.5, 4), 300, y)), ("TypeError", "value", "3", "int8", "300"))
    check(bool(library.binding_log(raw.handle)), True)


def check_allocator():
    allocate_type = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
    free_type = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
    blocks, calls, refuses = {}, [], []

    def allocate(count, stream):
        if refuses:
            return None
        calls.append(count)
        memory = ctypes.create_string_buffer(count + 64)
        address = (ctypes.addressof(memory) + 63) // 64 * 64
        blocks[address] = memory
        return address

    def free(address, count, stream):
        del blocks[address]

    functions = (allocate_type(allocate), free_type(free))
    checked(library.binding_set_allocator(*(ctypes.cast(each, ctypes.c_void_p) for each in functions)))
    x, z = Array([1, 2, 3, 4, 5, 6]), Array([0, 0, 0, 0, 0, 0])
    new = Elementwise("T x", "T y", "y = x + 1", "new_output")
    new(x, out=[])
    check((len(calls), blocks), (1, {}))  # kgen allocated the output, which the binding dropped
    refuses.append(True)
    check(error_of(lambda: new(x, out=[]))[0], "DeviceError")
    refuses.clear()
    check(library.binding_set_allocator(ctypes.cast(functions[0], ctypes.c_void_p), None), 0)
    check(KgenError().parts(), ("TypeError", "argument_count", "free", "a function", "none"))
    checked(library.binding_set_allocator(None, None))
    new(x, out=[z])
    check(z.list(), [2, 3, 4, 5, 6, 7])
    check(blocks, {})


for step in (check_calls, check_errors, check_raw, check_allocator):
    step()
print("ok")

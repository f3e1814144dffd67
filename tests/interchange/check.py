"""Passes tensors of PyTorch and arrays of CuPy through a kernel of kgen and back, without a copy, on streams of these libraries.

    python3 check.py libkgen_interchange.so

Needs a GPU, PyTorch and CuPy. Prints a line for each check; the exit status is the number of failed checks.
"""
import ctypes
import gc
import sys
import threading

import cupy
import torch

VERSIONED, UNVERSIONED = b"dltensor_versioned", b"dltensor"
library = ctypes.CDLL(sys.argv[1])
python = ctypes.pythonapi
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
names = []  # keeps the names of capsules alive, because a capsule only refers to its name
streams = []  # keeps streams alive, because memory is freed on the stream that made it, and CuPy destroys its streams

for function in ("interchange_twice", "interchange_twice_unversioned", "interchange_twice_elsewhere"):
    getattr(library, function).restype = ctypes.c_void_p
    getattr(library, function).argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_char_p]
library.interchange_arange.restype = ctypes.c_void_p
library.interchange_arange.argtypes = [ctypes.c_int64, ctypes.c_int, ctypes.c_char_p]
library.interchange_used_bytes.restype = ctypes.c_uint64


class Producer:
    """An object that the libraries' from_dlpack accepts."""

    def __init__(self, pointer, name):
        self.capsule = python.PyCapsule_New(pointer, name, None)

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return (2, 0)


def pointer_of(capsule, name):
    """Takes the tensor out of its capsule and renames the capsule, as DLPack requires."""
    pointer = python.PyCapsule_GetPointer(capsule, name)
    used = b"used_" + name
    names.append(used)
    python.PyCapsule_SetName(capsule, used)
    return pointer


def call(function, capsule, name, stream):
    seen = (ctypes.c_uint64 * 2)()
    error = ctypes.create_string_buffer(1000)
    result = getattr(library, function)(pointer_of(capsule, name), stream, seen, error)
    if not result:
        raise RuntimeError(error.value.decode())
    return Producer(result, name), seen


class Torch:
    name = "PyTorch"
    arange = staticmethod(lambda n: torch.arange(n, dtype=torch.float32, device="cuda"))
    address = staticmethod(lambda x: x.data_ptr())
    take = staticmethod(torch.from_dlpack)
    used = staticmethod(torch.cuda.memory_allocated)
    stream = staticmethod(torch.cuda.Stream)
    scope = staticmethod(torch.cuda.stream)
    handle = staticmethod(lambda s: s.cuda_stream)
    same = staticmethod(lambda a, b: bool((a == b).all().item()))


class CuPy:
    name = "CuPy"
    arange = staticmethod(lambda n: cupy.arange(n, dtype=cupy.float32))
    address = staticmethod(lambda x: x.data.ptr)
    take = staticmethod(cupy.from_dlpack)
    used = staticmethod(lambda: cupy.get_default_memory_pool().used_bytes())
    stream = staticmethod(lambda: cupy.cuda.Stream(non_blocking=True))
    scope = staticmethod(lambda s: s)
    handle = staticmethod(lambda s: s.ptr)
    same = staticmethod(lambda a, b: bool((a == b).all()))


failures = 0


def check(what, is_right):
    global failures
    failures += not is_right
    print(("ok      " if is_right else "FAILED  ") + what)


def through(module, function, name, versions):
    stream = module.stream()
    streams.append(stream)
    with module.scope(stream):
        x = module.arange(1 << 20)
        for _ in range(20):
            x = x + 1  # work that must be done before the kernel runs
        handle = module.handle(stream)
        capsule = x.__dlpack__(stream=handle, **versions)
        back, seen = call(function, capsule, name, handle)
        y = module.take(back)
        right = module.same(y, 2 * x)
        addresses = seen[0] == module.address(x) and seen[1] == module.address(y)
    stream.synchronize()
    return right, addresses


for module in (Torch, CuPy):
    for function, name, versions in (
        ("interchange_twice", VERSIONED, {"max_version": (1, 1)}),
        ("interchange_twice_unversioned", UNVERSIONED, {}),
        ("interchange_twice_elsewhere", VERSIONED, {"max_version": (1, 1)}),
    ):
        right, addresses = through(module, function, name, versions)
        check(f"{module.name}, {function}: the right values on a stream of theirs", right)
        check(f"{module.name}, {function}: the same addresses, nothing is copied", addresses)
    gc.collect()
    used, ours = module.used(), library.interchange_used_bytes()
    for _ in range(50):
        through(module, "interchange_twice", VERSIONED, {"max_version": (1, 1)})
    gc.collect()
    check(f"{module.name}: what went through is freed", module.used() == used)
    check(f"{module.name}: what kgen made is freed", library.interchange_used_bytes() == ours)
    # A capsule that was not consumed deletes its tensor, which must not free memory that x still holds.
    x = module.arange(8)
    capsule = x.__dlpack__(stream=1, max_version=(1, 1))
    del capsule
    check(f"{module.name}: a tensor outlives a capsule that nobody took", module.same(x, module.arange(8)))


# PyTorch captures a stream on which kgen works, while kgen also works on another thread.
library.interchange_add_seven.restype = ctypes.c_void_p
library.interchange_add_seven.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64,
                                          ctypes.c_char_p]
library.interchange_work_aside.restype = ctypes.c_void_p
library.interchange_work_aside.argtypes = [ctypes.c_int, ctypes.c_char_p]
for mode in ("global", "thread_local", "relaxed"):
    for repetition in range(5):
        x, y = torch.zeros(1 << 16, device="cuda"), torch.zeros(1 << 16, device="cuda")
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        inside, aside = ctypes.create_string_buffer(1000), ctypes.create_string_buffer(1000)
        thread = threading.Thread(target=library.interchange_work_aside, args=(30, aside))
        what = f"PyTorch captures in the mode {mode}"
        try:
            with torch.cuda.graph(graph, capture_error_mode=mode):
                thread.start()  # not earlier, because PyTorch first waits for the device, which would end captures of kgen
                twice = x * 2
                for _ in range(20):
                    library.interchange_add_seven(twice.data_ptr(), y.data_ptr(), twice.numel(),
                                                  torch.cuda.current_stream().cuda_stream, inside)
                y.add_(1)
            thread.join()
            right = True
            for value in (1, 5):
                x.fill_(value)
                graph.replay()
                right &= bool((y == 2 * value + 8).all().item())
            check(f"{what}: {(inside.value + aside.value).decode()}", right and not inside.value and not aside.value)
        except RuntimeError as lost:
            if thread.ident is not None:
                thread.join()
            check(f"{what}: {lost}, {(inside.value + aside.value).decode()}", False)
        del graph
gc.collect()

error = ctypes.create_string_buffer(1000)
numbers = CuPy.take(Producer(library.interchange_arange(5, 0, error), VERSIONED))
check("CuPy takes an array of kgen's", numbers.tolist() == [0, 1, 2, 3, 4])
numbers = Torch.take(Producer(library.interchange_arange(5, 1, error), VERSIONED))
check("PyTorch takes a read-only array of kgen's", numbers.tolist() == [0, 1, 2, 3, 4])
try:
    host = torch.arange(4)
    python_tensor = host.__dlpack__(max_version=(1, 1))
    _, seen = call("interchange_twice", python_tensor, VERSIONED, 1)
    check("PyTorch: memory of the host stays there", seen[0] == host.data_ptr())
except RuntimeError as refused:
    check(f"PyTorch: memory of the host: {refused}", False)
sys.exit(failures)

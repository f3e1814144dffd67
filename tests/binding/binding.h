/* SPDX-License-Identifier: MIT
 *
 * A small binding of kgen to C, for check.py. It shows what a binding to another language needs, and uses only
 * what is public. docs/guide-bindings.md explains it.
 *
 * Each function that can fail returns 0, or nullptr, if it does. binding_error() then tells why. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#define BINDING_EXPORT __attribute__((visibility("default")))

typedef struct BindingObject BindingObject; /* an array, a kernel or a raw kernel */

/* One argument: an array, a number (the bytes of one element of `dtype`), or the bytes of a struct. */
enum { BINDING_ARRAY, BINDING_NUMBER, BINDING_BYTES };
typedef struct {
    int kind;
    const BindingObject* array;
    const char* dtype;
    const void* bytes;
    size_t byte_count;
    size_t alignment; /* of the struct; 0 if unknown */
} BindingArgument;

/* A parameter of a raw kernel. The texts are valid until the kernel is freed or listed again. */
typedef struct {
    const char* name;
    const char* type;
    const char* kind; /* "pointer", "number", "value", "array" or "unknown" */
    const char* dtype; /* "" if there is none */
    size_t size_bytes;
    size_t alignment;
} BindingParameter;

/* The parts of the last error of this thread, valid until the next error of the thread. */
typedef struct {
    const char* type; /* the exception's class */
    const char* kind;
    const char* parameter;
    const char* expected;
    const char* got;
    const char* message;
} BindingError;

/* An array that views the caller's memory in C order. */
BINDING_EXPORT BindingObject* binding_array(void* data,
                                            const char* dtype,
                                            int rank,
                                            const int64_t* shape);
BINDING_EXPORT BindingObject* binding_elementwise(const char* inputs,
                                                  const char* outputs,
                                                  const char* operation,
                                                  const char* name);
BINDING_EXPORT BindingObject* binding_raw(const char* code, const char* name);
BINDING_EXPORT void binding_free(BindingObject* object);

BINDING_EXPORT int binding_call(const BindingObject* kernel,
                                const BindingArgument* arguments,
                                size_t count,
                                const BindingObject* const* outputs,
                                size_t output_count);
BINDING_EXPORT int binding_launch(const BindingObject* raw,
                                  int64_t grid,
                                  int64_t block,
                                  const BindingArgument* arguments,
                                  size_t count);

/* Lists the parameters. Returns their number, of which at most `limit` are written to `parameters`. -1 if it
 * fails. */
BINDING_EXPORT int binding_parameters(BindingObject* raw, BindingParameter* parameters, int limit);
BINDING_EXPORT const char* binding_log(BindingObject* raw);

/* Supplies the memory of arrays by two C functions; both null to use kgen's own memory again. */
BINDING_EXPORT int binding_set_allocator(void* (*allocate)(size_t bytes, void* stream),
                                         void (*free)(void* pointer, size_t bytes, void* stream));

BINDING_EXPORT BindingError binding_error(void);

#ifdef __cplusplus
}
#endif

// SPDX-License-Identifier: MIT
//
// Handwritten sources in the form of generated ones: they define everything that a host kernel must define.
#pragma once

#include <string>

namespace kgen::test {

// The table of calls, and the handler that the compilers call for an integer division without a
// result. g++ and clang use the same layouts (compiler-rt, ubsan_value.h and ubsan_handlers.h).
// A value of up to 64 bits is passed in the register itself.
inline const std::string host_prologue = R"(
struct HostCalls {
    void (*division_failed)(const char* file, unsigned line, unsigned column, bool is_signed,
                            unsigned long long left, unsigned long long right);
};
struct kgen_Location { const char* file; unsigned line; unsigned column; };
struct kgen_Type { unsigned short kind; unsigned short info; char name[1]; };  // info: signed, log2 of bits
struct kgen_Division { kgen_Location location; const kgen_Type* type; };
static const HostCalls* kgen_calls;  // the same table at every call

static unsigned long long kgen_value(const kgen_Type* type, __UINTPTR_TYPE__ bits) {
    const unsigned width = 1u << (type->info >> 1);
    unsigned long long value = width <= 64 ? bits : *(const unsigned long long*)bits;
    if (width < 64) {
        value <<= 64 - width;
        value = type->info & 1 ? (unsigned long long)((long long)value >> (64 - width)) : value >> (64 - width);
    }
    return value;
}
extern "C" __attribute__((visibility("hidden"), noinline, cold)) void __ubsan_handle_divrem_overflow_abort(
    kgen_Division* data, __UINTPTR_TYPE__ left, __UINTPTR_TYPE__ right) {
    kgen_calls->division_failed(data->location.file, data->location.line, data->location.column,
                                data->type->info & 1, kgen_value(data->type, left),
                                kgen_value(data->type, right));
    __builtin_unreachable();
}
#define KGEN_ENTRY(name) extern "C" __attribute__((visibility("default"))) void name( \
    const void* parameters, const HostCalls* calls, long long begin, long long end)
)";

// Computes z[i] from x[i] and y[i] by the expression, which is line 1 of "<name> (operation)".
inline std::string binary_kernel(const std::string& symbol,
                                 const std::string& type,
                                 const std::string& expression,
                                 const std::string& name) {
    return host_prologue + "struct Parameters { const " + type + "* x; const " + type + "* y; " +
           type + "* z; };\nKGEN_ENTRY(" + symbol + ") {\n" +
           "    __atomic_store_n(&kgen_calls, calls, __ATOMIC_RELAXED);\n"
           "    const Parameters p = *(const Parameters*)parameters;\n"
           "    for (long long k = begin; k < end; ++k) {\n"
           "        const " +
           type + " x = p.x[k], y = p.y[k]; " + type + " z;\n#line 1 \"" + name +
           " (operation)\"\n" + expression + "\n        ;\n        p.z[k] = z;\n    }\n}\n";
}

}  // namespace kgen::test

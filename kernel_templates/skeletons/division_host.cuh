// SPDX-License-Identifier: MIT
// kgen: reports integer divisions that have no result (x / 0, the least number / -1) to kgen. The
// compilers insert the checks and calls of the handler below, so no library is linked.
struct kgen_host_calls {
    void (*kgen_division_failed)(const char* file, unsigned line, unsigned column, bool is_signed,
                                 unsigned long long left, unsigned long long right);
};
static const kgen_host_calls* kgen_calls;
struct kgen_checked_type { unsigned short kgen_kind, kgen_info; };  // info: bit 0 is set if signed; the rest is log2 of the bits
struct kgen_checked_place {
    const char* kgen_file;
    unsigned kgen_line, kgen_column;
    const kgen_checked_type* kgen_type;
};
// g++ passes narrow operands sign-extended, clang++ zero-extended.
static unsigned long long kgen_operand(const kgen_checked_type* type, unsigned long bits) {
    const int unused = 64 - (1 << (type->kgen_info >> 1));
    if (type->kgen_info & 1) return (unsigned long long)((long long)(bits << unused) >> unused);
    return (bits << unused) >> unused;
}
extern "C" __attribute__((visibility("hidden"), noinline, cold)) void __ubsan_handle_divrem_overflow_abort(
    kgen_checked_place* place, unsigned long left, unsigned long right) {
    kgen_calls->kgen_division_failed(place->kgen_file, place->kgen_line, place->kgen_column,
                                     place->kgen_type->kgen_info & 1, kgen_operand(place->kgen_type, left),
                                     kgen_operand(place->kgen_type, right));
    __builtin_unreachable();
}

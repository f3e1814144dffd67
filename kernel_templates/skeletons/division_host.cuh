// SPDX-License-Identifier: MIT
// kgen: what this code calls back where an integer division has no result. The compiler inserts the
// checks (-fsanitize=integer-divide-by-zero) and names these handlers; nothing else is linked.
struct kgen_host_calls {
    void (*kgen_division_failed)(const char* file, unsigned line, unsigned column, bool is_signed,
                                 unsigned long long left, unsigned long long right);
};
static const kgen_host_calls* kgen_calls;
struct kgen_checked_type { unsigned short kgen_kind, kgen_info; };
struct kgen_checked_place {
    const char* kgen_file;
    unsigned kgen_line, kgen_column;
    const kgen_checked_type* kgen_type;
};
extern "C" void __ubsan_handle_divrem_overflow_abort(kgen_checked_place* place, unsigned long left, unsigned long right) {
    kgen_calls->kgen_division_failed(place->kgen_file, place->kgen_line, place->kgen_column,
                                     place->kgen_type->kgen_info & 1, left, right);
}

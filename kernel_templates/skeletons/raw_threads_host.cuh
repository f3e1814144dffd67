// SPDX-License-Identifier: MIT
// kgen: for programs in which no thread waits for another.
#define threadIdx kgen_now.kgen_thread
struct kgen_plain_thread {};
static uint3 kgen_here() { return kgen_now.kgen_thread; }
static void kgen_raw_fail(kgen_raw_failure& failure) {
    kgen_now.kgen_launch->kgen_failed(nullptr, &failure);
    __builtin_unreachable();
}

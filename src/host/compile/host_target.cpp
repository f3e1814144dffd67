// SPDX-License-Identifier: MIT
#include "host/compile/host_target.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>

#if defined(__x86_64__)
#include <cpuid.h>
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
#ifdef __clang__
#define _Bool bool  // NOLINT: glibc 2.36's header uses the C name, which clang knows only in C
#endif
#include <sys/platform/x86.h>
#ifdef __clang__
#undef _Bool  // NOLINT: the same
#endif
#define KGEN_CPUID_FROM_LOADER 1
#endif
#elif defined(__linux__)
#include <sys/auxv.h>
#endif

namespace kgen {
namespace {

// FNV-1a. Four bytes of it become part of a name, and nothing relies on it for security.
class FeatureDigest {
public:
    void add(std::uint64_t value) noexcept {
        for (int byte = 0; byte < 8; ++byte) {
            state_ = (state_ ^ ((value >> (8 * byte)) & 0xff)) * 0x100000001b3;
        }
    }
    std::uint32_t value() const noexcept {
        return static_cast<std::uint32_t>(state_ ^ (state_ >> 32));
    }

private:
    std::uint64_t state_ = 0xcbf29ce484222325;
};

#if defined(__x86_64__)

struct Registers {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

// Returns zeros beyond the highest leaf. Uses what glibc's loader has read already, because under a
// hypervisor each CPUID instruction costs tens of microseconds.
Registers cpuid(unsigned leaf, unsigned subleaf) noexcept {
#ifdef KGEN_CPUID_FROM_LOADER
    const unsigned index = leaf == 1      ? CPUID_INDEX_1
                           : leaf != 7    ? CPUID_INDEX_80000001
                           : subleaf == 0 ? CPUID_INDEX_7
                                          : CPUID_INDEX_7_ECX_1;
    const auto& r = __x86_get_cpuid_feature_leaf(index)->cpuid_array;
    return {r[0], r[1], r[2], r[3]};
#else
    Registers r;
    __get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx);
    return r;
#endif
}

constexpr unsigned bits(std::initializer_list<unsigned> positions) noexcept {
    unsigned mask = 0;
    for (const unsigned position : positions) mask |= 1U << position;
    return mask;
}

// Covers only features that a compiler can use in the code it generates. Microcode, hypervisor, mitigations
// and so on differ between machines that run the same images. Bits as in the Intel SDM, volume 2, CPUID,
// and AMD's APM, volume 3, appendix E.
std::uint32_t feature_digest() noexcept {
    FeatureDigest digest;
    const Registers basic = cpuid(1, 0);
    // sse3 pclmul ssse3 fma cx16 sse4.1 sse4.2 movbe popcnt aes xsave osxsave avx f16c
    digest.add(basic.ecx & bits({0, 1, 9, 12, 13, 19, 20, 22, 23, 25, 26, 27, 28, 29}));
    const Registers extended = cpuid(7, 0);
    // bmi1 avx2 bmi2 avx512{f,dq} adx avx512ifma avx512{pf,er,cd} sha avx512{bw,vl}
    digest.add(extended.ebx & bits({3, 5, 8, 16, 17, 19, 21, 26, 27, 28, 29, 30, 31}));
    // avx512{vbmi,vbmi2} gfni vaes vpclmul avx512{vnni,bitalg,vpopcntdq}
    digest.add(extended.ecx & bits({1, 6, 8, 9, 10, 11, 12, 14}));
    // avx512{4vnniw,4fmaps,vp2intersect} amx-bf16 avx512fp16 amx-tile amx-int8
    digest.add(extended.edx & bits({2, 3, 8, 22, 23, 24, 25}));
    const Registers newer = cpuid(7, 1);
    // sha512 sm3 sm4 avxvnni avx512bf16 cmpccxadd amx-fp16 avxifma
    digest.add(newer.eax & bits({0, 1, 2, 4, 5, 7, 21, 23}));
    // avxvnniint8 avxneconvert avxvnniint16 avx10 apx
    digest.add(newer.edx & bits({4, 5, 10, 19, 21}));
    // lahf lzcnt sse4a prefetchw xop fma4 tbm
    digest.add(cpuid(0x80000001, 0).ecx & bits({0, 5, 6, 8, 11, 16, 21}));
    // Includes which registers the system saves, because AVX needs them.
    if ((basic.ecx & bits({27})) != 0) {
        unsigned low = 0;
        unsigned high = 0;
        __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        digest.add(low & bits({1, 2, 5, 6, 7, 17, 18}));
    }
    return digest.value();
}

constexpr const char* machine = "x86_64";

#else

std::uint32_t feature_digest() noexcept {
    FeatureDigest digest;
#if defined(__linux__)
    digest.add(getauxval(AT_HWCAP));
    digest.add(getauxval(AT_HWCAP2));
#endif
    return digest.value();
}

#if defined(__aarch64__)
constexpr const char* machine = "aarch64";
#elif defined(__powerpc64__)
constexpr const char* machine = "ppc64";
#elif defined(__riscv)
constexpr const char* machine = "riscv64";
#else
constexpr const char* machine = "cpu";
#endif

#endif

}  // namespace

const Target& host_target() {
    // Outlives every static destructor.
    static const auto* const target =
        new Target{DeviceKind::host, fmt::format("{}-{:08x}", machine, feature_digest())};
    return *target;
}

}  // namespace kgen

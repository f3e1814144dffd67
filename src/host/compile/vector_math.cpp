// SPDX-License-Identifier: MIT
#include "host/compile/vector_math.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>

#include "text/log.hpp"

namespace kgen {

VectorMath find_vector_math() {
#if defined(__x86_64__)
    // A failure is not remembered, because memory may have been short.
    static std::atomic<VectorMath> remembered = VectorMath::none;
    const VectorMath known = remembered.load(std::memory_order_relaxed);
    if (known != VectorMath::none) return known;
    void* library = ::dlopen("libmvec.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
        log().debug("libmvec.so.1 is not opened: {}", ::dlerror());
        return VectorMath::none;
    }
    const VectorMath found = ::dlsym(library, "_ZGVdN4v_tan") != nullptr ? VectorMath::with_tan
                                                                         : VectorMath::without_tan;
    remembered.store(found, std::memory_order_relaxed);
    return found;
#else
    return VectorMath::none;
#endif
}

std::vector<std::string> vector_math_options([[maybe_unused]] std::string_view source) {
    std::vector<std::string> options;
#if defined(__x86_64__)
    const auto has = [&](std::string_view text) { return source.find(text) != source.npos; };
    const bool declares = has(vector_math_macro);
    if (declares || has("#define KGEN_OWN_FUNCTIONS"))
        options.emplace_back("-mprefer-vector-width=512");
    else if (has(short_vectors_macro))
        options.emplace_back("-mprefer-vector-width=128");
    const VectorMath found = declares ? find_vector_math() : VectorMath::none;
    if (found != VectorMath::none) options.push_back(fmt::format("-D{}", vector_math_macro));
    if (found == VectorMath::with_tan && has(vector_tan_macro))
        options.push_back(fmt::format("-D{}", vector_tan_macro));
#endif
    return options;
}

bool takes_veclib(const HostToolchain& toolchain, VectorMath found) {
    if (!is_clang_from(toolchain, 12) || is_clang_from(toolchain, 23)) return false;
    return found == VectorMath::with_tan || !is_clang_from(toolchain, 19);
}

}  // namespace kgen

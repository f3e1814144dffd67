// SPDX-License-Identifier: MIT
#include "host/compile/vector_math.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>

#include "text/log.hpp"

namespace kgen {

int vector_math_version() {
#if defined(__x86_64__)
    // A failure is not remembered, because memory may have been short.
    static std::atomic<int> version = 0;
    if (const int known = version.load(std::memory_order_relaxed); known != 0) return known;
    void* library = ::dlopen("libmvec.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
        log().debug("libmvec.so.1 is not opened: {}", ::dlerror());
        return 0;
    }
    const int found = ::dlsym(library, "_ZGVdN4v_tan") != nullptr ? 2 : 1;
    version.store(found, std::memory_order_relaxed);
    return found;
#else
    return 0;
#endif
}

std::vector<std::string> vector_math_options(std::string_view source) {
    const bool declares = source.find(vector_math_macro) != std::string_view::npos;
    const bool defines = source.find("#define KGEN_OWN_FUNCTIONS") != std::string_view::npos;
    std::vector<std::string> options;
#if defined(__x86_64__)
    if (declares || defines) options.emplace_back("-mprefer-vector-width=512");
#endif
    if (const int version = declares ? vector_math_version() : 0; version != 0)
        options.push_back(fmt::format("-D{}={}", vector_math_macro, version));
    return options;
}

bool takes_veclib(const HostToolchain& toolchain) {
    return is_clang_from(toolchain, 12);
}

}  // namespace kgen

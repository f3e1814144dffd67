// SPDX-License-Identifier: MIT
#include "host/compile/vector_math.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>

#include "text/log.hpp"

namespace kgen {

bool has_vector_math() {
#if defined(__x86_64__)
    // A failure is not remembered, because memory may have been short.
    static std::atomic<bool> is_open = false;
    if (is_open.load(std::memory_order_relaxed)) return true;
    const bool opened = ::dlopen("libmvec.so.1", RTLD_NOW | RTLD_GLOBAL) != nullptr;
    if (!opened) log().debug("libmvec.so.1 is not opened: {}", ::dlerror());
    is_open.store(opened, std::memory_order_relaxed);
    return opened;
#else
    return false;
#endif
}

std::vector<std::string> vector_math_options(std::string_view source) {
    if (source.find(vector_math_macro) == std::string_view::npos || !has_vector_math()) return {};
    return {fmt::format("-D{}", vector_math_macro)};
}

bool takes_veclib(const HostToolchain& toolchain) {
    return is_clang_from(toolchain, 12);
}

}  // namespace kgen

// SPDX-License-Identifier: MIT
#include "host/static_shared_bytes.hpp"

#include <algorithm>
#include <string>

namespace kgen {

namespace {

// "_ZZ6matmulPfE" of _Z6matmulPf, and "_ZZ6matmulE" of an extern "C" matmul.
std::string prefix_of_variables(std::string_view function) {
    constexpr std::string_view mangled = "_Z";
    if (function.starts_with(mangled))
        return "_ZZ" + std::string(function.substr(mangled.size())) + "E";
    return "_ZZ" + std::to_string(function.size()) + std::string(function) + "E";
}

}  // namespace

std::int64_t static_shared_bytes(const std::vector<ElfSymbol>& symbols,
                                 const std::vector<std::uint64_t>& kernels,
                                 std::uint64_t kernel) {
    std::vector<std::string> prefixes_of_others;
    for (const ElfSymbol& symbol : symbols) {
        const bool is_kernel =
            symbol.kind == ElfSymbol::Kind::function &&
            std::find(kernels.begin(), kernels.end(), symbol.value) != kernels.end();
        if (is_kernel && symbol.value != kernel)
            prefixes_of_others.push_back(prefix_of_variables(symbol.name));
    }
    std::uint64_t bytes = 0;
    for (const ElfSymbol& symbol : symbols) {
        if (symbol.kind != ElfSymbol::Kind::thread_local_variable ||
            !symbol.name.starts_with("_ZZ"))
            continue;
        const bool is_anothers = std::any_of(
            prefixes_of_others.begin(), prefixes_of_others.end(), [&](const std::string& prefix) {
                return symbol.name.starts_with(prefix);
            });
        if (!is_anothers) bytes += symbol.bytes;
    }
    return static_cast<std::int64_t>(bytes);
}

std::int64_t own_shared_bytes(const std::vector<ElfSymbol>& symbols, std::uint64_t kernel) {
    const auto own = std::find_if(symbols.begin(), symbols.end(), [&](const ElfSymbol& symbol) {
        return symbol.kind == ElfSymbol::Kind::function && symbol.value == kernel;
    });
    if (own == symbols.end()) return 0;
    const std::string prefix = prefix_of_variables(own->name);
    std::uint64_t bytes = 0;
    for (const ElfSymbol& symbol : symbols) {
        const bool is_own = symbol.kind == ElfSymbol::Kind::thread_local_variable &&
                            symbol.name.starts_with(prefix);
        if (is_own) bytes += symbol.bytes;
    }
    return static_cast<std::int64_t>(bytes);
}

}  // namespace kgen

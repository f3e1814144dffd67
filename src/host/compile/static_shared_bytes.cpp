// SPDX-License-Identifier: MIT
#include "host/compile/static_shared_bytes.hpp"

#include <set>
#include <string>
#include <unordered_map>

namespace kgen {

namespace {

// Returns "_ZZ6matmulPfE" for _Z6matmulPf, and "_ZZ6matmulE" for an extern "C" matmul.
std::string prefix_of_variables(std::string_view function) {
    constexpr std::string_view mangled = "_Z";
    if (function.starts_with(mangled))
        return "_ZZ" + std::string(function.substr(mangled.size())) + "E";
    return "_ZZ" + std::to_string(function.size()) + std::string(function) + "E";
}

}  // namespace

std::vector<StaticSharedBytes> static_shared_bytes(const ElfFile& object,
                                                   const std::vector<std::uint64_t>& kernels) {
    std::unordered_map<std::uint64_t, std::int64_t> own;  // keyed by the kernel's value
    for (const std::uint64_t kernel : kernels) own.emplace(kernel, 0);
    // The value of each kernel, keyed by the prefix of its variables' names.
    std::unordered_map<std::string, std::uint64_t> kernel_of;
    const std::vector<Elf64_Sym> symbols = object.symbols();
    for (const Elf64_Sym& symbol : symbols) {
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && own.contains(symbol.st_value))
            kernel_of.emplace(prefix_of_variables(object.name_of(symbol)), symbol.st_value);
    }
    std::int64_t of_others = 0;
    for (const Elf64_Sym& symbol : symbols) {
        const std::string name(object.name_of(symbol));
        if (ELF64_ST_TYPE(symbol.st_info) != STT_TLS || !name.starts_with("_ZZ")) continue;
        // The name may begin with the prefixes of several kernels. The variable is then counted for none of
        // them.
        std::set<std::uint64_t> owners;
        for (std::size_t end = name.find('E'); end < name.size(); end = name.find('E', end + 1)) {
            const auto found = kernel_of.find(name.substr(0, end + 1));
            if (found != kernel_of.end()) owners.insert(found->second);
        }
        const auto bytes = static_cast<std::int64_t>(symbol.st_size);
        if (owners.empty()) of_others += bytes;
        if (owners.size() == 1) own[*owners.begin()] += bytes;
    }
    std::vector<StaticSharedBytes> found;
    for (const std::uint64_t kernel : kernels)
        found.push_back({.own = own[kernel], .all = own[kernel] + of_others});
    return found;
}

}  // namespace kgen

// SPDX-License-Identifier: MIT
#include "host/kernel/host_module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>
#include <kgen/error.hpp>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "digest.hpp"
#include "files/elf_file.hpp"

namespace kgen {

namespace {

// Returns "_ZZ6matmulPfE" for _Z6matmulPf, and "_ZZ6matmulE" for an extern "C" matmul.
std::string prefix_of_variables(std::string_view function) {
    constexpr std::string_view mangled = "_Z";
    if (function.starts_with(mangled))
        return "_ZZ" + std::string(function.substr(mangled.size())) + "E";
    return "_ZZ" + std::to_string(function.size()) + std::string(function) + "E";
}

// Returns the sizes for each kernel of a shared object. `kernels` holds the values of the kernels' symbols.
// On the host, __shared__ variables are thread-local variables of functions, and their mangled names begin
// with the name of their function. Takes linear time.
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

// Returns the value of the kernel's symbol in its object.
std::uint64_t symbol_value(const HostRawRow& row) {
    const auto* function = static_cast<const char*>(*row.function);
    Dl_info info;
    if (::dladdr(function, &info) == 0) return 0;
    return static_cast<std::uint64_t>(function - static_cast<const char*>(info.dli_fbase));
}

// Returns "const float*" for "constexpr const char* kgen_type_name() [with T = const float*]".
std::string type_in(std::string_view function_name) {
    const std::size_t begin = function_name.find("T = ");
    if (begin == std::string_view::npos || !function_name.ends_with(']')) return {};
    return std::string(function_name.substr(begin + 4, function_name.size() - begin - 5));
}

std::shared_ptr<HostRawKernel> kernel_of(const std::shared_ptr<const SharedObject>& object,
                                         const HostRawTable& table,
                                         const HostRawRow& row) {
    auto kernel = std::make_shared<HostRawKernel>();
    kernel->object = object;
    kernel->table = &table;
    kernel->row = &row;
    for (int k = 0; k < row.parameter_count; ++k) {
        const HostRawParameter& parameter = row.parameters[k];
        kernel->its_parameters.push_back({parameter.offset,
                                          parameter.bytes,
                                          static_cast<ParameterKind>(parameter.kind),
                                          type_in(parameter.type_name),
                                          parameter.alignment});
    }
    return kernel;
}

class HostModule final : public LoadedModule {
public:
    HostModule(const Image& image, const std::string& name) {
        if (image.find(ImageKind::host_object) == nullptr) {
            throw DeviceError(fmt::format(
                "program '{}': the file holds code for a GPU, which the host cannot run", name));
        }
        const std::vector<std::byte>& bytes =
            host_object_of(image, fmt::format("program '{}' cannot be loaded on the host", name));
        object_ = std::make_shared<const SharedObject>(bytes, name);
        const auto& table = *static_cast<const HostRawTable*>(object_->find("kgen_table"));
        if (table.version != host_raw_version) {
            throw DeviceError(
                fmt::format("program '{}' cannot be loaded on the host: its table has "
                            "version {}, expected {}",
                            name,
                            table.version,
                            host_raw_version));
        }
        std::vector<const HostRawRow*> kernels;
        std::vector<std::uint64_t> values;
        for (const HostRawRow* const* each = table.begin; each != table.end; ++each) {
            if (*each == nullptr) continue;
            const HostRawRow& row = **each;
            if (row.run == nullptr) {
                variables_.emplace(
                    row.name,
                    MemoryRegion{row.variable, static_cast<std::size_t>(row.variable_bytes)});
                continue;
            }
            kernels.push_back(&row);
            values.push_back(symbol_value(row));
        }
        const ElfFile object(cache::as_text(bytes));
        const std::vector<StaticSharedBytes> shared_bytes = static_shared_bytes(object, values);
        for (std::size_t k = 0; k < kernels.size(); ++k) {
            const std::shared_ptr<HostRawKernel> kernel = kernel_of(object_, table, *kernels[k]);
            kernel->shared_bytes = shared_bytes[k];
            kernels_.emplace(kernels[k]->name, kernel);
        }
    }

    std::vector<std::string> kernel_symbols() const override {
        std::vector<std::string> symbols;
        for (const auto& [symbol, kernel] : kernels_) symbols.push_back(symbol);
        return symbols;
    }

    std::shared_ptr<const LoadedKernel> kernel(const std::string& symbol) const override {
        const auto found = kernels_.find(symbol);
        return found == kernels_.end() ? nullptr : found->second;
    }

    std::optional<MemoryRegion> variable(const std::string& symbol) const override {
        const auto found = variables_.find(symbol);
        if (found == variables_.end()) return std::nullopt;
        return found->second;
    }

    std::vector<std::string> variable_symbols() const override {
        std::vector<std::string> symbols;
        for (const auto& [symbol, region] : variables_) symbols.push_back(symbol);
        return symbols;
    }

private:
    std::shared_ptr<const SharedObject> object_;
    std::map<std::string, std::shared_ptr<const HostRawKernel>> kernels_;
    std::map<std::string, MemoryRegion> variables_;
};

}  // namespace

std::shared_ptr<const LoadedModule> load_host_module(const Image& image, const std::string& name) {
    return std::make_shared<HostModule>(image, name);
}

}  // namespace kgen

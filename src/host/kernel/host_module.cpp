// SPDX-License-Identifier: MIT
#include "host/kernel/host_module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <kgen/error.hpp>

#include "digest.hpp"
#include "host/compile/host_target.hpp"

namespace kgen {

namespace {

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
                                          type_in(parameter.type_name)});
    }
    return kernel;
}

}  // namespace

HostModule::HostModule(const Image& image, const std::string& name) {
    const ImageSection* section = image.find(ImageKind::host_object);
    if (section == nullptr) {
        throw DeviceError(fmt::format(
            "program '{}': the file holds code for a GPU, which the host cannot run", name));
    }
    if (image.target != host_target()) {
        throw DeviceError(
            fmt::format("program '{}' cannot be loaded on the host: it was compiled for '{}', this "
                        "machine is '{}'",
                        name,
                        image.target.arch,
                        host_target().arch));
    }
    object_ = std::make_shared<const SharedObject>(section->bytes, name);
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
                row.name, MemoryRegion{row.variable, static_cast<std::size_t>(row.variable_bytes)});
            continue;
        }
        kernels.push_back(&row);
        values.push_back(symbol_value(row));
    }
    const ElfFile object(cache::as_text(section->bytes));
    const std::vector<StaticSharedBytes> shared_bytes = static_shared_bytes(object, values);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        const std::shared_ptr<HostRawKernel> kernel = kernel_of(object_, table, *kernels[k]);
        kernel->shared_bytes = shared_bytes[k];
        kernels_.emplace(kernels[k]->name, kernel);
    }
}

std::vector<std::string> HostModule::kernel_symbols() const {
    std::vector<std::string> symbols;
    for (const auto& [symbol, kernel] : kernels_) symbols.push_back(symbol);
    return symbols;
}

std::shared_ptr<const LoadedKernel> HostModule::kernel(const std::string& symbol) const {
    const auto found = kernels_.find(symbol);
    return found == kernels_.end() ? nullptr : found->second;
}

std::optional<MemoryRegion> HostModule::variable(const std::string& symbol) const {
    const auto found = variables_.find(symbol);
    if (found == variables_.end()) return std::nullopt;
    return found->second;
}

std::vector<std::string> HostModule::variable_symbols() const {
    std::vector<std::string> symbols;
    for (const auto& [symbol, region] : variables_) symbols.push_back(symbol);
    return symbols;
}

}  // namespace kgen

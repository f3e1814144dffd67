// SPDX-License-Identifier: MIT
#include <kgen/raw_module.hpp>

#include "device/registry.hpp"
#include "raw/raw_program.hpp"

namespace kgen {

RawModule::RawModule(std::string_view code, RawModuleOptions options)
    : program_(std::make_shared<RawProgram>(define_module(code, std::move(options)))) {}

RawModule::RawModule(RawModuleOptions options)
    : program_(std::make_shared<RawProgram>(define_module({}, std::move(options)))) {}

GlobalVariable RawModule::global(const std::string& name, Device device) const {
    return program_->variable(name, backend(device));
}

void RawModule::prepare(Device device) const {
    static_cast<void>(program_->on(backend(device)));
}

std::vector<std::string> RawModule::kernel_names(Device device) const {
    std::vector<std::string> names;
    for (const ProgramName& each : program_->on(backend(device)).kernels)
        names.push_back(each.shown());
    return names;
}

std::string RawModule::log(Device device) const {
    return program_->on(backend(device)).log;
}

const std::string& RawModule::code() const noexcept {
    return program_->code();
}

}  // namespace kgen

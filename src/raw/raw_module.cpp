// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <kgen/error.hpp>
#include <kgen/raw_module.hpp>

#include "device/registry.hpp"
#include "memory/layout.hpp"
#include "raw/raw_program.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

RawModule::RawModule(std::string_view code, RawModuleOptions options) try
    : program_(std::make_shared<RawProgram>(define_module(code, std::move(options)))) {
} catch (...) {
    rethrow_as_error();
}

RawModule::RawModule(RawModuleOptions options) try
    : program_(std::make_shared<RawProgram>(define_module({}, std::move(options)))) {
} catch (...) {
    rethrow_as_error();
}

GlobalVariable RawModule::global(const std::string& name, Device device) const try {
    return program_->variable(name, backend(device));
} catch (...) {
    rethrow_as_error();
}

void RawModule::prepare(Device device) const try {
    static_cast<void>(program_->on(backend(device)));
} catch (...) {
    rethrow_as_error();
}

std::vector<std::string> RawModule::kernel_names(Device device) const try {
    std::vector<std::string> names;
    for (const ProgramName& each : program_->on(backend(device)).kernels)
        names.push_back(each.shown());
    return names;
} catch (...) {
    rethrow_as_error();
}

std::string RawModule::log(Device device) const try {
    return program_->on(backend(device)).log;
} catch (...) {
    rethrow_as_error();
}

const std::string& RawModule::code() const noexcept {
    return program_->code();
}

Array GlobalVariable::array(DType dtype, const std::optional<Dims>& shape) const try {
    const auto item = static_cast<std::int64_t>(item_size(dtype));
    const auto bytes = static_cast<std::int64_t>(size_bytes_);
    if (!shape && bytes % item != 0) {
        refuse<ShapeError>({ErrorKind::dtype,
                            {},
                            fmt::format("a dtype of {} bytes", bytes),
                            std::string(to_text(dtype))},
                           "{} has {} bytes, which is not a multiple of the {} of {}",
                           name_,
                           bytes,
                           item,
                           to_text(dtype));
    }
    const Dims wanted = shape ? *shape : Dims{bytes / item};
    const std::int64_t needed = checked_size_bytes(wanted, dtype);
    if (needed > bytes) {
        refuse<ShapeError>(
            {ErrorKind::shape, {}, fmt::format("{} bytes", bytes), fmt::format("{} bytes", needed)},
            "{} has {} bytes, but shape {} of {} needs {}",
            name_,
            bytes,
            to_text(wanted),
            to_text(dtype),
            needed);
    }
    return Array::view(
        data_, dtype, wanted, {.device = device_, .owner = std::const_pointer_cast<void>(owner_)});
} catch (...) {
    rethrow_as_error();
}

void GlobalVariable::read_bytes(void* destination, std::size_t bytes) const try {
    check_size(bytes);
    backend(device_).copy(
        destination, data_, bytes, CopyDirection::device_to_host, current_stream(device_).handle());
} catch (...) {
    rethrow_as_error();
}

void GlobalVariable::write_bytes(const void* source, std::size_t bytes) const try {
    check_size(bytes);
    backend(device_).copy(
        data_, source, bytes, CopyDirection::host_to_device, current_stream(device_).handle());
} catch (...) {
    rethrow_as_error();
}

void GlobalVariable::check_size(std::size_t bytes) const {
    if (bytes == size_bytes_) return;
    refuse<TypeError>({ErrorKind::argument_type,
                       {},
                       fmt::format("{} bytes", size_bytes_),
                       fmt::format("{} bytes", bytes)},
                      "{} has {} bytes, but {} were given",
                      name_,
                      size_bytes_,
                      bytes);
}

}  // namespace kgen

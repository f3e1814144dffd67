// SPDX-License-Identifier: MIT
//
// RawProgram: the state that all handles of one RawModule or RawKernel share. It holds the definition and
// the code that was compiled and loaded for each device.
#pragma once

#include <kgen/raw_kernel.hpp>
#include <kgen/raw_module.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/backend.hpp"
#include "device/loaded_module.hpp"
#include "fork_mutex.hpp"
#include "image/find_or_compile.hpp"
#include "image/flight_table.hpp"
#include "program/declared_parameters.hpp"
#include "program/raw_names.hpp"
#include "raw/raw_definition.hpp"
#include "raw/ready_kernel.hpp"

namespace kgen {

// The loaded code of a program on one device. Immutable. Programs with equal requests share it as long as one
// of them exists.
struct LoadedProgram {
    std::shared_ptr<const LoadedModule> module;
    std::vector<LoweredName> lowered_names;
    std::vector<ProgramName> kernels;
    std::string log;  // compiler output; empty for a file of compiled code
};

// Thread-safe.
class RawProgram {
public:
    explicit RawProgram(RawDefinition definition) : definition_(std::move(definition)) {}

    // Returns the first source; empty for a file of compiled code.
    const std::string& code() const noexcept;

    // Returns the loaded program, which lives as long as this object. Compiles and loads it on first use.
    // Throws CompileError and DeviceError.
    const LoadedProgram& on(const Backend& backend) const;

    // Returns the table of devices on which the kernel is ready. It lives as long as this object.
    ReadyKernels& kernels(const std::string& name);
    // Finds the kernel on a device. Throws CompileError if no kernel or several kernels match the name.
    std::shared_ptr<const ReadyKernel> make_ready(const std::string& name,
                                                  const Backend& backend) const;
    // Describes the kernel's parameters as far as the compiled code and the source show them.
    std::vector<RawParameter> parameters(const std::string& name, const ReadyKernel& ready) const;
    // Throws CompileError for a template name that was not registered. Compiles nothing.
    void check_kernel_name(const std::string& name) const;

    GlobalVariable variable(const std::string& name, const Backend& backend) const;

private:
    using Loaded = std::shared_ptr<const LoadedProgram>;
    Loaded load(const Backend& backend) const;
    Loaded load_sources(const Backend& backend) const;
    Loaded load_file(const Backend& backend) const;
    Loaded load_image(const Image& image, const Backend& backend) const;
    const ProgramName& kernel_name(const std::string& name, const LoadedProgram& loaded) const;

    RawDefinition definition_;
    mutable FlightTable<Loaded, const Backend*> loaded_;
    cache::ForkMutex mutex_;
    std::map<std::string, ReadyKernels> kernels_;  // guarded by mutex_; the values guard themselves
};

// Returns how often this process asked for a program that was already loaded.
std::uint64_t loaded_program_hits();

}  // namespace kgen

// SPDX-License-Identifier: MIT
//
// RawProgram: what the handles of one RawModule or RawKernel share: its definition, and on each device
// that it was used on the code that was compiled and loaded.
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

// Immutable. Programs with equal requests share it while one of them is there.
struct LoadedProgram {
    std::shared_ptr<const LoadedModule> module;
    std::vector<LoweredName> lowered_names;
    std::vector<ProgramName> kernels;
    std::string log;  // of the compiler; empty if nothing was compiled
};

// Thread safe.
class RawProgram {
public:
    explicit RawProgram(RawDefinition definition) : definition_(std::move(definition)) {}

    const RawDefinition& definition() const noexcept { return definition_; }
    // The first source; empty for files of compiled code.
    const std::string& code() const noexcept;

    // Compiles and loads where that was not done yet. Throws CompileError and DeviceError.
    const LoadedProgram& on(const Backend& backend) const;

    // Where the kernel of that name is ready; lives as long as the program.
    ReadyKernels& kernels(const std::string& name);
    // Finds the kernel on a device. Throws CompileError if there is none of that name, or several.
    std::shared_ptr<const ReadyKernel> make_ready(const std::string& name,
                                                  const Backend& backend) const;
    // What is known of its parameters: from the code, and from the source.
    std::vector<RawParameter> parameters(const std::string& name, const ReadyKernel& ready) const;
    // Throws CompileError for a name that cannot be there; compiles nothing.
    void check_kernel_name(const std::string& name) const;

    GlobalVariable variable(const std::string& name, const Backend& backend) const;

private:
    using Loaded = std::shared_ptr<const LoadedProgram>;
    Loaded load(const Backend& backend) const;
    Loaded load_sources(const Backend& backend) const;
    Loaded load_file(const Backend& backend) const;
    Loaded load_image(const Image& image, const Backend& backend) const;
    std::vector<std::string> declared_names() const;
    const ProgramName& kernel_name(const std::string& name, const LoadedProgram& loaded) const;
    std::vector<UserText> written_texts(DeviceKind device) const;
    std::vector<DeclaredKernel> declarations(const ProgramName& kernel,
                                             std::size_t parameter_count,
                                             const std::vector<UserText>& texts,
                                             DeviceKind device) const;
    std::vector<ParameterType> declared_types(const ProgramName& kernel,
                                              std::size_t parameter_count,
                                              DeviceKind device) const;

    RawDefinition definition_;
    mutable FlightTable<Loaded, const Backend*> loaded_;
    cache::ForkMutex mutex_;
    std::map<std::string, ReadyKernels> kernels_;  // the map is guarded by mutex_
};

// How often a program was wanted in this process that was loaded already.
std::uint64_t loaded_program_hits();

}  // namespace kgen

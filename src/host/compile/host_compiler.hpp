// SPDX-License-Identifier: MIT
//
// The Compiler of the host device: runs the system's C++ compiler in a child process. A kernel's source
// includes no headers and links no libraries, so a small kernel compiles in about 40 ms.
#pragma once

#include <kgen/system.hpp>
#include <mutex>
#include <optional>
#include <vector>

#include "device/compiler.hpp"
#include "fork_mutex.hpp"
#include "host/compile/host_toolchain.hpp"

namespace kgen {

class HostCompiler : public Compiler {
public:
    const Producer& producer() const override;
    std::vector<std::string> resolve_options(const CompileJob& job) const override;

    // Applies the limits of compile_limits.hpp.
    Image compile(const CompileJob& job) const override;

private:
    const HostToolchain& toolchain() const;

    mutable cache::ForkMutex mutex_;
    // Set once a compiler has been found, so a compiler that is installed later is found too.
    mutable std::optional<HostToolchain> toolchain_;
};

const Compiler& host_compiler();

// Findings for `kgen doctor`: "host compiler" with whether it was found, then the malformed limits. Runs the
// compiler with --version. Never throws.
std::vector<Finding> inspect_host();

}  // namespace kgen

// SPDX-License-Identifier: MIT
//
// The Compiler of the host device: the system's C++ compiler in a child process. A kernel's source
// includes no header and links nothing, so that a small one is ready in about 40 ms.
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

    // Within the limits of the environment (compile_limits.hpp).
    Image compile(const CompileJob& job) const override;

private:
    struct Found {
        HostToolchain toolchain;
        Producer producer;
    };
    const Found& found() const;

    mutable cache::ForkMutex mutex_;
    mutable std::optional<Found>
        found_;  // set once; a compiler that is installed later is found later
};

const Compiler& host_compiler();

// "host compiler": found or not, as `kgen doctor` prints it, then the limits that do not read. Runs the
// compiler's --version. Never throws.
std::vector<Finding> inspect_host();

}  // namespace kgen

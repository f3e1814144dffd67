// SPDX-License-Identifier: MIT
#include "api/ready_kernel.hpp"

#include <fmt/format.h>

#include <kgen/error.hpp>

namespace kgen {

std::shared_ptr<const ReadyKernel> make_ready(const RawProgram& program,
                                              const std::string& name,
                                              const Backend& backend) {
    const LoadedProgram& loaded = program.on(backend);
    const std::string& symbol = program.kernel_symbol(name, loaded);
    std::shared_ptr<const LoadedKernel> kernel = loaded.module->kernel(symbol);
    if (kernel == nullptr) {
        throw DeviceError(fmt::format("kernel '{}': the code on {} has no entry '{}'",
                                      name,
                                      to_text(backend.device()),
                                      symbol));
    }
    std::vector<KernelParameter> parameters = refine_kinds(kernel->parameters(), symbol);
    const std::size_t bytes = block_bytes(parameters);
    return std::make_shared<const ReadyKernel>(ReadyKernel{.backend = &backend,
                                                           .raw = &backend.raw(),
                                                           .module = loaded.module,
                                                           .kernel = std::move(kernel),
                                                           .parameters = std::move(parameters),
                                                           .block_bytes = bytes});
}

}  // namespace kgen

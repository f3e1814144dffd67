// SPDX-License-Identifier: MIT
#include <kgen/raw_kernel.hpp>

#include "device/registry.hpp"
#include "raw/raw_launch.hpp"
#include "raw/raw_program.hpp"
#include "raw/ready_kernel.hpp"
#include "text/rethrow.hpp"

namespace kgen {

struct RawKernel::Impl {
    std::string name;
    std::shared_ptr<RawProgram> program;
    ReadyKernels& ready;  // owned by the program; shared by all handles of this kernel

    const ReadyKernel& on(const Backend& backend) const {
        if (const ReadyKernel* known = ready.find(backend)) return *known;
        return ready.add(program->make_ready(name, backend));
    }
    const ReadyKernel& on(Device device) const { return on(backend(device)); }
};

std::shared_ptr<const RawKernel::Impl> RawKernel::make_impl(std::string name,
                                                            std::shared_ptr<RawProgram> program) {
    ReadyKernels& ready = program->kernels(name);
    return std::shared_ptr<const Impl>(new Impl{std::move(name), std::move(program), ready});
}

RawKernel::RawKernel(std::string_view code, std::string name, RawOptions options) try {
    auto program = std::make_shared<RawProgram>(define_kernel(code, name, std::move(options)));
    impl_ = make_impl(std::move(name), std::move(program));
} catch (...) {
    rethrow_as_error();
}

const std::string& RawKernel::name() const noexcept {
    return impl_->name;
}

RawModule RawKernel::module() const try { return RawModule(impl_->program); } catch (...) {
    rethrow_as_error();
}

void RawKernel::prepare(Device device) const try {
    static_cast<void>(impl_->on(device));
} catch (...) {
    rethrow_as_error();
}

void RawKernel::launch_arguments(const LaunchConfig& config,
                                 std::span<const RawArgument> arguments) const try {
    launch_raw(impl_->name, impl_->on(device_of_launch(config, arguments)), config, arguments);
} catch (...) {
    rethrow_as_error();
}

BoundLaunch RawKernel::bind_arguments(const LaunchConfig& config,
                                      std::span<const RawArgument> arguments) const try {
    const ReadyKernel& ready = impl_->on(device_of_launch(config, arguments));
    return BoundLaunch(
        std::make_shared<const RawLaunch>(impl_->name, ready, impl_, config, arguments));
} catch (...) {
    rethrow_as_error();
}

void RawKernel::launch_arguments(const LaunchConfig& config,
                                 std::span<const Argument> arguments) const {
    const std::vector<RawArgument> list(arguments.begin(), arguments.end());
    launch_arguments(config, std::span<const RawArgument>(list));
}

BoundLaunch RawKernel::bind_arguments(const LaunchConfig& config,
                                      std::span<const Argument> arguments) const {
    const std::vector<RawArgument> list(arguments.begin(), arguments.end());
    return bind_arguments(config, std::span<const RawArgument>(list));
}

std::vector<RawParameter> RawKernel::parameters(Device device) const try {
    return impl_->program->parameters(impl_->name, impl_->on(device));
} catch (...) {
    rethrow_as_error();
}

KernelAttributes RawKernel::attributes(Device device) const try {
    const ReadyKernel& ready = impl_->on(device);
    return ready.raw->attributes(*ready.kernel);
} catch (...) {
    rethrow_as_error();
}

void RawKernel::set_max_dynamic_shared_bytes(int bytes, Device device) const try {
    const ReadyKernel& ready = impl_->on(device);
    ready.raw->set(*ready.kernel, KernelSetting::max_dynamic_shared_bytes, bytes, impl_->name);
} catch (...) {
    rethrow_as_error();
}

void RawKernel::set_shared_carveout(int percent, Device device) const try {
    const ReadyKernel& ready = impl_->on(device);
    ready.raw->set(*ready.kernel, KernelSetting::shared_carveout, percent, impl_->name);
} catch (...) {
    rethrow_as_error();
}

int RawKernel::max_blocks_per_multiprocessor(int block,
                                             std::int64_t shared_bytes,
                                             Device device) const try {
    const ReadyKernel& ready = impl_->on(device);
    return ready.raw->max_blocks_per_multiprocessor(*ready.kernel, block, shared_bytes);
} catch (...) {
    rethrow_as_error();
}

int RawKernel::max_clusters(const LaunchConfig& config, Device device) const try {
    const ReadyKernel& ready = impl_->on(device);
    return ready.raw->max_clusters(*ready.kernel, config);
} catch (...) {
    rethrow_as_error();
}

SuggestedLaunch RawKernel::suggested_launch(std::int64_t shared_bytes,
                                            int thread_limit,
                                            Device device) const try {
    const ReadyKernel& ready = impl_->on(device);
    return ready.raw->suggested_launch(*ready.kernel, shared_bytes, thread_limit);
} catch (...) {
    rethrow_as_error();
}

const std::string& RawKernel::code() const noexcept {
    return impl_->program->code();
}

std::string RawKernel::log(Device device) const try {
    return impl_->program->on(backend(device)).log;
} catch (...) {
    rethrow_as_error();
}

// --- RawModule ----------------------------------------------------------------------------------

RawKernel RawModule::kernel(std::string name) const try {
    program_->check_kernel_name(name);
    return RawKernel(RawKernel::make_impl(std::move(name), program_));
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen

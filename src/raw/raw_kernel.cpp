// SPDX-License-Identifier: MIT
#include <kgen/raw_kernel.hpp>

#include "device/registry.hpp"
#include "raw/raw_launch.hpp"
#include "raw/raw_program.hpp"
#include "raw/ready_kernel.hpp"

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

RawKernel::RawKernel(std::string_view code, std::string name, RawOptions options) {
    auto program = std::make_shared<RawProgram>(define_kernel(code, name, std::move(options)));
    impl_ = make_impl(std::move(name), std::move(program));
}

const std::string& RawKernel::name() const noexcept {
    return impl_->name;
}

RawModule RawKernel::module() const {
    return RawModule(impl_->program);
}

void RawKernel::prepare(Device device) const {
    static_cast<void>(impl_->on(device));
}

void RawKernel::launch_arguments(const LaunchConfig& config,
                                 std::span<const RawArgument> arguments) const {
    launch_raw(impl_->name, impl_->on(device_of_launch(config, arguments)), config, arguments);
}

BoundLaunch RawKernel::bind_arguments(const LaunchConfig& config,
                                      std::span<const RawArgument> arguments) const {
    const ReadyKernel& ready = impl_->on(device_of_launch(config, arguments));
    return BoundLaunch(
        std::make_shared<const RawLaunch>(impl_->name, ready, impl_, config, arguments));
}

std::vector<RawParameter> RawKernel::parameters(Device device) const {
    return impl_->program->parameters(impl_->name, impl_->on(device));
}

KernelAttributes RawKernel::attributes(Device device) const {
    const ReadyKernel& ready = impl_->on(device);
    return ready.raw->attributes(*ready.kernel);
}

void RawKernel::set_max_dynamic_shared_bytes(int bytes, Device device) const {
    const ReadyKernel& ready = impl_->on(device);
    ready.raw->set(*ready.kernel, KernelSetting::max_dynamic_shared_bytes, bytes, impl_->name);
}

void RawKernel::set_shared_carveout(int percent, Device device) const {
    const ReadyKernel& ready = impl_->on(device);
    ready.raw->set(*ready.kernel, KernelSetting::shared_carveout, percent, impl_->name);
}

int RawKernel::max_blocks_per_multiprocessor(int block,
                                             std::int64_t shared_bytes,
                                             Device device) const {
    const ReadyKernel& ready = impl_->on(device);
    return ready.raw->max_blocks_per_multiprocessor(*ready.kernel, block, shared_bytes);
}

int RawKernel::max_clusters(const LaunchConfig& config, Device device) const {
    const ReadyKernel& ready = impl_->on(device);
    return ready.raw->max_clusters(*ready.kernel, config);
}

SuggestedLaunch RawKernel::suggested_launch(std::int64_t shared_bytes,
                                            int thread_limit,
                                            Device device) const {
    const ReadyKernel& ready = impl_->on(device);
    return ready.raw->suggested_launch(*ready.kernel, shared_bytes, thread_limit);
}

const std::string& RawKernel::code() const noexcept {
    return impl_->program->code();
}

std::string RawKernel::log(Device device) const {
    return impl_->program->on(backend(device)).log;
}

// --- RawModule ----------------------------------------------------------------------------------

RawKernel RawModule::kernel(std::string name) const {
    program_->check_kernel_name(name);
    return RawKernel(RawKernel::make_impl(std::move(name), program_));
}

}  // namespace kgen

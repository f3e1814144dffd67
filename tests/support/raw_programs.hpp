// SPDX-License-Identifier: MIT
//
// Raw programs on the host, one stage at a time and without the cache: text, compile, load, launch.
#pragma once

#include <cstring>
#include <kgen/error.hpp>
#include <kgen/launch_config.hpp>
#include <memory>
#include <string>
#include <vector>

#include "device/raw_backend.hpp"
#include "host/compile/host_compiler.hpp"
#include "host/compile/host_target.hpp"
#include "host/host_backend.hpp"
#include "program/raw_source.hpp"

namespace kgen::test {

class HostProgram {
public:
    explicit HostProgram(const std::string& text,
                         std::vector<std::string> names = {},
                         std::vector<std::string> options = {},
                         const std::vector<Header>& headers = {})
        : source_(make_raw_source({.program = "k",
                                   .texts = {{"k.cu", text}},
                                   .names = names,
                                   .device = DeviceKind::host,
                                   .options = options,
                                   .headers = headers})) {
        CompileJob job;
        job.kernel = "k";
        job.source = source_.text;
        job.options = std::move(options);
        job.target = host_target();
        job.kind = SourceKind::raw;
        job.name_expressions = std::move(names);
        job.lowered_names = source_.lowered_names;
        for (const Header& header : headers) {
            job.headers.push_back(
                {header.name, make_raw_header({header.name, header.text}, DeviceKind::host, "k")});
        }
        try {
            image_ = host_compiler().compile(job);
        } catch (const CompileError& error) {
            throw CompileError(error.what() + ("\n" + error.log()), error.log(), error.source());
        }
        module_ = host_backend().raw().load_module(image_, "k");
    }

    const RawSource& source() const { return source_; }
    const Image& image() const { return image_; }
    const LoadedModule& module() const { return *module_; }

    // Returns the symbol of a name expression.
    std::string symbol(const std::string& expression) const {
        for (const LoweredName& each : image_.lowered_names) {
            if (each.expression == expression) return each.symbol;
        }
        return "";
    }

    // Launches the kernel. The arguments are laid out by its parameter table; each must have
    // the parameter's size.
    template <typename... Arguments>
    void launch(const std::string& kernel_name,
                const LaunchConfig& config,
                const Arguments&... arguments) const {
        const std::shared_ptr<const LoadedKernel> kernel = module_->kernel(kernel_name);
        if (kernel == nullptr) throw Error("there is no kernel " + kernel_name);
        alignas(64) std::byte block[4096] = {};
        std::size_t k = 0;
        [[maybe_unused]] const auto put = [&](const void* bytes, std::size_t size) {
            const KernelParameter& parameter = kernel->parameters()[k++];
            if (parameter.bytes != size)
                throw Error("argument " + std::to_string(k) + " has another size");
            std::memcpy(block + parameter.offset, bytes, size);
        };
        (put(&arguments, sizeof(arguments)), ...);
        if (k != kernel->parameters().size()) throw Error("another number of arguments");
        host_backend().raw().launch(*kernel, config, block, sizeof(block), nullptr, kernel_name);
    }

private:
    RawSource source_;
    Image image_;
    std::shared_ptr<const LoadedModule> module_;
};

// Returns the message of the error that make() throws, or "" if it throws none.
template <typename Make>
std::string message_of(const Make& make) {
    try {
        make();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace kgen::test

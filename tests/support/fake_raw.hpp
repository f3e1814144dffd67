// SPDX-License-Identifier: MIT
//
// A fake device "cuda:0" for raw kernels. Its memory is host memory. It records each launch
// with its parameters, and finds the kernels of an image in the PTX.
#pragma once

#include <cstdlib>
#include <cstring>
#include <kgen/kgen.hpp>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "device/graph_backend.hpp"
#include "device/raw_backend.hpp"
#include "memory/array_access.hpp"
#include "memory/layout.hpp"
#include "memory/storage.hpp"

namespace kgen::test {

class NoGraphs final : public GraphBackend {
public:
    bool is_capturing(StreamHandle) const override { return false; }
    void begin_capture(StreamHandle) const override {}
    std::shared_ptr<const LoadedGraph> end_capture(StreamHandle) const override { return nullptr; }
    void abandon_capture(StreamHandle) const noexcept override {}
    void launch(const LoadedGraph&, StreamHandle) const override {}
};

class FakeRawKernel final : public LoadedKernel {
public:
    explicit FakeRawKernel(std::vector<KernelParameter> parameters)
        : parameters_(std::move(parameters)) {}
    std::span<const KernelParameter> parameters() const noexcept override { return parameters_; }
    void* native_function() const noexcept override {
        return const_cast<FakeRawKernel*>(this);  // any address
    }

private:
    std::vector<KernelParameter> parameters_;
};

// The entry points and variables of a PTX text. Parameters must have 1 to 8 bytes; their kind is unknown.
class FakeModule final : public LoadedModule {
public:
    explicit FakeModule(std::string_view ptx) {
        read(ptx, ".entry ", [&](std::string_view name, std::string_view rest) {
            kernels_[std::string(name)] = std::make_shared<const FakeRawKernel>(
                parameters_of(rest.substr(0, rest.find(')'))));
        });
        for (const char* space : {".global .align ", ".const .align "}) {
            read(ptx, space, [&](std::string_view, std::string_view rest) {
                // `text` is for example "4 .u32 counter".
                const std::string_view text = rest.substr(0, rest.find_first_of(";=["));
                const std::size_t end = text.find_last_not_of(' ') + 1;
                const std::size_t begin = text.rfind(' ', end - 1) + 1;
                variables_[std::string(text.substr(begin, end - begin))].resize(8);
            });
        }
    }
    std::vector<std::string> kernel_symbols() const override { return keys(kernels_); }
    std::shared_ptr<const LoadedKernel> kernel(const std::string& symbol) const override {
        const auto found = kernels_.find(symbol);
        return found == kernels_.end() ? nullptr : found->second;
    }
    std::optional<MemoryRegion> variable(const std::string& symbol) const override {
        const auto found = variables_.find(symbol);
        if (found == variables_.end()) return std::nullopt;
        return MemoryRegion{const_cast<char*>(found->second.data()), found->second.size()};
    }
    std::vector<std::string> variable_symbols() const override { return keys(variables_); }

private:
    template <typename Use>
    static void read(std::string_view text, std::string_view word, Use use) {
        for (std::size_t at = text.find(word); at != std::string_view::npos;
             at = text.find(word, at + 1)) {
            const std::string_view rest = text.substr(at + word.size());
            use(rest.substr(0, rest.find_first_of("( \n")), rest);
        }
    }
    static std::vector<KernelParameter> parameters_of(std::string_view text) {
        std::vector<KernelParameter> parameters;
        std::size_t offset = 0;
        for (std::size_t at = text.find(".param ."); at != std::string_view::npos;
             at = text.find(".param .", at + 1)) {
            const auto bytes =
                static_cast<std::size_t>(std::atoi(text.data() + at + sizeof(".param .u") - 1)) / 8;
            offset = (offset + bytes - 1) / bytes * bytes;
            parameters.push_back({offset, bytes, ParameterKind::unknown});
            offset += bytes;
        }
        return parameters;
    }
    template <typename Map>
    static std::vector<std::string> keys(const Map& map) {
        std::vector<std::string> names;
        for (const auto& each : map) names.push_back(each.first);
        return names;
    }
    std::map<std::string, std::shared_ptr<const LoadedKernel>> kernels_;
    std::map<std::string, std::vector<char>> variables_;
};

class FakeRaw final : public RawBackend {
public:
    struct Launch {
        const LoadedKernel* kernel = nullptr;
        LaunchConfig config;
        std::array<std::byte, 256> parameters = {};
        std::size_t parameters_bytes = 0;
        StreamHandle stream = nullptr;
    };
    mutable Launch last;
    mutable int launches = 0;
    mutable std::atomic<int> loads = 0;
    mutable std::atomic<int> rejections_left = 0;  // settable: images to reject
    mutable std::vector<std::pair<KernelSetting, int>> settings;

    std::shared_ptr<const LoadedModule> load_module(const Image& image,
                                                    const std::string& name) const override {
        if (rejections_left > 0) {
            --rejections_left;
            throw DeviceError("module '" + name + "': no kernel image", "cuLibraryLoadData", 209);
        }
        ++loads;
        const ImageSection* ptx = image.find(ImageKind::ptx);
        if (ptx == nullptr) throw DeviceError("module '" + name + "': the image has no PTX");
        return std::make_shared<const FakeModule>(
            std::string_view(reinterpret_cast<const char*>(ptx->bytes.data()), ptx->bytes.size()));
    }
    void launch(const LoadedKernel& kernel,
                const LaunchConfig& config,
                const void* parameters,
                std::size_t parameters_bytes,
                StreamHandle stream,
                const std::string&) const override {
        ++launches;
        last.kernel = &kernel;
        last.config = config;
        last.parameters_bytes = parameters_bytes;
        if (parameters_bytes > 0) {
            std::memcpy(last.parameters.data(),
                        parameters,
                        std::min(parameters_bytes, last.parameters.size()));
        }
        last.stream = stream;
    }
    KernelAttributes attributes(const LoadedKernel&) const override { return {.registers = 24}; }
    void set(const LoadedKernel&,
             KernelSetting setting,
             int value,
             const std::string&) const override {
        settings.emplace_back(setting, value);
    }
    int max_blocks_per_multiprocessor(const LoadedKernel&,
                                      int block,
                                      std::int64_t bytes) const override {
        return 2048 / block - static_cast<int>(bytes);
    }
    int max_clusters(const LoadedKernel&, const LaunchConfig& config) const override {
        return static_cast<int>(config.cluster.count());
    }
    SuggestedLaunch suggested_launch(const LoadedKernel&,
                                     std::int64_t bytes,
                                     int most) const override {
        return {most, static_cast<int>(bytes)};
    }
};

class FakeRawDevice : public Backend {
public:
    FakeRaw fake;

    explicit FakeRawDevice(Device device = Device::cuda(0)) : device_(device) {
        target_ = {.kind = DeviceKind::cuda, .arch = "sm_90"};
    }
    Device device() const noexcept override { return device_; }
    std::string description() const override { return "fake"; }
    DeviceInfo info() const override { return {}; }
    const Target& target() const override { return target_; }
    const Limits& limits() const override { return limits_; }
    std::shared_ptr<const LoadedKernel> load(const Image&) const override { return nullptr; }
    void launch(const LoadedKernel&,
                const LaunchShape&,
                const void*,
                std::size_t,
                StreamHandle,
                const std::string&) const override {}
    void* allocate(std::size_t bytes, StreamHandle) const override { return std::malloc(bytes); }
    Scratch scratch(std::size_t, std::size_t, StreamHandle) const override { return {}; }
    void free(void* pointer, std::size_t, StreamHandle) const noexcept override {
        std::free(pointer);
    }
    void copy(void* destination,
              const void* source,
              std::size_t bytes,
              CopyDirection,
              StreamHandle) const override {
        std::memcpy(destination, source, bytes);
    }
    void fill_bytes(void*, unsigned char, std::size_t, StreamHandle) const override {}
    void zero_for_launches(void*, std::size_t, StreamHandle) const override {}
    void copy_from_peer(void*, const void*, std::size_t, const Backend&, StreamHandle, StreamHandle)
        const override {}
    const RawBackend& raw() const override { return fake; }
    const GraphBackend& graphs() const override { return graphs_; }
    StreamHandle create_stream(const StreamOptions&) const override { return nullptr; }
    int stream_priority(StreamHandle) const override { return 0; }
    void call_on_host(StreamHandle, std::function<void()> function) const override { function(); }
    void destroy_stream(StreamHandle) const noexcept override {}
    void synchronize_stream(StreamHandle) const override {}
    bool is_stream_idle(StreamHandle) const override { return true; }
    void* create_event() const override { return std::malloc(1); }
    void destroy_event(void* event) const noexcept override { std::free(event); }
    void record_event(void*, StreamHandle) const override { ++events; }
    void wait_event(StreamHandle, void*) const override {}
    void synchronize_event(void*) const override {}
    bool is_event_done(void*) const override { return true; }
    double elapsed_ms(void*, void*) const override { return 0; }
    void synchronize() const override {}

    mutable int events = 0;  // number of recorded events

private:
    NoGraphs graphs_;
    Device device_;
    Target target_;
    Limits limits_;
};

// Creates an array on the fake device.
inline Array fake_array(const FakeRawDevice& device, const Dims& shape, DType dtype = float32) {
    const auto bytes = static_cast<std::size_t>(checked_size_bytes(shape, dtype));
    auto storage = Storage::allocate(device, bytes, Stream::legacy(device.device()));
    void* data = storage->data();
    return ArrayAccess::make(
        std::move(storage), dtype, shape, contiguous_strides(shape, dtype), data);
}

}  // namespace kgen::test

// SPDX-License-Identifier: MIT
#include "kernel/loaded_kernel.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "text/log.hpp"
#include "text/milliseconds_since.hpp"

namespace kgen {

namespace {

// Number of elements from which waking another host thread pays off, approximately.
constexpr std::int64_t host_grain = std::int64_t{1} << 16;

// Number of kernels that stay loaded without a holder. One function rarely defines more.
constexpr std::size_t kernels_kept = 64;

}  // namespace

std::shared_ptr<const LoadedKernel> load_kernel(const Image& image,
                                                const Backend& backend,
                                                const std::string& kernel) {
    const auto start = std::chrono::steady_clock::now();
    std::shared_ptr<const LoadedKernel> loaded = backend.load(image);
    log().debug("load: kernel '{}' on {}: {:.2f} ms",
                kernel,
                to_text(backend.device()),
                milliseconds_since(start));
    return loaded;
}

bool is_rejection(const DeviceError& error) noexcept {
    // CUDA_ERROR_INVALID_IMAGE, NO_BINARY_FOR_GPU, INVALID_PTX, UNSUPPORTED_PTX_VERSION,
    // INVALID_SOURCE, FILE_NOT_FOUND (an ELF file whose contents are incomplete).
    static constexpr std::array<int, 6> codes = {200, 209, 218, 222, 300, 301};
    return std::find(codes.begin(), codes.end(), error.code()) != codes.end();
}

std::size_t KernelKeyHash::operator()(const KernelKey& key) const noexcept {
    const auto device = static_cast<std::size_t>(key.device.ordinal()) * 2 +
                        static_cast<std::size_t>(key.device.kind());
    return std::hash<cache::Digest>()(key.request) ^ device;
}

KernelTable& process_kernels() {
    // Never destroyed, because the program's static destructors may still launch.
    static auto* table = new KernelTable(kernels_kept);
    return *table;
}

LaunchShape launch_shape(const Runtime& runtime) noexcept {
    return {.grid = runtime.grid,
            .block = runtime.threads,
            .shared_bytes = runtime.shared_bytes,
            .cooperative = runtime.cooperative,
            .count = runtime.work,
            .grain = host_grain};
}

void launch_kernel(const LoadedKernel& kernel,
                   const Runtime& runtime,
                   const Backend& backend,
                   StreamHandle stream,
                   const std::string& name) {
    if (runtime.count == 0) return;
    backend.launch(
        kernel, launch_shape(runtime), runtime.block.data(), runtime.block.size(), stream, name);
}

}  // namespace kgen

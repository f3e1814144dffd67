// SPDX-License-Identifier: MIT
//
// Arrays whose memory has exactly the size of their elements, so accesses outside are detected. On the host
// an inaccessible page follows or precedes them. On a GPU each array is an allocation of its own
// (cuMemAlloc), which compute-sanitizer checks. An array without elements has no memory; its address is null.
#pragma once

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <kgen/array.hpp>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "support/trial.hpp"

namespace kgen::test {

enum class Edge : std::uint8_t { end, begin };  // which end of the memory touches the page

// Allocates with cuMemAlloc on device 0, without the CUDA headers.
inline std::shared_ptr<std::byte> exact_gpu_memory(std::size_t bytes) {
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    const auto call = [](const char* name, auto* type, auto... arguments) {
        const auto function = reinterpret_cast<decltype(type)>(dlsym(library, name));
        if (function == nullptr || function(arguments...) != 0) throw std::runtime_error(name);
    };
    void* context = nullptr;
    call("cuDevicePrimaryCtxRetain", static_cast<int (*)(void**, int)>(nullptr), &context, 0);
    call("cuCtxSetCurrent", static_cast<int (*)(void*)>(nullptr), context);
    std::uintptr_t address = 0;
    call("cuMemAlloc_v2",
         static_cast<int (*)(std::uintptr_t*, std::size_t)>(nullptr),
         &address,
         bytes);
    return {reinterpret_cast<std::byte*>(address), [call](std::byte* memory) {
                call("cuMemFree_v2",
                     static_cast<int (*)(std::uintptr_t)>(nullptr),
                     reinterpret_cast<std::uintptr_t>(memory));
            }};
}

inline std::shared_ptr<std::byte> exact_host_memory(std::size_t bytes, Edge edge) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t inside = (bytes + page - 1) / page * page;
    const std::size_t all = inside + 2 * page;
    void* const pages = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    auto* const first = static_cast<std::byte*>(pages) + page;
    if (mprotect(first, inside, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    return {first + (edge == Edge::end ? inside - bytes : 0),
            [pages, all](std::byte*) { munmap(pages, all); }};
}

// A copy of an array in exact memory.
class ExactArray {
public:
    ExactArray(const Array& original, Edge edge) : original_(original) {
        if (original.size() == 0) {
            array_ = Array::view(static_cast<void*>(nullptr),
                                 original.dtype(),
                                 original.shape(),
                                 {.device = original.device(), .strides = original.strides()});
            return;
        }
        const auto [low, high] = reach(original);
        const auto bytes = static_cast<std::size_t>(high - low);
        const std::shared_ptr<std::byte> memory = original.device() == Device::host()
                                                      ? exact_host_memory(bytes, edge)
                                                      : exact_gpu_memory(bytes);
        const auto viewed =
            [&](void* address, DType dtype, const Dims& shape, const Dims& strides) {
                return Array::view(
                    address,
                    dtype,
                    shape,
                    {.device = original.device(), .strides = strides, .owner = memory});
            };
        array_ = viewed(memory.get() - low, original.dtype(), original.shape(), original.strides());
        const Dims length = {high - low};
        bytes_ = viewed(memory.get(), uint8, length, {1});
        original_bytes_ =
            viewed(static_cast<std::byte*>(original_.data()) + low, uint8, length, {1});
        bytes_.assign(original_bytes_);
    }

    const Array& array() const { return array_; }
    // Copies the elements back to the original array.
    void give_back() {
        if (bytes_.has_value()) original_bytes_.assign(bytes_);
    }

private:
    static std::pair<std::int64_t, std::int64_t> reach(const Array& array) {
        std::int64_t low = 0;
        auto high = static_cast<std::int64_t>(item_size(array.dtype()));
        for (int axis = 0; axis < array.rank(); ++axis) {
            const std::int64_t far = (array.shape()[axis] - 1) * array.strides()[axis];
            (far < 0 ? low : high) += far;
        }
        return {low, high};
    }

    Array original_;
    Array array_;
    Array bytes_;
    Array original_bytes_;
};

// Wraps `run` so that its arrays lie in exact memory.
inline RunTrial in_exact_memory(Edge edge, const RunTrial& run) {
    return [=](const std::vector<Array>& inputs, const std::vector<Array>& outputs) {
        std::vector<ExactArray> all;
        std::vector<Array> exact_inputs;
        std::vector<Array> exact_outputs;
        for (const Array& input : inputs)
            exact_inputs.push_back(all.emplace_back(input, edge).array());
        for (const Array& output : outputs) {
            const auto same = std::find_if(inputs.begin(), inputs.end(), [&](const Array& input) {
                return input.size() > 0 && input.data() == output.data();  // in place
            });
            exact_outputs.push_back(
                same != inputs.end() ? exact_inputs[static_cast<std::size_t>(same - inputs.begin())]
                                     : all.emplace_back(output, edge).array());
        }
        run(exact_inputs, exact_outputs);
        for (ExactArray& each : all) each.give_back();
    };
}

}  // namespace kgen::test

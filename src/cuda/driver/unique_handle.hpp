// SPDX-License-Identifier: MIT
//
// UniqueHandle: owns a handle of the driver, of NVRTC or of nvJitLink, and destroys it with the library's
// function.
#pragma once

#include <memory>
#include <type_traits>

namespace kgen {

template <typename Handle, typename Function>
struct DestroyHandle {
    using pointer = Handle;
    Function destroy = {};  // takes the handle or, as NVRTC and nvJitLink do, its address

    void operator()(Handle handle) const noexcept {
        if constexpr (std::is_invocable_v<const Function&, Handle*>) {
            destroy(&handle);
        } else {
            destroy(handle);
        }
    }
};

// Made as UniqueHandle(handle, {api.graph_destroy}). `Function` is the type of that member.
template <typename Handle, typename Function>
using UniqueHandle = std::unique_ptr<Handle, DestroyHandle<Handle, Function>>;

}  // namespace kgen

// SPDX-License-Identifier: MIT
#include "cuda/driver/cuda_devices.hpp"

#include <deque>
#include <mutex>

#include "cuda/cuda_backend.hpp"
#include "cuda/driver/driver_library.hpp"
#include "cuda/nvrtc/nvrtc_compiler.hpp"
#include "device/stay_loaded.hpp"

namespace kgen {

int cuda_device_count() noexcept {
    try {
        return DriverLibrary::get().device_count();
    } catch (...) {
        return 0;
    }
}

const Backend& cuda_backend(int ordinal) {
    struct Slot {
        std::once_flag once;
        const CudaBackend* backend = nullptr;
    };
    const DriverLibrary& driver = DriverLibrary::get();
    static auto* slots = new std::deque<Slot>(static_cast<std::size_t>(driver.device_count()));
    if (ordinal < 0 || ordinal >= driver.device_count()) {
        static_cast<void>(CudaBackend(driver, ordinal));  // throws an error that lists the devices
    }
    Slot& slot = (*slots)[static_cast<std::size_t>(ordinal)];
    std::call_once(slot.once, [&] {
        stay_loaded();
        slot.backend = new CudaBackend(driver, ordinal);
    });
    return *slot.backend;
}

const Compiler& nvrtc_compiler() {
    static const auto* compiler = new NvrtcCompiler(NvrtcSearch::from_environment());
    return *compiler;
}

}  // namespace kgen

// SPDX-License-Identifier: MIT
#include "cuda/driver/driver_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <kgen/error.hpp>
#include <memory>
#include <optional>

#include "device/capture_record.hpp"
#include "text/environment.hpp"
#include "text/log.hpp"

namespace kgen {

namespace {

constexpr int oldest_driver = 12040;
constexpr const char* get_driver =
    "install NVIDIA's driver 550 or newer, or set KGEN_CUDA_PATH to its libcuda.so.1";

void* open_library(const std::string& path) {
    const char* file = path.empty() ? "libcuda.so.1" : path.c_str();
    if (void* library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL)) return library;
    const char* reason = ::dlerror();
    throw DeviceError(fmt::format(
        "no CUDA driver: looked for {}: {}; {}",
        path.empty() ? "libcuda.so.1 through the loader's path (LD_LIBRARY_PATH, /etc/ld.so.cache)"
                     : fmt::format("'{}' (KGEN_CUDA_PATH)", path),
        reason != nullptr ? reason : "unknown reason",
        get_driver));
}

std::string path_of(void* library, const std::string& fallback) {
    link_map* map = nullptr;
    if (::dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr && *map->l_name != '\0') {
        return map->l_name;
    }
    return fallback;
}

[[noreturn]] void refuse_stub(const std::string& path) {
    throw DeviceError(
        fmt::format("'{}' is the toolkit's stub of the CUDA driver, made for linking only: {}; "
                    "remove the toolkit's 'stubs' folder from LD_LIBRARY_PATH",
                    path,
                    get_driver),
        "cuInit",
        CUDA_ERROR_STUB_LIBRARY);
}

[[noreturn]] void refuse_init(CUresult result,
                              const std::string& described,
                              const std::string& path) {
    if (result == CUDA_ERROR_STUB_LIBRARY) refuse_stub(path);
    std::string message;
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    if (result == CUDA_ERROR_NO_DEVICE && visible != nullptr) {
        message = fmt::format(
            "no GPU: CUDA_VISIBLE_DEVICES='{}' hides all of them; unset it, or name "
            "a GPU that 'nvidia-smi -L' lists",
            visible);
    } else if (result == CUDA_ERROR_NO_DEVICE) {
        message = fmt::format(
            "no GPU: the CUDA driver '{}' finds none; check with 'nvidia-smi -L', in "
            "a container start it with '--gpus all'",
            path);
    } else if (result == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH) {
        message = fmt::format(
            "the CUDA driver '{}' and the kernel's NVIDIA module are of different "
            "versions: restart the machine after a driver update",
            path);
    } else {
        message =
            fmt::format("the CUDA driver '{}' does not start: cuInit failed: {}", path, described);
    }
    throw DeviceError(message, "cuInit", result);
}

}  // namespace

std::string cuda_version_text(int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

DriverLibrary::DriverLibrary(const std::string& path) : process_(::getpid()) {
    void* library = open_library(path);
    path_ = path_of(library, path);

    const auto get_version =
        reinterpret_cast<decltype(&::cuDriverGetVersion)>(::dlsym(library, "cuDriverGetVersion"));
    if (get_version == nullptr) {
        throw DeviceError(fmt::format(
            "'{}' is not a CUDA driver: it has no cuDriverGetVersion; {}", path_, get_driver));
    }
    const CUresult version_result = get_version(&version_);
    if (version_result == CUDA_ERROR_STUB_LIBRARY) refuse_stub(path_);
    const auto get_entry =
        reinterpret_cast<decltype(&::cuGetProcAddress)>(::dlsym(library, "cuGetProcAddress_v2"));
    if (version_ < oldest_driver || get_entry == nullptr) {
        throw DeviceError(
            fmt::format("the CUDA driver is too old: got CUDA {} in '{}', expected {} or "
                        "newer: install NVIDIA's driver 550 or newer",
                        cuda_version_text(version_),
                        path_,
                        cuda_version_text(oldest_driver)));
    }

    // Fills the pointer if the driver has this version of the function.
    const auto find = [&](auto& member, const char* name, int version) {
        void* address = nullptr;
        CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
        const CUresult result =
            get_entry(name, &address, version, CU_GET_PROC_ADDRESS_DEFAULT, &status);
        if (result == CUDA_SUCCESS)
            member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(address);
        return result;
    };
    const auto bind = [&](auto& member, const char* name) {
        const CUresult result = find(member, name, oldest_driver);
        if (member == nullptr) {
            throw DeviceError(fmt::format("the CUDA driver '{}' (CUDA {}) has no {}; {}",
                                          path_,
                                          cuda_version_text(version_),
                                          name,
                                          get_driver),
                              "cuGetProcAddress",
                              result);
        }
    };
#define KGEN_BIND(member, function) bind(api_.member, #function);
    KGEN_DRIVER_ENTRIES(KGEN_BIND)
#undef KGEN_BIND
#define KGEN_BIND_RELAXED(member, name)                        \
    {                                                          \
        decltype(&::name) function = nullptr;                  \
        bind(function, #name);                                 \
        api_.member.set(function, api_.exchange_capture_mode); \
    }
    KGEN_RELAXED_DRIVER_ENTRIES(KGEN_BIND_RELAXED)
#undef KGEN_BIND_RELAXED
#define KGEN_FIND(member, function) find(api_.member, #function, oldest_driver);
    KGEN_OPTIONAL_DRIVER_ENTRIES(KGEN_FIND)
#undef KGEN_FIND
    find(api_.stream_get_capture_info,
         "cuStreamGetCaptureInfo",
         DriverApi::stream_get_capture_info_version);
    find(api_.stream_update_capture_dependencies,
         "cuStreamUpdateCaptureDependencies",
         DriverApi::stream_get_capture_info_version);
    decltype(&::cuInit) initialise = nullptr;
    bind(initialise, "cuInit");

    CUresult result = initialise(0);
    if (result == CUDA_SUCCESS) {
        result = api_.device_get_count(&device_count_);
        if (result == CUDA_SUCCESS && device_count_ == 0) result = CUDA_ERROR_NO_DEVICE;
    }
    if (result != CUDA_SUCCESS) refuse_init(result, describe(result), path_);
    log().debug(
        "CUDA driver {}, {}, {} device(s)", cuda_version_text(version_), path_, device_count_);
}

const DriverLibrary& DriverLibrary::get() {
    struct Attempt {
        std::unique_ptr<const DriverLibrary> library;
        std::optional<DeviceError> error;
    };
    // Never destroyed, because backends outlive all destructors. A failure is kept too, so later calls are
    // cheap.
    static const Attempt* attempt = [] {
        auto* made = new Attempt;
        try {
            made->library =
                std::make_unique<const DriverLibrary>(environment("KGEN_CUDA_PATH").value_or(""));
        } catch (const DeviceError& error) {
            made->error = error;
        }
        return made;
    }();
    if (attempt->error) throw DeviceError(*attempt->error);
    return *attempt->library;
}

std::string DriverLibrary::describe(CUresult result) const {
    // After shutdown the driver does not return the name of an error any more.
    if (result == CUDA_ERROR_DEINITIALIZED) {
        return "CUDA_ERROR_DEINITIALIZED (driver shutting down)";
    }
    const char* name = nullptr;
    const char* text = nullptr;
    if (api_.get_error_name(result, &name) != CUDA_SUCCESS || name == nullptr) {
        return fmt::format("error {}", static_cast<int>(result));
    }
    if (api_.get_error_string(result, &text) != CUDA_SUCCESS || text == nullptr) return name;
    return fmt::format("{} ({})", name, text);
}

void DriverLibrary::fail(CUresult result, const char* call, std::string_view context) const {
    std::string message = fmt::format("{}: {} failed: {}", context, call, describe(result));
    if (result == CUDA_ERROR_NOT_INITIALIZED && process_ != ::getpid()) {
        message +=
            "; the CUDA driver was started before this process was forked: fork before the first "
            "use "
            "of a GPU, or run another program (exec) in the child";
    }
    if (result == CUDA_ERROR_DEINITIALIZED) {
        message +=
            "; the process is ending: the driver is unloaded before static objects that existed "
            "when it was first used";
    }
    // These errors may have invalidated this thread's stream capture. The message is stored, so that
    // end_capture() can report the cause later.
    if (result >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED &&
        result <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD) {
        if (CaptureRecord* record = CaptureRecord::of_this_thread()) record->note_failure(message);
    }
    throw DeviceError(message, call, static_cast<int>(result));
}

}  // namespace kgen

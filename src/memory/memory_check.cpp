// SPDX-License-Identifier: MIT
#include "memory/memory_check.hpp"

#include <fmt/format.h>

#include <atomic>
#include <kgen/error.hpp>
#include <string>

#include "device/memory_backend.hpp"
#include "device/registry.hpp"
#include "memory/layout.hpp"
#include "memory/storage.hpp"
#include "text/error_parts.hpp"
#include "text/setting.hpp"

namespace kgen {

namespace {

[[noreturn]] void fail(std::string_view what, Device device, const std::string& but) {
    refuse<DeviceError>({ErrorKind::device, std::string(what), to_text(device)},
                        "{} should be on {}, but {}",
                        what,
                        to_text(device),
                        but);
}

}  // namespace

void check_memory(std::string_view what, const void* first, std::size_t bytes, Device device) {
    const MemoryBackend* memory = backend(device).memory();
    if (memory == nullptr) return;
    const auto begin = reinterpret_cast<std::uintptr_t>(first);
    const std::uintptr_t end = begin + bytes;
    // Each pass looks up one allocation, because a range may consist of several mapped pieces.
    for (std::uintptr_t at = begin; at < end;) {
        const AddressFacts facts = memory->look_up(reinterpret_cast<const void*>(at));
        if (facts.kind == MemoryKind::unknown) {
            if (at == begin) {
                fail(what,
                     device,
                     fmt::format("{} is not memory of the CUDA driver: it is pageable host "
                                 "memory, or it was freed",
                                 first));
            }
            fail(what,
                 device,
                 fmt::format("its {} bytes from {} end {} bytes beyond the allocation",
                             bytes,
                             first,
                             end - at));
        }
        if (facts.kind == MemoryKind::device && facts.ordinal != device.ordinal()) {
            fail(what,
                 device,
                 fmt::format("{} is memory of {}",
                             reinterpret_cast<const void*>(at),
                             to_text(traits(device).device(facts.ordinal))));
        }
        // For some memory the driver returns no range.
        if (facts.bytes == 0 || facts.begin + facts.bytes <= at) return;
        at = facts.begin + facts.bytes;
    }
}

bool checks_pointers() {
    static const bool checks = [] {
        std::atomic<bool> is_told = false;
        return read_switch("KGEN_CHECK_POINTERS", is_told);
    }();
    return checks;
}

void check_foreign(std::string_view what, const Array& array) {
    if (!array.has_value() || !array.storage()->is_borrowed()) return;
    const ByteSpan span = byte_span(array.shape(), array.strides(), array.dtype());
    check_memory(what,
                 static_cast<const std::byte*>(array.data()) + span.low,
                 static_cast<std::size_t>(span.high - span.low),
                 array.device());
}

}  // namespace kgen

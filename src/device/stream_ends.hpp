// SPDX-License-Identifier: MIT
//
// StreamEnds: the streams of other libraries whose end was told (Stream::end_use). Memory may remember such a
// stream, whose handle must not be used any more; has_ended() tells. The driver may give the address of an
// ended stream to a new one. So a view is as old as the number of ends before it, and has ended if its handle
// was ended after that.
#pragma once

#include <atomic>
#include <cstdint>
#include <kgen/stream.hpp>

namespace kgen {

struct StreamEnds {
    static std::uint64_t count() noexcept { return count_.load(std::memory_order_relaxed); }
    // Makes has_ended() true for all views of the stream that exist now. Thread-safe.
    static void add(const Stream& stream);
    // Must be called for a new view.
    static void set_age(Stream& stream) noexcept { stream.age_ = count(); }
    static bool find(const Stream& stream) noexcept;

private:
    static inline std::atomic<std::uint64_t> count_ = 0;
};

// Takes no lock until the first stream has ended, and none for streams that kgen keeps alive.
inline bool has_ended(const Stream& stream) noexcept {
    return StreamEnds::count() != 0 && !stream.keeps_handle() && StreamEnds::find(stream);
}

}  // namespace kgen

// SPDX-License-Identifier: MIT
#include "host/kernel/host_raw_error.hpp"

#include <fmt/format.h>

#include <array>

#include "text/advice.hpp"

namespace kgen {

namespace {

constexpr std::array names = {
    "__syncthreads",     "__syncthreads_count", "__syncthreads_and", "__syncthreads_or",
    "__shfl_sync",       "__shfl_up_sync",      "__shfl_down_sync",  "__shfl_xor_sync",
    "__syncwarp",        "__ballot_sync",       "__any_sync",        "__all_sync",
    "__match_any_sync",  "__match_all_sync",    "__reduce_add_sync", "__reduce_min_sync",
    "__reduce_max_sync", "__reduce_min_sync",   "__reduce_max_sync", "__reduce_and_sync",
    "__reduce_or_sync",  "__reduce_xor_sync",
};
static_assert(names.size() == static_cast<std::size_t>(WaitKind::bit_xor) + 1);

std::string text(const HostIndex& index) {
    return fmt::format("({}, {}, {})", index.x, index.y, index.z);
}

std::string at(const WaitPlace& place) {
    return fmt::format("{}({})", place.file != nullptr ? place.file : "?", place.line);
}

std::string function_at(const WaitingThread& waiting) {
    return fmt::format("{}{} at {}",
                       names.at(static_cast<std::size_t>(waiting.place.kind)),
                       waiting.mask != 0 ? fmt::format(" with mask {:#010x}", waiting.mask) : "",
                       at(waiting.place));
}

std::string number(const HostRawFailure& failure, unsigned long long bits) {
    return failure.is_signed ? fmt::format("{}", static_cast<long long>(bits))
                             : fmt::format("{}", bits);
}

}  // namespace

std::string what_failed(const HostRawFailure& failure) {
    const char* file = failure.file != nullptr ? failure.file : "?";
    switch (failure.what) {
        case HostRawFailure::division:
            return fmt::format("integer division {}: {} / {} at {}({}:{})",
                               failure.right == 0 ? "by zero" : "overflows",
                               number(failure, failure.left),
                               number(failure, failure.right),
                               file,
                               failure.line,
                               failure.column);
        case HostRawFailure::assertion:
            return fmt::format("assertion '{}' failed at {}({})", failure.text, file, failure.line);
        default:
            return fmt::format("__trap() at {}({})", file, failure.line);
    }
}

std::string describe_failure(const HostRawFailure& failure) {
    return fmt::format("{}, in thread {} of block {}",
                       what_failed(failure),
                       text(failure.thread),
                       text(failure.block));
}

std::string describe_barriers(const HostIndex& block,
                              const WaitingThread& first,
                              const WaitingThread& other) {
    return fmt::format(
        "threads of block {} wait at different barriers: thread {} in {}, thread {} in {}",
        text(block),
        text(first.thread),
        function_at(first),
        text(other.thread),
        function_at(other));
}

std::string describe_stuck(const HostIndex& block,
                           const WaitingThread& waiting,
                           const WaitingThread& missing) {
    return fmt::format(
        "threads of block {} wait for each other: thread {} in {} for thread {}, which is in {}\n"
        "all threads of a mask must call the same function with the same mask",
        text(block),
        text(waiting.thread),
        function_at(waiting),
        text(missing.thread),
        function_at(missing));
}

std::string describe_mask(const HostIndex& block, const WaitingThread& thread, unsigned lane) {
    return fmt::format(
        "thread {} of block {} is lane {}, which the mask of its {} does not include",
        text(thread.thread),
        text(block),
        lane,
        function_at(thread));
}

std::string describe_shared_memory(std::size_t given_bytes, std::size_t used_bytes) {
    return fmt::format(
        "its dynamic shared memory (extern __shared__) is too small: {}, expected at least {}",
        advise(Advice::got_shared_bytes, given_bytes),
        used_bytes);
}

}  // namespace kgen

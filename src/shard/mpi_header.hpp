// SPDX-License-Identifier: MIT
//
// MpiHeader: what a rank tells another one before the bytes of a verb.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace kgen {

constexpr int mpi_header_tag = 1;
constexpr int mpi_data_tag = 2;

enum class MpiVerb : std::uint32_t { allgather, all_to_all, broadcast, barrier, farewell };

inline const char* to_text(MpiVerb verb) noexcept {
    constexpr std::array<const char*, 5> names = {
        "allgather", "all_to_all", "broadcast", "barrier", "abort"};
    const auto number = static_cast<std::size_t>(verb);
    return number < names.size() ? names[number] : "an unknown operation";
}

struct MpiHeader {
    MpiVerb verb = MpiVerb::barrier;
    std::int32_t root = 0;
    std::uint64_t call = 0;      // the number of the call on this communicator
    std::uint64_t sent = 0;      // bytes that the sender of the header will send to its receiver
    std::uint64_t expected = 0;  // bytes that it expects of the receiver
    std::uint64_t balance = 0;   // size_balance() of the sender
    std::array<char, 216> reason = {};  // of a farewell

    void set_reason(std::string_view text) noexcept {
        const std::size_t length = std::min(text.size(), reason.size() - 1);
        std::memcpy(reason.data(), text.data(), length);
        reason[length] = '\0';
    }
};

// Returns a number whose sum over all ranks is 0 if all pairs of ranks agree on their sizes, and almost never otherwise.
// So all ranks learn that two of them disagree. sent[k] are the bytes that `rank` sends to rank k.
inline std::uint64_t size_balance(int rank,
                                  std::span<const std::uint64_t> sent,
                                  std::span<const std::uint64_t> expected) noexcept {
    // The finaliser of SplitMix64.
    const auto mix = [](std::uint64_t x) {
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
        return x ^ (x >> 31);
    };
    const auto pair = [&](std::size_t from, std::size_t to, std::uint64_t bytes) {
        return mix(mix((static_cast<std::uint64_t>(from) << 32) + to + 0x9e3779b97f4a7c15U) +
                   bytes);
    };
    const auto own = static_cast<std::size_t>(rank);
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < sent.size(); ++k) {
        if (k != own) sum += pair(own, k, sent[k]) - pair(k, own, expected[k]);
    }
    return sum;
}

}  // namespace kgen

// SPDX-License-Identifier: MIT
#include "shard/exchange.hpp"

#include <kgen/array_creation.hpp>
#include <utility>

#include "shard/communicator_access.hpp"
#include "shard/engine.hpp"

namespace kgen {

namespace {

std::span<std::byte> bytes_of(const Array& array) {
    if (!array.has_value()) return {};
    return {static_cast<std::byte*>(array.data()), static_cast<std::size_t>(array.size_bytes())};
}

// Returns an array of the values, in host memory of its own.
Array bytes_on_host(std::span<const std::byte> bytes) {
    const Array array =
        empty({static_cast<std::int64_t>(bytes.size())}, uint8, {.device = Device::host()});
    std::memcpy(array.data(), bytes.data(), bytes.size());
    return array;
}

}  // namespace

void exchange_pieces(const Communicator& communicator, std::span<const RankPieces> pieces) {
    const std::span<const int> ranks = communicator.local_ranks();
    std::vector<RankTransfer> transfers;
    std::vector<Array> sent;                      // contiguous copies, kept until the end
    std::vector<std::pair<Array, Array>> spread;  // received copies, and where they belong
    for (std::size_t k = 0; k < pieces.size(); ++k) {
        const auto own = static_cast<std::size_t>(ranks[k]);
        const Device device = communicator.device(ranks[k]);
        RankTransfer transfer{.sends = {}, .receives = {}, .stream = current_stream(device)};
        for (std::size_t peer = 0; peer < pieces[k].sends.size(); ++peer) {
            const Array out = peer == own ? Array() : pieces[k].sends[peer];
            sent.push_back(out.has_value() ? out.ascontiguous() : out);
            transfer.sends.push_back(bytes_of(sent.back()));
            Array in = peer == own ? Array() : pieces[k].receives[peer];
            if (in.has_value() && !in.is_contiguous()) {
                const Array target = in;
                in = empty(target.shape(), target.dtype(), {.device = device});
                spread.emplace_back(in, target);
            }
            transfer.receives.push_back(bytes_of(in));
        }
        if (pieces[k].sends[own].has_value()) pieces[k].receives[own].assign(pieces[k].sends[own]);
        transfers.push_back(std::move(transfer));
    }
    CommunicatorAccess::engine(communicator).all_to_all(transfers);
    for (const auto& [from, to] : spread) to.assign(from);
}

void gather_to_all(const Communicator& communicator,
                   std::span<const Array> arrays,
                   std::span<const Array> results) {
    std::vector<RankTransfer> transfers;
    for (std::size_t k = 0; k < arrays.size(); ++k) {
        transfers.push_back({.sends = {bytes_of(arrays[k])},
                             .receives = {bytes_of(results[k])},
                             .stream = current_stream(arrays[k].device())});
    }
    CommunicatorAccess::engine(communicator).allgather(transfers);
}

std::vector<std::byte> exchange_bytes(const Communicator& communicator,
                                      std::span<const std::byte> mine) {
    const std::span<const int> ranks = communicator.local_ranks();
    const std::size_t each = mine.size() / ranks.size();
    std::vector<Array> arrays, results;
    for (std::size_t k = 0; k < ranks.size(); ++k) {
        const Device device = communicator.device(ranks[k]);
        arrays.push_back(bytes_on_host(mine.subspan(k * each, each)).to(device));
        const auto all = static_cast<std::int64_t>(each) * communicator.size();
        results.push_back(empty({all}, uint8, {.device = device}));
    }
    gather_to_all(communicator, arrays, results);
    CommunicatorAccess::engine(communicator).wait();
    const Array on_host = results[0].to(Device::host());
    const std::span<const std::byte> bytes = bytes_of(on_host);
    return {bytes.begin(), bytes.end()};
}

}  // namespace kgen

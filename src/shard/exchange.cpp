// SPDX-License-Identifier: MIT
#include "shard/exchange.hpp"

#include <cstdint>
#include <kgen/array_creation.hpp>
#include <optional>
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

namespace {

// One rank of this process in an exchange. Pieces are packed and unpacked on its current stream, and travel on another one if
// there are several rounds.
class RankExchange {
public:
    RankExchange(const RankPieces& pieces, int rank, Device device, int rounds)
        : pieces_(pieces),
          own_(static_cast<std::size_t>(rank)),
          rounds_(rounds),
          work_(current_stream(device)),
          travel_(rounds > 1 ? Stream::create(device) : work_) {}

    RankTransfer pack(int round) {
        RankTransfer transfer{.sends = {}, .receives = {}, .stream = travel_};
        unpacked_.clear();
        for (std::size_t peer = 0; peer < pieces_.sends.size(); ++peer) {
            const Array out = peer == own_ ? Array() : part_of(pieces_.sends[peer], round);
            sent_.push_back(out.has_value() ? out.ascontiguous() : out);
            transfer.sends.push_back(bytes_of(sent_.back()));
            Array in = peer == own_ ? Array() : part_of(pieces_.receives[peer], round);
            if (in.has_value() && !in.is_contiguous()) {
                const Array target = in;
                in = empty(target.shape(), target.dtype(), {.device = work_.device()});
                unpacked_.emplace_back(in, target);
            }
            transfer.receives.push_back(bytes_of(in));
        }
        if (rounds_ > 1) travel_.wait(work_);
        return transfer;
    }
    void copy_own() const {
        if (pieces_.sends[own_].has_value()) pieces_.receives[own_].assign(pieces_.sends[own_]);
    }
    // After the transfer was queued: unpacks the round before.
    void unpack_earlier() {
        unpack();
        arriving_ = std::move(unpacked_);
        if (rounds_ == 1) return;
        arrived_.emplace(work_.device());
        arrived_->record(travel_);
    }
    void unpack() {
        if (arrived_) work_.wait(*arrived_);
        for (const auto& [from, to] : arriving_) to.assign(from);
        arriving_.clear();
    }

private:
    Array part_of(const Array& piece, int round) const {
        if (!piece.has_value() || rounds_ == 1) return piece;
        const std::int64_t extent = piece.shape()[0];
        return piece.slice({{extent * round / rounds_, extent * (round + 1) / rounds_}});
    }

    const RankPieces& pieces_;
    std::size_t own_;
    int rounds_;
    Stream work_;
    Stream travel_;
    std::vector<Array> sent_;  // kept until the end
    // Received copies, and where they belong: of this round, and of the round before.
    std::vector<std::pair<Array, Array>> unpacked_, arriving_;
    std::optional<Event> arrived_;
};

}  // namespace

void exchange_pieces(const Communicator& communicator,
                     std::span<const RankPieces> pieces,
                     int rounds) {
    const std::span<const int> numbers = communicator.local_ranks();
    std::vector<RankExchange> ranks;
    for (std::size_t k = 0; k < pieces.size(); ++k)
        ranks.emplace_back(pieces[k], numbers[k], communicator.device(numbers[k]), rounds);
    for (int round = 0; round < rounds; ++round) {
        std::vector<RankTransfer> transfers;
        for (RankExchange& each : ranks) transfers.push_back(each.pack(round));
        CommunicatorAccess::engine(communicator).all_to_all(transfers);
        for (RankExchange& each : ranks) {
            if (round == 0) each.copy_own();
            each.unpack_earlier();
        }
    }
    for (RankExchange& each : ranks) each.unpack();
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

// SPDX-License-Identifier: MIT
//
// VerbTrials: random calls of an engine's verbs, whose results are compared with the expected bytes. All ranks must use the
// same seed and number of trials.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <kgen/array.hpp>
#include <kgen/communicator.hpp>
#include <random>
#include <string>
#include <vector>

#include "shard/communicator_access.hpp"
#include "shard/engine.hpp"

namespace kgen::test {

class VerbTrials {
public:
    VerbTrials(Engine& engine, std::uint64_t seed, std::size_t largest = 5000)
        : engine_(engine), random_(seed), largest_(largest) {}

    // Returns the first difference, or "good".
    std::string run(int count) {
        for (trial_ = 0; trial_ < count; ++trial_) {
            std::string problem;
            switch (random_() % 4) {
                case 0:
                    problem = allgather();
                    break;
                case 1:
                    problem = all_to_all();
                    break;
                case 2:
                    problem = broadcast(static_cast<int>(random_() % size()));
                    break;
                default:
                    engine_.barrier();
            }
            if (!problem.empty()) return fmt::format("trial {}: {}", trial_, problem);
        }
        return "good";
    }

private:
    using Bytes = std::vector<std::uint8_t>;

    std::uint64_t size() const { return static_cast<std::uint64_t>(engine_.size()); }
    // A fifth of the sizes is 0.
    std::size_t next_size() { return random_() % 5 == 0 ? 0 : random_() % largest_; }

    Bytes sent(std::size_t bytes, int from, int to) const {
        Bytes values(bytes);
        auto state = static_cast<std::uint32_t>(trial_ * 7919 + from * 131 + to * 17 + 1);
        for (std::uint8_t& value : values) {
            state = state * 1664525U + 1013904223U;
            value = static_cast<std::uint8_t>(state >> 24);
        }
        return values;
    }

    struct Part {
        RankTransfer transfer;
        std::vector<Array> arrays;    // of all parts
        std::vector<Array> receives;  // those to compare
        std::vector<Bytes> expected;
    };

    Part part_of(std::size_t k) const {
        return {.transfer = {.stream = current_stream(engine_.devices()[k])}};
    }
    void send(Part& part, const Bytes& values) const {
        const Array array = from_vector(values, {.device = part.transfer.stream.device()});
        part.arrays.push_back(array);
        part.transfer.sends.emplace_back(static_cast<const std::byte*>(array.data()),
                                         values.size());
    }
    void receive(Part& part, const Bytes& expected) const {
        const Array array =
            from_vector(Bytes(expected.size(), 255), {.device = part.transfer.stream.device()});
        part.receives.push_back(array);
        part.expected.push_back(expected);
        part.transfer.receives.emplace_back(static_cast<std::byte*>(array.data()), expected.size());
    }

    template <typename Call>
    std::string compare(const char* verb, std::vector<Part>& parts, Call call) {
        std::vector<RankTransfer> transfers;
        for (const Part& part : parts) transfers.push_back(part.transfer);
        call(transfers);
        engine_.wait();
        if (!engine_.poll()) return fmt::format("{}: not done after wait()", verb);
        for (std::size_t k = 0; k < parts.size(); ++k) {
            for (std::size_t from = 0; from < parts[k].receives.size(); ++from) {
                if (parts[k].receives[from].template to_vector<std::uint8_t>() ==
                    parts[k].expected[from])
                    continue;
                return fmt::format(
                    "{}: rank {} got wrong bytes in part {}", verb, engine_.local_ranks()[k], from);
            }
        }
        return "";
    }

    std::string allgather() {
        const std::size_t bytes = next_size();
        std::vector<Part> parts;
        for (std::size_t k = 0; k < engine_.local_ranks().size(); ++k) {
            parts.push_back(part_of(k));
            send(parts.back(), sent(bytes, engine_.local_ranks()[k], 0));
            Bytes all;
            for (int from = 0; from < engine_.size(); ++from) {
                const Bytes each = sent(bytes, from, 0);
                all.insert(all.end(), each.begin(), each.end());
            }
            receive(parts.back(), all);
        }
        return compare("allgather", parts, [&](auto& transfers) { engine_.allgather(transfers); });
    }

    std::string all_to_all() {
        std::vector<std::size_t> sizes(size() * size());
        for (std::size_t& bytes : sizes) bytes = next_size();
        const auto bytes = [&](int from, int to) {
            return sizes[static_cast<std::size_t>(from * engine_.size() + to)];
        };
        std::vector<Part> parts;
        for (std::size_t k = 0; k < engine_.local_ranks().size(); ++k) {
            const int rank = engine_.local_ranks()[k];
            parts.push_back(part_of(k));
            for (int peer = 0; peer < engine_.size(); ++peer) {
                send(parts.back(), sent(bytes(rank, peer), rank, peer));
                receive(parts.back(), sent(bytes(peer, rank), peer, rank));
            }
        }
        return compare(
            "all_to_all", parts, [&](auto& transfers) { engine_.all_to_all(transfers); });
    }

    std::string broadcast(int root) {
        const std::size_t bytes = next_size();
        std::vector<Part> parts;
        for (std::size_t k = 0; k < engine_.local_ranks().size(); ++k) {
            parts.push_back(part_of(k));
            if (engine_.local_ranks()[k] == root) {
                send(parts.back(), sent(bytes, root, 0));
            } else {
                receive(parts.back(), sent(bytes, root, 0));
            }
        }
        return compare(
            "broadcast", parts, [&](auto& transfers) { engine_.broadcast(transfers, root); });
    }

    Engine& engine_;
    std::mt19937_64 random_;
    std::size_t largest_;
    int trial_ = 0;
};

}  // namespace kgen::test

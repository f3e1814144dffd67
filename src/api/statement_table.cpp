// SPDX-License-Identifier: MIT
#include "api/statement_table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <kgen/elementwise_kernel.hpp>
#include <kgen/reduction_kernel.hpp>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>

#include "call/kernel_access.hpp"
#include "expression/compare_with_limits.hpp"
#include "fork_mutex.hpp"

namespace kgen {

namespace {

void mix(std::uint64_t& hash, std::uint64_t word) noexcept {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
}

void mix_words(std::uint64_t& hash, std::span<const std::uint16_t> words) noexcept {
    for (; words.size() >= 4; words = words.subspan(4)) {
        std::uint64_t four;
        std::memcpy(&four, words.data(), 8);
        mix(hash, four);
    }
    if (words.empty()) return;
    std::uint64_t rest = 0;
    std::memcpy(&rest, words.data(), words.size_bytes());
    mix(hash, rest);
}

// Hashes all that the kernels depend on.
std::uint64_t hash_of(const detail::Tape& tape, Joining joining, int rank) noexcept {
    std::uint64_t hash = tape.code.size() << 16 | static_cast<std::uint64_t>(rank) << 8 |
                         static_cast<std::uint64_t>(joining);
    mix_words(hash, tape.code);
    mix_words(hash, tape.slots);
    mix_words(hash, tape.number_slots);
    mix_words(hash, tape.shape_slots);
    std::uint64_t dtypes = 0;
    for (const Array& each : tape.arrays)
        dtypes = std::rotl(dtypes, 5) ^ static_cast<std::uint64_t>(each.dtype());
    mix(hash, dtypes);
    return hash;
}

// Returns the largest rank of the tape's arrays if row kernels depend on it.
int rank_of(const detail::Tape& tape, Joining joining) noexcept {
    int rank = 0;
    if (!has_row_groups(joining)) return rank;
    for (const Array& each : tape.arrays) rank = std::max(rank, each.shape().rank());
    for (const detail::DrawnShape& each : tape.shapes) rank = std::max(rank, each.shape.rank());
    return rank;
}

KnownStatement make_statement(const detail::Tape& tape, Joining joining, int rank) {
    std::vector<DType> dtypes;
    for (const std::uint16_t slot : tape.slots) dtypes.push_back(tape.arrays[slot].dtype());
    KnownStatement made;
    made.statement =
        compose(make_nodes({tape.code, dtypes, tape.slots, tape.number_slots, tape.shape_slots}),
                joining,
                rank);
    for (const Step& step : made.statement.steps) {
        std::optional<AxesArgument>& axes = made.axes.emplace_back();
        if (step.reduction == no_node) {
            made.kernels.push_back(KernelAccess::make<ElementwiseKernel>(step.definition));
            continue;
        }
        made.kernels.push_back(KernelAccess::make<ReductionKernel>(step.definition));
        const Node& node = made.statement.list.nodes[step.reduction];
        if (!node.all_axes) axes.emplace(std::span<const int>(node.axes));
    }
    return made;
}

struct Entry {
    Entry(const detail::Tape& tape, Joining joined, int its_rank, std::uint64_t its_hash)
        : code(tape.code),
          slots(tape.slots),
          number_slots(tape.number_slots),
          shape_slots(tape.shape_slots),
          joining(joined),
          rank(its_rank),
          hash(its_hash),
          statement(make_statement(tape, joining, rank)) {
        for (const Array& each : tape.arrays) dtypes.push_back(each.dtype());
    }

    bool is_of(const detail::Tape& tape,
               Joining wanted,
               int its_rank,
               std::uint64_t its_hash) const noexcept {
        return hash == its_hash && joining == wanted && rank == its_rank && code == tape.code &&
               slots == tape.slots && number_slots == tape.number_slots &&
               shape_slots == tape.shape_slots &&
               std::ranges::equal(dtypes, tape.arrays, {}, {}, &Array::dtype);
    }

    std::vector<std::uint16_t> code, slots, number_slots, shape_slots;  // as in the tape
    std::vector<DType> dtypes;                                          // of the tape's arrays
    Joining joining;
    int rank;
    std::uint64_t hash;
    KnownStatement statement;
};

struct StatementTable {
    cache::ForkMutex mutex;
    std::unordered_multimap<std::uint64_t, std::unique_ptr<const Entry>> entries;

    const Entry* find(const detail::Tape& tape,
                      Joining joining,
                      int rank,
                      std::uint64_t hash) const {
        const auto [begin, end] = entries.equal_range(hash);
        for (auto each = begin; each != end; ++each)
            if (each->second->is_of(tape, joining, rank, hash)) return each->second.get();
        return nullptr;
    }
};

const KnownStatement& find_as_written(const detail::Tape& tape, Joining joining) {
    static auto* const table = new StatementTable;  // never destroyed
    // The statements that this thread computed last, found without a lock.
    thread_local std::array<const Entry*, 256> recent{};
    const int rank = rank_of(tape, joining);
    const std::uint64_t hash = hash_of(tape, joining, rank);
    const Entry*& place = recent[hash % recent.size()];
    if (place != nullptr && place->is_of(tape, joining, rank, hash)) return place->statement;
    {
        const std::lock_guard lock(table->mutex);
        place = table->find(tape, joining, rank, hash);
    }
    if (place != nullptr) return place->statement;
    // Made without the lock. If another thread is quicker, its entry is used.
    auto made = std::make_unique<const Entry>(tape, joining, rank, hash);
    const std::lock_guard lock(table->mutex);
    place = table->find(tape, joining, rank, hash);
    if (place == nullptr) place = table->entries.emplace(hash, std::move(made))->second.get();
    return place->statement;
}

}  // namespace

const KnownStatement& find_statement(detail::Tape& tape, Joining joining) {
    const KnownStatement& found = find_as_written(tape, joining);
    return compare_with_limits(tape, found.statement.list) ? find_as_written(tape, joining) : found;
}

}  // namespace kgen

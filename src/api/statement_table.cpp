// SPDX-License-Identifier: MIT
#include "api/statement_table.hpp"

#include <array>
#include <cstring>
#include <kgen/elementwise_kernel.hpp>
#include <kgen/reduction_kernel.hpp>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "call/kernel_access.hpp"
#include "expression/compare_with_limits.hpp"
#include "fork_mutex.hpp"

namespace kgen {

namespace {

// Whether two arrays are the same view, so that one load serves both.
bool is_same_view(const Array& a, const Array& b) noexcept {
    return a.data() == b.data() && a.dtype() == b.dtype() && a.shape() == b.shape() &&
           a.strides() == b.strides() && a.storage() == b.storage();
}

// Keeps each view once, and notes which of them each array was.
void merge_arrays(detail::Tape& tape) {
    if (!tape.slots.empty()) return;
    std::size_t count = 0;
    for (Array& each : tape.arrays) {
        std::size_t slot = 0;
        while (slot < count && !is_same_view(tape.arrays[slot], each)) ++slot;
        tape.slots.push_back(static_cast<std::uint16_t>(slot));
        if (slot < count) continue;
        if (&tape.arrays[count] != &each) tape.arrays[count] = std::move(each);
        ++count;
    }
    tape.arrays.resize(count);
}

// Appends to the code what else the kernels depend on, and returns all of it. The code tells how many arrays follow.
std::string_view make_key(detail::Tape& tape, Joining joining) {
    merge_arrays(tape);
    tape.key.assign(tape.code.begin(), tape.code.end());
    tape.key.push_back(static_cast<std::uint16_t>(joining));
    for (const std::uint16_t slot : tape.slots) {
        tape.key.push_back(static_cast<std::uint16_t>(tape.arrays[slot].dtype()));
        tape.key.push_back(slot);
    }
    return {reinterpret_cast<const char*>(tape.key.data()), tape.key.size() * sizeof(tape.key[0])};
}

std::uint64_t hash_of(std::string_view key) noexcept {
    std::uint64_t hash = key.size();
    const auto mix = [&](std::uint64_t word) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    };
    while (key.size() >= 8) {
        std::uint64_t word;
        std::memcpy(&word, key.data(), 8);
        mix(word);
        key.remove_prefix(8);
    }
    std::uint64_t word = 0;
    std::memcpy(&word, key.data(), key.size());
    mix(word);
    return hash;
}

KnownStatement make_statement(const detail::Tape& tape, Joining joining) {
    std::vector<DType> dtypes;
    for (const std::uint16_t slot : tape.slots) dtypes.push_back(tape.arrays[slot].dtype());
    KnownStatement made;
    made.statement = compose(make_nodes({tape.code, dtypes, tape.slots}), joining);
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
    std::string key;
    std::uint64_t hash;
    KnownStatement statement;
};

struct StatementTable {
    cache::ForkMutex mutex;
    std::unordered_multimap<std::uint64_t, std::unique_ptr<const Entry>> entries;

    const Entry* find(std::uint64_t hash, std::string_view key) const {
        const auto [begin, end] = entries.equal_range(hash);
        for (auto each = begin; each != end; ++each) {
            if (each->second->key == key) return each->second.get();
        }
        return nullptr;
    }
};

const KnownStatement& find_as_written(detail::Tape& tape, Joining joining) {
    static auto* const table = new StatementTable;  // never destroyed
    // The statements that this thread computed last, found without a lock.
    thread_local std::array<const Entry*, 256> recent{};
    const std::string_view key = make_key(tape, joining);
    const std::uint64_t hash = hash_of(key);
    const Entry*& place = recent[hash % recent.size()];
    if (place != nullptr && place->hash == hash && place->key == key) return place->statement;
    {
        const std::lock_guard lock(table->mutex);
        place = table->find(hash, key);
    }
    if (place != nullptr) return place->statement;
    // Made without the lock. If another thread is quicker, its entry is used.
    auto made =
        std::make_unique<Entry>(Entry{std::string(key), hash, make_statement(tape, joining)});
    const std::lock_guard lock(table->mutex);
    place = table->find(hash, key);
    if (place == nullptr) place = table->entries.emplace(hash, std::move(made))->second.get();
    return place->statement;
}

}  // namespace

const KnownStatement& find_statement(detail::Tape& tape, Joining joining) {
    const KnownStatement& found = find_as_written(tape, joining);
    return compare_with_limits(tape, found.statement.list) ? find_as_written(tape, joining) : found;
}

}  // namespace kgen

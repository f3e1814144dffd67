// SPDX-License-Identifier: MIT
#include "cuda/memory/block_table.hpp"

namespace kgen {

std::size_t BlockTable::block_bytes(std::size_t bytes) noexcept {
    if (bytes > largest_bytes) {
        constexpr std::size_t page = std::size_t{2} << 20;
        const std::size_t rounded = (bytes + page - 1) / page * page;
        return rounded < bytes ? bytes : rounded;
    }
    const std::size_t units = units_of(bytes);
    return (units <= steps ? units : step_of(units).units) * unit_bytes;
}

void* BlockTable::take(StreamId stream, std::size_t bytes) noexcept {
    if (bytes > largest_bytes) return nullptr;
    const auto found = streams_.find(stream);
    if (found == streams_.end()) return nullptr;
    std::vector<void*>& blocks = found->second[class_of(bytes)];
    if (blocks.empty()) return nullptr;
    void* block = blocks.back();
    blocks.pop_back();
    kept_bytes_ -= block_bytes(bytes);
    return block;
}

bool BlockTable::keep(StreamId stream, std::size_t bytes, void* block) {
    if (bytes > largest_bytes || kept_bytes_ + block_bytes(bytes) > capacity_bytes) return false;
    streams_[stream][class_of(bytes)].push_back(block);
    kept_bytes_ += block_bytes(bytes);
    return true;
}

std::vector<KeptBlock> BlockTable::drain(StreamId stream) {
    std::vector<KeptBlock> drained;
    const auto found = streams_.find(stream);
    if (found == streams_.end()) return drained;
    for (std::size_t number = 0; number < class_count; ++number) {
        const std::size_t bytes = bytes_of_class(number);
        for (void* block : found->second[number]) drained.push_back({stream, bytes, block});
        kept_bytes_ -= found->second[number].size() * bytes;
    }
    streams_.erase(found);
    return drained;
}

std::vector<KeptBlock> BlockTable::drain() {
    std::vector<KeptBlock> drained;
    while (!streams_.empty()) {
        const std::vector<KeptBlock> blocks = drain(streams_.begin()->first);
        drained.insert(drained.end(), blocks.begin(), blocks.end());
    }
    return drained;
}

void BlockTable::restore(const KeptBlock& block) {
    streams_[block.stream][class_of(block.bytes)].push_back(block.pointer);
    kept_bytes_ += block.bytes;
}

}  // namespace kgen

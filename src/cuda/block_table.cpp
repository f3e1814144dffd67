// SPDX-License-Identifier: MIT
#include "cuda/block_table.hpp"

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

std::vector<void*> BlockTable::drain(StreamId stream) {
    std::vector<void*> drained;
    const auto found = streams_.find(stream);
    if (found == streams_.end()) return drained;
    for (std::size_t index = 0; index < class_count; ++index) {
        const std::size_t units =
            index < steps ? index + 1 : (index % steps + steps + 1) << (index / steps - 1);
        kept_bytes_ -= found->second[index].size() * units * unit_bytes;
        drained.insert(drained.end(), found->second[index].begin(), found->second[index].end());
    }
    streams_.erase(found);
    return drained;
}

std::vector<void*> BlockTable::drain() {
    std::vector<void*> drained;
    for (const auto& [stream, classes] : streams_) {
        for (const auto& blocks : classes)
            drained.insert(drained.end(), blocks.begin(), blocks.end());
    }
    streams_.clear();
    kept_bytes_ = 0;
    return drained;
}

}  // namespace kgen

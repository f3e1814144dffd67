// SPDX-License-Identifier: MIT
#include <atomic>
#include <thread>
#include <vector>

#include "cuda/memory/block_table.hpp"
#include "support/catch.hpp"

using kgen::BlockCells;
using kgen::BlockTable;
using kgen::KeptBlock;

namespace {

void* block(std::uintptr_t number) {
    return reinterpret_cast<void*>(number);
}

constexpr std::size_t MiB = std::size_t{1} << 20;

}  // namespace

TEST_CASE("sizes are rounded up to steps of an eighth of their power of two", "[cuda]") {
    struct Row {
        std::size_t bytes;
        std::size_t expected;
    };
    const Row row = GENERATE(Row{0, 256},
                             Row{1, 256},
                             Row{256, 256},
                             Row{257, 512},
                             Row{2048, 2048},
                             Row{2049, 2304},
                             Row{4096, 4096},
                             Row{4097, 4608},
                             Row{MiB, MiB},
                             Row{MiB + 1, MiB + MiB / 8},
                             Row{32 * MiB, 32 * MiB},
                             Row{32 * MiB + 1, 34 * MiB});
    CHECK(BlockTable::block_bytes(row.bytes) == row.expected);
}

TEST_CASE("a rounded size is its own size, is a multiple of 256, and wastes at most an eighth",
          "[cuda]") {
    std::size_t previous = 0;
    for (std::size_t bytes = 1; bytes < 40 * MiB; bytes += 1 + bytes / 37) {
        const std::size_t rounded = BlockTable::block_bytes(bytes);
        INFO(bytes);
        REQUIRE(rounded >= bytes);
        REQUIRE(rounded >= previous);
        REQUIRE(rounded % 256 == 0);
        REQUIRE(BlockTable::block_bytes(rounded) == rounded);
        if (bytes > 2048) REQUIRE(rounded - bytes <= bytes / 8 + 256);
        previous = rounded;
    }
}

TEST_CASE("a kept block comes back for its size and stream alone", "[cuda]") {
    BlockTable table;
    REQUIRE(table.keep(1, 1000, block(0x1000)));
    CHECK(table.take(2, 1000) == nullptr);
    CHECK(table.take(1, 2000) == nullptr);
    CHECK(table.take(1, 1024) == block(0x1000));  // the same size class as 1000
    CHECK(table.take(1, 1000) == nullptr);
}

TEST_CASE("every size that is kept is found again, whatever its class", "[cuda]") {
    for (std::size_t bytes = 1; bytes <= BlockTable::largest_bytes; bytes += 1 + bytes / 29) {
        BlockTable table;
        INFO(bytes);
        REQUIRE(table.keep(7, bytes, block(0x100)));
        REQUIRE(table.kept_bytes() == BlockTable::block_bytes(bytes));
        const std::vector<KeptBlock> drained = {
            {.stream = 7, .bytes = BlockTable::block_bytes(bytes), .pointer = block(0x100)}};
        REQUIRE(table.drain(7) == drained);
        REQUIRE(table.kept_bytes() == 0);
        REQUIRE(table.keep(7, bytes, block(0x100)));
        REQUIRE(table.take(7, BlockTable::block_bytes(bytes)) == block(0x100));
        REQUIRE(table.kept_bytes() == 0);
    }
}

TEST_CASE("large blocks are not kept, nor any beyond the capacity", "[cuda]") {
    BlockTable table;
    CHECK_FALSE(table.keep(0, BlockTable::largest_bytes + 1, block(0x100)));
    std::uintptr_t kept = 0;
    while (table.keep(0, 32 * MiB, block(0x1000 + kept))) ++kept;
    CHECK(kept == BlockTable::capacity_bytes / (32 * MiB));
    CHECK_FALSE(table.keep(0, 1, block(0x100)));
    const std::vector<KeptBlock> drained = table.drain();
    CHECK(drained.size() == kept);
    CHECK(table.kept_bytes() == 0);
    for (const KeptBlock& each : drained) table.restore(each);
    table.restore({.stream = 5, .bytes = 256, .pointer = block(0x100)});  // beyond the capacity
    CHECK(table.kept_bytes() == BlockTable::capacity_bytes + 256);
    CHECK(table.take(5, 200) == block(0x100));
}

TEST_CASE("a cell keeps one block of its size, and gives it once", "[cuda]") {
    BlockCells cells;
    CHECK(cells.take(1000) == nullptr);
    CHECK(cells.keep(1000, block(1)));
    CHECK_FALSE(cells.keep(1024, block(2)));  // the cell of this size is occupied
    CHECK(cells.keep(1025, block(3)));
    CHECK(cells.take(1020) == block(1));
    CHECK(cells.take(1020) == nullptr);
    CHECK(cells.keep(BlockCells::largest_bytes, block(4)));
    CHECK_FALSE(cells.keep(BlockCells::largest_bytes + 1, block(5)));
    CHECK(cells.take(BlockCells::largest_bytes + 1) == nullptr);
    const std::vector<KeptBlock> drained = {
        {.stream = 9, .bytes = 1280, .pointer = block(3)},
        {.stream = 9, .bytes = BlockCells::largest_bytes, .pointer = block(4)}};
    CHECK(cells.drain(9) == drained);
    CHECK(cells.drain(9).empty());
}

TEST_CASE("threads that share cells never get one block at once", "[cuda]") {
    BlockCells cells;
    std::vector<std::atomic<int>> users(8);
    std::atomic<int> clashes{0};
    std::vector<std::thread> threads;
    for (int number = 0; number < 8; ++number) {
        threads.emplace_back([&, number] {
            auto* own = static_cast<void*>(&users[static_cast<std::size_t>(number)]);
            for (int round = 0; round < 20000; ++round) {
                if (own == nullptr) own = cells.take(256);
                if (own == nullptr) continue;
                auto& user = *static_cast<std::atomic<int>*>(own);
                if (user.fetch_add(1) != 0) ++clashes;
                user.fetch_sub(1);
                if (cells.keep(256, own)) own = nullptr;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(clashes == 0);
}

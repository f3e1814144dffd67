// SPDX-License-Identifier: MIT
//
// Threads read packs while packs are added and removed.
#include <atomic>
#include <barrier>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "pack_format.hpp"
#include "read_only_place.hpp"
#include "store.hpp"
#include "support/cache_fixtures.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

using namespace kgen::cache;

namespace {

std::string name_of(int k) {
    return "kernel " + std::to_string(k);
}

Entry packed_entry(int k) {
    Entry entry = sample_entry(name_of(k), 5000);
    entry.metadata = {{"kernel", name_of(k)}};
    entry.created_s = 0;
    return entry;
}

}  // namespace

TEST_CASE("threads find whole entries in packs while packs come and go") {
    constexpr int packs = 20;
    const TempDir folder;
    Warnings warnings;
    Store store(settings_for(folder / "root", warnings));
    const std::vector<std::byte> in_memory = encode_pack({packed_entry(packs)});
    store.add_place(std::make_unique<PackPlace>("in memory", in_memory));
    std::atomic<int> put{0};
    std::atomic<int> wrong{0};
    std::atomic<int> found_late{0};
    std::barrier start(4);
    std::vector<std::thread> readers;
    for (int reader = 0; reader < 3; ++reader) {
        readers.emplace_back([&] {
            start.arrive_and_wait();
            for (bool last = false; !last;) {
                last = put == packs;
                for (int k = 0; k <= packs; ++k) {
                    const FindResult found = store.find(sha256(name_of(k)));
                    if (found && *found.entry != packed_entry(k)) ++wrong;
                    if (last && found) ++found_late;
                }
            }
        });
    }
    start.arrive_and_wait();
    for (int k = 0; k < packs; ++k) {
        const PutPackResult result = store.put_pack(encode_pack({packed_entry(k)}));
        if (k % 4 == 0) std::filesystem::remove(result.path);
        put = k + 1;
    }
    for (std::thread& reader : readers) reader.join();
    CHECK(wrong == 0);
    CHECK(found_late == 3 * (packs - packs / 4 + 1));
    CHECK(warnings.text() == "");
}

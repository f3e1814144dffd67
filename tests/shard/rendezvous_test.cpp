// SPDX-License-Identifier: MIT
#include "shard/rendezvous.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <kgen/error.hpp>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;

namespace {

constexpr std::chrono::milliseconds patient = std::chrono::seconds(20);
constexpr std::chrono::milliseconds impatient(200);

CommunicatorId id_of(int first) {
    CommunicatorId id = {};
    for (std::size_t k = 0; k < id.size(); ++k) id[k] = std::byte(static_cast<unsigned>(first) + k);
    return id;
}

bool is_empty(const TempDir& folder) {
    return std::filesystem::is_empty(folder.path());
}

void write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
}

// Returns whether all ranks get the id of rank 0, which comes that much later than the others.
bool meet(const std::string& path, int size, int first, std::chrono::milliseconds delay) {
    std::vector<CommunicatorId> taken(static_cast<std::size_t>(size), CommunicatorId{});
    std::vector<std::thread> others;
    for (int rank = 1; rank < size; ++rank) {
        others.emplace_back([&, rank] {
            taken[static_cast<std::size_t>(rank)] = take_id(path, rank, size, patient);
        });
    }
    std::this_thread::sleep_for(delay);
    give_id(path, id_of(first), size, patient);
    for (std::thread& other : others) other.join();
    bool is_good = true;
    for (int rank = 1; rank < size; ++rank)
        is_good = is_good && taken[static_cast<std::size_t>(rank)] == id_of(first);
    return is_good;
}

}  // namespace

TEST_CASE("ranks get the id through the rendezvous file, which is gone afterwards", "[shard]") {
    const TempDir folder;
    for (int run = 0; run < 10; ++run)
        CHECK(meet(folder / "meeting", 4, run, std::chrono::milliseconds(run % 3 * 30)));
    CHECK(is_empty(folder));
}

TEST_CASE("files that an earlier run left are not taken", "[shard]") {
    const TempDir folder;
    const std::string path = folder / "meeting";
    std::string old = "kgen-answer-1 3 ";
    for (int k = 0; k < 128; ++k) old += "ab";
    write(path, old + " 1:0011223344556677 2:8899aabbccddeeff\n");
    write(path + ".1", "kgen-rank-1 3 0011223344556677\n");
    write(path + ".2", "kgen-rank-1 3 8899aabbccddeeff\n");
    CHECK(meet(path, 3, 5, std::chrono::milliseconds(100)));
    CHECK(is_empty(folder));
    // Rank 0 comes before the others, and sees only the old files at first.
    write(path, old + "\n");
    write(path + ".1", "kgen-rank-1 3 0011223344556677\n");
    std::thread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        CHECK(take_id(path, 1, 2, patient) == id_of(9));
    });
    give_id(path, id_of(9), 2, patient);
    other.join();
    CHECK(is_empty(folder));
}

TEST_CASE("a rank that does not come to the rendezvous file is named", "[shard]") {
    const TempDir folder;
    const std::string path = folder / "meeting";
    CHECK(KGEN_MESSAGE_OF(CommunicationError, give_id(path, id_of(0), 3, impatient)) ==
          fmt::format("rank 0: rank 1, 2 did not come to the rendezvous file '{}' within 200 ms",
                      path));
    CHECK(
        KGEN_MESSAGE_OF(CommunicationError, take_id(path, 2, 3, impatient)) ==
        fmt::format("rank 2: rank 0 did not come to the rendezvous file '{}' within 200 ms", path));
    CHECK(is_empty(folder));
    CHECK(
        KGEN_MESSAGE_OF(CommunicationError, take_id("/nonexistent/folder/meeting", 1, 2, impatient))
            .starts_with(
                "the rendezvous file '/nonexistent/folder/meeting.1' cannot be written: "));
}

TEST_CASE("ranks that were started with different sizes are told so", "[shard]") {
    const TempDir folder;
    const std::string path = folder / "meeting";
    std::string message;
    std::thread other(
        [&] { message = KGEN_MESSAGE_OF(CommunicationError, take_id(path, 1, 3, patient)); });
    give_id(path, id_of(0), 2, patient);
    other.join();
    CHECK(message ==
          "rank 1 says that there are 3 ranks, but rank 0 says 2; start all ranks with the same "
          "number");
}

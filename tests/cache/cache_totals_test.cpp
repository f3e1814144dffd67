// SPDX-License-Identifier: MIT
//
// Totals on disk: they are added up over processes, never block a process, and are never wrong after damage.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "disk_totals.hpp"
#include "store.hpp"
#include "support/cache_fixtures.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/temp_dir.hpp"

namespace fs = std::filesystem;
using namespace kgen::cache;

namespace {

struct Scene {
    TempDir folder;
    int root = ::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    Scene() { fs::create_directory(folder / "v1"); }
    ~Scene() { ::close(root); }
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;
};

std::uint64_t of(const Totals& totals, const std::string& name) {
    const auto found = totals.find(name);
    return found == totals.end() ? 0 : found->second;
}

}  // namespace

TEST_CASE("totals of processes and times add up") {
    const Scene scene;
    CHECK(read_totals(scene.root).empty());
    CHECK(add_totals(scene.root, {{"hits", 3}, {"stores", 1}}));
    CHECK(add_totals(scene.root, {{"hits", 4}}));
    for (int k = 0; k < 5; ++k) {
        CHECK(ended_well(wait_for(start_child([&] {
            return add_totals(scene.root, {{"hits", 10}}) ? 0 : 1;
        }))));
    }
    CHECK(read_totals(scene.root) == Totals{{"hits", 57}, {"stores", 1}});
    CHECK(files_below(scene.folder.path()).size() >= 2);
    CHECK(files_below(scene.folder.path()).size() <= 16);
    CHECK(remove_totals(scene.root) == 0);
    CHECK(read_totals(scene.root).empty());
}

TEST_CASE(
    "files of totals that others hold are passed over, and if all are held the counts are lost") {
    const Scene scene;
    REQUIRE(add_totals(scene.root, {{"hits", 1}}));
    const std::string first = files_below(scene.folder.path()).at(0);
    const std::string start = first.substr(0, first.rfind('-') + 1);
    std::vector<int> held;
    const auto hold = [&](const std::string& path) {
        held.push_back(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        struct flock range {};
        range.l_type = F_WRLCK;
        REQUIRE(::fcntl(held.back(), F_OFD_SETLK, &range) == 0);
    };
    hold(first);
    CHECK(add_totals(scene.root, {{"hits", 1}}));
    CHECK(files_below(scene.folder.path()).size() == 2);
    for (int k = 0; k < 16; ++k) {
        if (start + std::to_string(k) != first) hold(start + std::to_string(k));
    }
    CHECK_FALSE(add_totals(scene.root, {{"hits", 1}}));
    for (const int file : held) ::close(file);
    CHECK(of(read_totals(scene.root), "hits") == 2);
}

TEST_CASE("a file of totals that does not read counts as zero and is replaced") {
    const Scene scene;
    REQUIRE(add_totals(scene.root, {{"hits", 41}}));
    const std::string file = files_below(scene.folder.path()).at(0);
    const std::vector<std::byte> good = read_file(file);
    const auto check = [&](const std::vector<std::byte>& bad) {
        write_file(file, bad);
        CHECK(read_totals(scene.root).empty());
        CHECK(add_totals(scene.root, {{"hits", 5}}));
        CHECK(read_totals(scene.root) == Totals{{"hits", 5}});
    };
    for (std::size_t k = 0; k < good.size(); ++k) {
        INFO("byte " << k);
        std::vector<std::byte> bad = good;
        bad[k] ^= std::byte{1};
        check(bad);
        bad = good;
        bad.resize(k);
        check(bad);
    }
    check(std::vector<std::byte>(100'000));
    fs::remove(file);
    fs::create_directory(file);
    CHECK(add_totals(scene.root, {{"hits", 6}}));
    CHECK(read_totals(scene.root) == Totals{{"hits", 6}});
}

TEST_CASE("nothing is made where there is no store") {
    const Scene scene;
    fs::remove(scene.folder / "v1");
    CHECK_FALSE(add_totals(scene.root, {{"hits", 1}}));
    CHECK(fs::is_empty(scene.folder.path()));
}

TEST_CASE("a store brings each count to disk once") {
    TempDir folder;
    Warnings warnings;
    const StoreSettings settings = settings_for(folder / "root", warnings);
    Store store(settings);
    store.find(sha256("a"), sample_producer);
    REQUIRE(store.put(sample_entry("a")));
    REQUIRE(store.find(sha256("a"), sample_producer));
    store.flush_statistics();
    store.flush_statistics();
    Store other(settings);
    REQUIRE(other.find(sha256("a"), sample_producer));
    other.flush_statistics();
    const int root = ::open(settings.root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CHECK(read_totals(root) == Totals{{"hits", 2}, {"misses.absent", 1}, {"stores", 1}});
    ::close(root);
    CHECK(warnings.text() == "");
}

TEST_CASE("a read-only store writes no totals") {
    TempDir folder;
    Warnings warnings;
    Store(settings_for(folder / "root", warnings)).put(sample_entry("a"));
    const std::size_t before = files_below(folder.path()).size();
    fs::remove_all(folder / "root/v1/stats");
    Store store(settings_for(folder / "root", warnings, StoreMode::read_only));
    REQUIRE(store.find(sha256("a"), sample_producer));
    store.flush_statistics();
    CHECK(files_below(folder.path()).size() == before - 1);
}

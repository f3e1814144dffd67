// SPDX-License-Identifier: MIT
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "store.hpp"
#include "support/cache_fixtures.hpp"
#include "support/catch.hpp"
#include "support/temp_dir.hpp"

namespace fs = std::filesystem;
using namespace kgen::cache;

namespace {

const Entry& entry_1() {
    static const Entry entry = sample_entry("request 1");
    return entry;
}

// A store in a fresh directory that holds entry_1.
struct Scene {
    TempDir folder;
    Warnings warnings;
    std::string root = folder / "root";
    std::string path;

    Scene() {
        Store store = make();
        REQUIRE(store.put(entry_1()));
        path = store.entry_path(entry_1().request, sample_producer);
        REQUIRE(fs::is_regular_file(path));
    }
    Store make(StoreMode mode = StoreMode::read_write) {
        return Store(settings_for(root, warnings, mode));
    }
    std::string in_quarantine() const {
        const std::string name = fs::path(path).filename();
        return root + "/quarantine/" + fs::path(path).parent_path().filename().string() + name;
    }
};

FindResult find_1(Store& store) {
    return store.find(entry_1().request, sample_producer);
}

}  // namespace

TEST_CASE("what was put is found by another store, whole") {
    Scene scene;
    Store store = scene.make();
    for (const auto& result : {find_1(store), store.find(entry_1().request)}) {
        REQUIRE(result.entry.has_value());
        CHECK(*result.entry == entry_1());
        CHECK(result.reason == MissReason::none);
        CHECK(result.path == scene.path);
    }
    CHECK(store.statistics().hits == 2);
    CHECK(store.statistics().misses == std::array<std::uint64_t, miss_reasons>{});
    CHECK(scene.warnings.text().empty());
}

TEST_CASE("the store's files are laid out as documented") {
    Scene scene;
    const std::string hex = sha256("request 1").to_hex();
    const std::string name = hex.substr(2) + '-' + sha256(sample_producer).to_hex().substr(0, 16);
    CHECK(scene.path == scene.root + "/v1/" + hex.substr(0, 2) + '/' + name + ".kgc");
    CHECK(files_below(scene.root).size() == 3);  // the entry, CACHEDIR.TAG and the totals
    const auto tag = read_file(scene.root + "/CACHEDIR.TAG");
    CHECK(as_text(tag).starts_with("Signature: 8a477f597d28d172789f06886806bc55\n# kgen"));
    CHECK(read_file(scene.path) == encode_entry(entry_1()));
}

TEST_CASE("an entry without a time of creation gets the present one") {
    Scene scene;
    Entry entry = sample_entry("timeless");
    entry.created_s = 0;
    // time() lags behind this clock by up to one tick.
    const auto now_s = [] {
        return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    };
    const std::time_t before_s = now_s();
    Store store = scene.make();
    REQUIRE(store.put(entry));
    const FindResult found = store.find(entry.request);
    REQUIRE(found);
    CHECK(found.entry->created_s >= before_s);
    CHECK(found.entry->created_s <= now_s());
}

TEST_CASE("a named producer gets its own entries only, an unnamed one anyone's") {
    Scene scene;
    Store store = scene.make();
    const FindResult other = store.find(entry_1().request, "another compiler");
    CHECK(other.reason == MissReason::other_producer);
    CHECK(store.find(entry_1().request).entry->producer_identity == sample_producer);

    Entry second = entry_1();
    second.producer_identity = "another compiler";
    REQUIRE(store.put(second));
    CHECK(store.find(entry_1().request, "another compiler").entry->producer_identity ==
          "another compiler");
    CHECK(find_1(store).entry->producer_identity == sample_producer);
    CHECK(store.find(entry_1().request));
    CHECK(store.find(sha256("request 2")).reason == MissReason::absent);
    CHECK(store.find(sha256("request 2"), sample_producer).reason == MissReason::absent);

    // If either of the two entries is damaged, the other one is found.
    for (const std::string& producer :
         {std::string("another compiler"), std::string(sample_producer)}) {
        write_file(store.entry_path(entry_1().request, producer), {});
        CHECK(store.find(entry_1().request));
        second.producer_identity = producer;
        REQUIRE(store.put(second));
    }
}

TEST_CASE(
    "a damaged entry is a miss, is moved to the quarantine once, and is repaired by the next put") {
    struct Case {
        std::string what;
        std::function<std::vector<std::byte>(std::vector<std::byte>)> damage;
        MissReason reason;
        std::string detail;
    };
    const std::vector<Case> cases = {
        {"nothing",
         [](auto) { return std::vector<std::byte>(); },
         MissReason::damaged,
         "the file is shorter than a header"},
        {"zeros of the same length",
         [](auto file) { return std::vector<std::byte>(file.size()); },
         MissReason::damaged,
         "the file does not start with the signature of an entry"},
        {"a byte more",
         [](auto file) {
             file.push_back(std::byte{0});
             return file;
         },
         MissReason::damaged,
         "the file is not as long as its header says"},
        {"a byte less",
         [](auto file) {
             file.pop_back();
             return file;
         },
         MissReason::damaged,
         "the file is not as long as its header says"},
        {"a bit of the header",
         [](auto file) {
             file[50] ^= std::byte{4};
             return file;
         },
         MissReason::damaged,
         "the header does not match its checksum"},
        {"a bit of the metadata",
         [](auto file) {
             file[200] ^= std::byte{1};
             return file;
         },
         MissReason::damaged,
         "the metadata do not match their checksum"},
        {"a bit of the payload",
         [](auto file) {
             file.back() ^= std::byte{128};
             return file;
         },
         MissReason::damaged,
         "a section does not match its checksum"},
        {"another request's entry",
         [](auto) { return encode_entry(sample_entry("request 2")); },
         MissReason::foreign_request,
         "it holds the entry of another request"},
        {"another producer's entry",
         [](auto) {
             Entry entry = entry_1();
             entry.producer_identity = "another compiler";
             return encode_entry(entry);
         },
         MissReason::foreign_request,
         "it holds the entry of another producer"},
    };
    for (const Case& row : cases) {
        for (const bool name_producer : {true, false}) {
            INFO(row.what << (name_producer ? ", producer named" : ""));
            Scene scene;
            write_file(scene.path, row.damage(read_file(scene.path)));
            Store store = scene.make();
            const auto find = [&] {
                return name_producer ? find_1(store) : store.find(entry_1().request);
            };
            const FindResult bad = find();
            CHECK(bad.reason == row.reason);
            CHECK(bad.detail == row.detail);
            CHECK(bad.path == scene.path);
            CHECK(scene.warnings.text() ==
                  "cache: dropped '" + scene.path + "': " + row.detail + '\n');
            CHECK_FALSE(fs::exists(scene.path));
            CHECK(fs::exists(scene.in_quarantine()));
            CHECK(store.statistics().quarantined == 1);
            CHECK(store.statistics().misses[static_cast<std::size_t>(row.reason)] == 1);
            CHECK(find().reason == MissReason::absent);

            REQUIRE(store.put(entry_1()));
            CHECK(find());
            // If the entry is damaged a second time, find() misses again, but the store neither quarantines
            // the file nor warns about it again.
            write_file(scene.path, row.damage(read_file(scene.path)));
            CHECK(find().reason == row.reason);
            CHECK(store.statistics().quarantined == 1);
            CHECK(scene.warnings.texts().size() == 1);
            REQUIRE(store.put(entry_1()));
            CHECK(find());
        }
    }
}

TEST_CASE("what is not a file in an entry's place is a miss at once, and is repaired") {
    struct Case {
        std::string what;
        std::function<void(const Scene&)> make;
        std::string detail;
    };
    const std::vector<Case> cases = {
        {"directory",
         [](const Scene& scene) { fs::create_directory(scene.path); },
         "the entry is not a regular file"},
        {"full directory",
         [](const Scene& scene) { fs::create_directories(scene.path + "/a/b"); },
         "the entry is not a regular file"},
        {"FIFO",
         [](const Scene& scene) { REQUIRE(::mkfifo(scene.path.c_str(), 0600) == 0); },
         "the entry is not a regular file"},
        {"link to a sound entry",
         [](const Scene& scene) {
             write_file(scene.folder / "sound", encode_entry(entry_1()));
             fs::create_symlink(scene.folder / "sound", scene.path);
         },
         "the entry is a symbolic link"},
        {"dangling link",
         [](const Scene& scene) { fs::create_symlink("/nonexistent/x", scene.path); },
         "the entry is a symbolic link"},
    };
    for (const Case& row : cases) {
        for (const StoreMode mode : {StoreMode::read_write, StoreMode::refresh}) {
            INFO(row.what << " " << to_text(mode));
            Scene scene;
            fs::remove(scene.path);
            row.make(scene);
            Store store = scene.make(mode);
            if (mode == StoreMode::read_write) {
                const FindResult bad = find_1(store);
                CHECK(bad.reason == MissReason::not_a_file);
                CHECK(bad.detail == row.detail);
                CHECK(scene.warnings.text() ==
                      "cache: dropped '" + scene.path + "': " + row.detail + '\n');
            }
            REQUIRE(store.put(entry_1()));
            Store reader = scene.make();
            CHECK(find_1(reader));
            CHECK(fs::is_regular_file(fs::symlink_status(scene.path)));
            if (row.what == "link to a sound entry") {
                CHECK(read_file(scene.folder / "sound") == encode_entry(entry_1()));
            }
        }
    }
}

TEST_CASE("entries of a newer format are misses and stay where they are, unwarned") {
    for (const std::size_t offset : {8U, 12U}) {  // offsets of the version and the flags
        Scene scene;
        auto file = read_file(scene.path);
        file[offset] = std::byte{2};
        const Digest digest = sha256(std::span(file).first(160));
        std::memcpy(file.data() + 160, digest.bytes.data(), 32);
        write_file(scene.path, file);
        Store store = scene.make();
        CHECK(find_1(store).reason == MissReason::newer_format);
        CHECK(store.find(entry_1().request).reason == MissReason::newer_format);
        CHECK(read_file(scene.path) == file);
        CHECK(scene.warnings.text().empty());
        CHECK(store.statistics().quarantined == 0);
    }
}

TEST_CASE("files that are no entries are never taken for one") {
    Scene scene;
    const std::string shard = fs::path(scene.path).parent_path();
    const std::string stem = fs::path(scene.path).stem();
    const auto sound = read_file(scene.path);
    fs::remove(scene.path);
    for (const std::string& name : {"." + stem + ".0123.tmp",
                                    stem,
                                    stem + ".kgc~",
                                    stem + "0.kgc",
                                    stem.substr(1) + ".kgc",
                                    std::string("x.kgc")}) {
        write_file(shard + '/' + name, sound);
    }
    Store store = scene.make();
    CHECK(store.find(entry_1().request).reason == MissReason::absent);
    CHECK(find_1(store).reason == MissReason::absent);
    CHECK(scene.warnings.text().empty());
}

TEST_CASE("the quarantine keeps the 16 newest") {
    Scene scene;
    Store store = scene.make();
    for (int k = 0; k < 20; ++k) {
        const Entry entry = sample_entry("victim " + std::to_string(k));
        REQUIRE(store.put(entry));
        write_file(store.entry_path(entry.request, sample_producer), to_bytes("x"));
        CHECK(store.find(entry.request).reason == MissReason::damaged);
    }
    CHECK(files_below(scene.root + "/quarantine").size() == 16);
    CHECK(store.statistics().quarantined == 20);
    CHECK(scene.warnings.texts().size() == 1);
    const Digest newest = sha256("victim 19");
    CHECK(fs::exists(scene.root + "/quarantine/" + newest.to_hex() + '-' +
                     sha256(sample_producer).short_hex() + ".kgc"));
}

TEST_CASE("a rejected entry is out of use until it is put again") {
    for (const StoreMode mode : {StoreMode::read_write, StoreMode::read_only}) {
        INFO(to_text(mode));
        Scene scene;
        Store store = scene.make(mode);
        REQUIRE(find_1(store));
        store.reject(entry_1().request, sample_producer, "the driver refused it");
        CHECK_FALSE(find_1(store));
        CHECK_FALSE(store.find(entry_1().request));
        const bool writes = mode == StoreMode::read_write;
        CHECK(scene.warnings.text() == "cache: " + std::string(writes ? "dropped" : "ignored") +
                                           " '" + scene.path + "': the driver refused it\n");
        CHECK(fs::exists(scene.path) != writes);
        CHECK(fs::exists(scene.in_quarantine()) == writes);
        CHECK(store.put(entry_1()) == writes);
        CHECK(find_1(store).entry.has_value() == writes);
    }
}

TEST_CASE("the mode says whether the store reads and writes") {
    struct Case {
        StoreMode mode;
        MissReason reason;
        bool puts;
    };
    for (const Case& row : std::vector<Case>{{StoreMode::off, MissReason::store_off, false},
                                             {StoreMode::read_only, MissReason::none, false},
                                             {StoreMode::read_write, MissReason::none, true},
                                             {StoreMode::refresh, MissReason::refreshing, true}}) {
        INFO(to_text(row.mode));
        Scene scene;
        const auto before = files_below(scene.root).size();
        Store store = scene.make(row.mode);
        CHECK(find_1(store).reason == row.reason);
        CHECK(store.find(entry_1().request).reason == row.reason);
        CHECK(store.put(sample_entry("request 2")) == row.puts);
        CHECK(files_below(scene.root).size() == before + (row.puts ? 1 : 0));
        CHECK(store.statistics().stores == (row.puts ? 1 : 0));
        CHECK(store.statistics().store_failures == 0);
        CHECK(scene.warnings.text().empty());
    }
}

TEST_CASE("a read-only store changes nothing, not even a damaged entry") {
    Scene scene;
    write_file(scene.path, to_bytes("garbage"));
    Store store = scene.make(StoreMode::read_only);
    CHECK(find_1(store).reason == MissReason::damaged);
    CHECK(as_text(read_file(scene.path)) == "garbage");
    CHECK(scene.warnings.text() ==
          "cache: ignored '" + scene.path + "': the file is shorter than a header\n");

    TempDir empty;
    Store nowhere(settings_for(empty / "new", scene.warnings, StoreMode::read_only));
    CHECK(nowhere.find(entry_1().request).reason == MissReason::absent);
    CHECK_FALSE(nowhere.put(entry_1()));
    CHECK_FALSE(fs::exists(empty / "new"));
}

TEST_CASE("nothing is created before the first put, and what was removed is made again") {
    TempDir folder;
    Warnings warnings;
    Store store(settings_for(folder / "a/b/root", warnings));
    CHECK(store.find(entry_1().request).reason == MissReason::absent);
    CHECK_FALSE(fs::exists(folder / "a"));
    REQUIRE(store.put(entry_1()));
    CHECK(store.find(entry_1().request));
    fs::remove_all(folder / "a");
    CHECK(store.find(entry_1().request).reason == MissReason::absent);
    REQUIRE(store.put(entry_1()));
    CHECK(store.find(entry_1().request));
    CHECK(warnings.text().empty());
    CHECK(store.statistics().store_failures == 0);
}

TEST_CASE("odd directory names work") {
    TempDir folder;
    Warnings warnings;
    for (const char* name :
         {"with space", "\xc3\xbcml\xc3\xa4ut", "new\nline", "dots/../dots/./x/"}) {
        INFO(name);
        Store store(settings_for(folder / name, warnings));
        CHECK(store.put(entry_1()));
        CHECK(store.find(entry_1().request));
    }
    CHECK(warnings.text().empty());
}

TEST_CASE("a store of settings with a problem says so and does nothing") {
    Warnings warnings;
    StoreSettings settings;
    settings.problem = "cache: off: KGEN_CACHE is 'on'; expected rw, ro, refresh or off";
    settings.warn = warnings.sink();
    Store store(settings);
    CHECK(warnings.text() == settings.problem + '\n');
    CHECK(store.find(entry_1().request).reason == MissReason::store_off);
    CHECK_FALSE(store.put(entry_1()));
    CHECK(store.entry_path(entry_1().request, "p").empty());
    store.reject(entry_1().request, "p", "x");
    CHECK(warnings.texts().size() == 1);
}

TEST_CASE("every reason for a miss has its own text") {
    std::vector<std::string_view> texts;
    for (std::size_t k = 0; k < miss_reasons; ++k) {
        texts.push_back(to_text(static_cast<MissReason>(k)));
        CHECK(texts.back() != "unknown reason");
    }
    std::sort(texts.begin(), texts.end());
    CHECK(std::adjacent_find(texts.begin(), texts.end()) == texts.end());
    CHECK(to_text(static_cast<MissReason>(miss_reasons)) == "unknown reason");
}

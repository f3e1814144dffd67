// SPDX-License-Identifier: MIT
//
// kgen cache export and import: kernels that were compiled into one cache are used from another cache by a
// command that may not compile.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "pack_format.hpp"
#include "support/cache_fixtures.hpp"
#include "support/command.hpp"

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::vector<std::string> quadruple = {
    "run", "--elementwise", "float32 x", "float32 y", "y = x * 4", "x=2.5", "--size", "2"};

// Returns a pack whose entry has damaged bytes.
std::vector<std::byte> damaged_pack() {
    std::vector<std::byte> pack = kgen::cache::encode_pack({kgen::cache::sample_entry()});
    pack.back() ^= std::byte{1};
    return pack;
}

}  // namespace

TEST_CASE("kgen cache export and import carry kernels to a place without a compiler") {
    Command kgen;
    REQUIRE(kgen.run(quadruple).output == "[10. 10.]\n");
    const CommandResult exported = kgen.run({"cache", "export", "all.kgp", "--json"});
    CHECK(exported.messages == "");
    REQUIRE(exported.exit_status == 0);
    const std::string pack = Command::read(kgen.path("all.kgp"));
    CHECK(json::parse(exported.output) == json({{"schema", 1},
                                                {"file", "all.kgp"},
                                                {"entries", 1},
                                                {"bytes", pack.size()},
                                                {"unusable", 0}}));

    kgen.environment["KGEN_CACHE_DIR"] = kgen.path("other");
    kgen.environment["KGEN_COMPILE"] = "never";
    CHECK(kgen.run(quadruple).exit_status == 4);
    const CommandResult imported = kgen.run({"cache", "import", "all.kgp", "all.kgp", "--json"});
    CHECK(imported.messages == "");
    REQUIRE(imported.exit_status == 0);
    const json object = json::parse(imported.output);
    REQUIRE(object["packs"].size() == 2);
    CHECK(object["packs"][0] == object["packs"][1]);  // the same pack may be given twice
    CHECK(object["packs"][0]["file"] == "all.kgp");
    CHECK(object["packs"][0]["entries"] == 1);
    CHECK(object["packs"][0]["bytes"] == pack.size());
    CHECK(Command::read(object["packs"][0]["path"]) == pack);
    const CommandResult result = kgen.run(quadruple);
    CHECK(result.output == "[10. 10.]\n");
    CHECK(result.messages == "");

    // Exporting from the other cache, which has the entry in a pack, gives the same bytes.
    const CommandResult again = kgen.run({"cache", "export", "again.kgp"});
    CHECK(again.output == "again.kgp: 1 entry, " + std::to_string(pack.size()) + " bytes\n");
    CHECK(Command::read(kgen.path("again.kgp")) == pack);
}

TEST_CASE("kgen cache export writes nothing if no entry is meant") {
    const Command kgen;
    for (const auto& more : std::vector<std::vector<std::string>>{
             {}, {"--arch", "sm_80,sm_90"}, {"--request", "0123"}}) {
        std::vector<std::string> words = {"cache", "export", "none.kgp"};
        words.insert(words.end(), more.begin(), more.end());
        const CommandResult result = kgen.run(words);
        CHECK(result.messages ==
              "kgen: the cache in " + kgen.path("cache") + " has no matching entries\n");
        CHECK(result.exit_status == 1);
    }
    CHECK_FALSE(fs::exists(kgen.path("none.kgp")));
    const CommandResult wrong = kgen.run({"cache", "export", "none.kgp", "--request", "XY"});
    CHECK(wrong.messages ==
          "kgen: --request: 'XY' is not the start of a request; expected up to 64 digits, 0 to 9 "
          "and a to f; see kgen cache export --help\n");
    CHECK(wrong.exit_status == 2);
}

TEST_CASE("kgen cache import refuses what is no sound pack and copies nothing") {
    const Command kgen;
    using kgen::cache::write_file;
    write_file(kgen.path("good.kgp"), kgen::cache::encode_pack({kgen::cache::sample_entry()}));
    write_file(kgen.path("damaged.kgp"), damaged_pack());
    write_file(kgen.path("text.kgp"), std::vector<std::byte>(500));
    // Attacks on archives, such as names with "../", links and decompression bombs, do not
    // apply: a pack contains no file names and is not compressed. The remaining cases are files
    // that are damaged, not a pack, or unreadable.
    struct Case {
        std::string file;
        std::string message;
        int exit_status;
    };
    const std::vector<Case> cases = {
        {"damaged.kgp", "an entry's bytes do not match their checksum", 2},
        {"text.kgp", "it is not a pack", 2},
        {"none.kgp", "cannot be read: No such file or directory", 3},
        {"/dev/zero", "cannot be read: it is not a regular file", 3}};
    for (const Case& row : cases) {
        const CommandResult result = kgen.run({"cache", "import", "good.kgp", row.file});
        CHECK(result.messages == "kgen: " + row.file + ": " + row.message + "\n");
        CHECK(result.output == "");
        CHECK(result.exit_status == row.exit_status);
    }
    CHECK_FALSE(fs::exists(kgen.path("cache")));
}

TEST_CASE("kgen cache import says why a cache takes no pack") {
    Command kgen;
    kgen::cache::write_file(kgen.path("good.kgp"), kgen::cache::encode_pack({}));
    for (const auto& [mode, why] : std::vector<std::pair<std::string, std::string>>{
             {"ro", "the cache is read-only"}, {"off", "the cache is off"}}) {
        kgen.environment["KGEN_CACHE"] = mode;
        const CommandResult result = kgen.run({"cache", "import", "good.kgp"});
        CHECK(result.messages == "kgen: good.kgp: cannot be stored in the cache: " + why + "\n");
        CHECK(result.exit_status == 3);
    }
}

// SPDX-License-Identifier: MIT
//
// kgen cache: its output, the files that it removes, and its exit status.
#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "disk_totals.hpp"
#include "store.hpp"
#include "support/cache_fixtures.hpp"
#include "support/command.hpp"

namespace fs = std::filesystem;
using namespace kgen::cache;
using nlohmann::json;

namespace {

using Words = std::vector<std::string>;

// A command whose cache contains entries that a Store object made.
struct Scene {
    Command kgen;
    Warnings warnings;
    std::string root = kgen.path("cache");
    Store store{settings_for(root, warnings)};

    Entry put(const std::string& kernel, std::size_t payload, std::int64_t age_s) {
        Entry entry = sample_entry(kernel, payload);
        entry.metadata = {{"kernel", kernel},
                          {"symbol", "k_" + kernel},
                          {"target", "sm_90"},
                          {"producer", "NVRTC"}};
        REQUIRE(store.put(entry));
        const timespec time = {::time(nullptr) - age_s, 0};
        const timespec times[2] = {time, time};
        REQUIRE(::utimensat(AT_FDCWD, path(entry).c_str(), times, 0) == 0);
        return entry;
    }
    std::string path(const Entry& entry) const {
        return store.entry_path(entry.request, sample_producer);
    }
    CommandResult run(const Words& words) const {
        Words arguments = {"cache"};
        arguments.insert(arguments.end(), words.begin(), words.end());
        CommandResult result = kgen.run(arguments);
        INFO(result.messages);
        return result;
    }
    json json_of(Words words) const {
        words.push_back("--json");
        return json::parse(run(words).output);
    }
};

}  // namespace

TEST_CASE("kgen cache stats says how full the cache is and what was counted") {
    Scene scene;
    const Entry entry = scene.put("axpy", 1000, 0);
    scene.store.find(entry.request, sample_producer);
    scene.store.flush_statistics();
    const std::uint64_t size = encode_entry(entry).size();
    CHECK(scene.run({"stats"}).output == "directory                " + scene.root +
                                             "\n"
                                             "entries                  1 entry, 1.4 KiB\n"
                                             "packs                    none\n"
                                             "bounds                   50000 files, 1.0 GiB\n"
                                             "temporary files          none\n"
                                             "in quarantine            none\n"
                                             "hits                     1\n"
                                             "stores                   1\n");
    CHECK(scene.json_of({"stats"}) == json({{"schema", 1},
                                            {"directory", scene.root},
                                            {"entries", 1},
                                            {"entry_bytes", size},
                                            {"packs", 0},
                                            {"pack_bytes", 0},
                                            {"packed_entries", 0},
                                            {"temporary_files", 0},
                                            {"temporary_bytes", 0},
                                            {"quarantined_files", 0},
                                            {"quarantined_bytes", 0},
                                            {"max_bytes", 1 << 30},
                                            {"max_files", 50000},
                                            {"totals", {{"hits", 1}, {"stores", 1}}}}));
    CHECK(scene.json_of({"stats", "--zero"})["totals"] == json::object());
    CHECK(scene.json_of({"stats"})["entries"] == 1);
}

TEST_CASE("kgen cache list sorts by use or size or name") {
    Scene scene;
    CHECK(scene.run({"list"}).output == "no entries\n");
    const Entry b = scene.put("b", 100, 7200);
    scene.put("a", 3000, 10'000);
    scene.put("c", 2000, 5);
    const auto order = [&](const std::string& sort) {
        std::string names;
        const json object = scene.json_of({"list", "--sort", sort});
        for (const json& entry : object["entries"]) {
            names += entry["kernel"].get<std::string>();
        }
        return names;
    };
    CHECK(order("lru") == "cba");
    CHECK(order("size") == "acb");
    CHECK(order("name") == "abc");
    const std::string text = scene.run({"list", "--sort", "name"}).output;
    INFO(text);
    CHECK(text.find(
              "request           kernel  dtypes  layout  target     size  used  producer\n") == 0);
    CHECK(text.find(b.request.to_hex().substr(0, 16) +
                    "  b       -       -       sm_90     509 B   2 h  NVRTC\n") !=
          std::string::npos);
    const json object = scene.json_of({"list", "--sort", "size"});
    const json& entry = object["entries"].back();
    CHECK(entry["request"] == b.request.to_hex());
    CHECK(entry["path"] == scene.path(b));
    CHECK(entry["symbol"] == "k_b");
    CHECK(entry["problem"] == "");
    CHECK(scene.run({"list", "--sort", "age"}).exit_status == 2);
}

TEST_CASE("kgen cache list shows the dtypes and the layout that each entry is for") {
    const Command kgen;
    REQUIRE(kgen.run_line("run --elementwise 'T x, int8 k' 'T z' 'z = x' x=1.5 k=2 --size 3 "
                          "--name twin")
                .exit_status == 0);
    REQUIRE(kgen.run_line("run --elementwise '' 'int64 z, bool b' 'z = i; b = 0' --size 3 "
                          "--name none")
                .exit_status == 0);
    const std::string text = kgen.run({"cache", "list", "--sort", "name"}).output;
    INFO(text);
    CHECK(text.find("  twin    float64, int8 -> float64  one row  ") != std::string::npos);
    CHECK(text.find("  none    -> int64, bool            one row  ") != std::string::npos);
    const json listed = json::parse(kgen.run({"cache", "list", "--json"}).output);
    for (const json& entry : listed["entries"]) {
        const bool is_twin = entry["kernel"] == "twin";
        CHECK(entry["dtypes"] == (is_twin ? "float64, int8 -> float64" : "-> int64, bool"));
        CHECK(entry["layout"] == "one row");
    }
    CHECK(listed["entries"].size() == 2);
}

TEST_CASE("kgen cache inspect prints an entry or its PTX") {
    Scene scene;
    const Entry entry = scene.put("axpy", 100, 0);
    const std::string start = entry.request.to_hex().substr(0, 12);
    const std::string text = scene.run({"inspect", start}).output;
    CHECK(text.find("file         " + scene.path(entry) + "\n") == 0);
    CHECK(text.find("\nrequest      " + entry.request.to_hex() + "\n") != std::string::npos);
    CHECK(text.find("\nidentity     " + std::string(sample_producer) + "\n") != std::string::npos);
    CHECK(text.find("\ncreated      2023-11-14 22:13:20 UTC\n") != std::string::npos);
    CHECK(text.find("\nkernel       axpy\n") != std::string::npos);
    CHECK(text.find("\nsection      cubin, 100 B, sha256 " +
                    sha256(std::string(100, 'c')).to_hex() + "\n") != std::string::npos);
    CHECK(scene.run({"inspect", start, "--ptx"}).output == ".version 8.8");
    const json object = scene.json_of({"inspect", scene.path(entry), "--ptx"});
    CHECK(object["schema"] == 1);
    CHECK(object["ptx"] == ".version 8.8");
    CHECK(object["metadata"][1] == json({{"name", "symbol"}, {"value", "k_axpy"}}));
    CHECK(object["sections"][1]["name"] == "ptx");
    CHECK(scene.run({"inspect", "zz"}).exit_status == 2);
    CHECK(scene.run({"inspect", start, "--ptx", "--sass"}).exit_status == 2);
}

TEST_CASE("kgen cache inspect --sass prints what nvdisasm makes of the cubin") {
    Scene scene;
    const Entry entry = scene.put("axpy", 100, 0);
    scene.kgen.environment["PATH"] = scene.kgen.path("bin") + ":/usr/bin:/bin";
    fs::create_directory(scene.kgen.path("bin"));
    const std::string tool = scene.kgen.path("bin/nvdisasm");
    const auto install = [&](std::string_view script) {
        write_file(tool, to_bytes(script));
        REQUIRE(::chmod(tool.c_str(), 0755) == 0);
    };
    install("#!/bin/sh\necho listing of $(wc -c < \"$1\") bytes\n");
    CHECK(scene.run({"inspect", scene.path(entry), "--sass"}).output == "listing of 100 bytes\n");
    install("#!/bin/sh\nexit 3\n");
    const CommandResult failed = scene.run({"inspect", scene.path(entry), "--sass"});
    CHECK(failed.messages ==
          "kgen: nvdisasm cannot disassemble the cubin: it ended with status 3\n");
    CHECK(failed.exit_status == 1);
    fs::create_directories(scene.kgen.path("toolkit/bin"));
    fs::rename(tool, scene.kgen.path("toolkit/bin/nvdisasm"));
    scene.kgen.environment["CUDA_HOME"] = scene.kgen.path("toolkit");
    CHECK(scene.run({"inspect", scene.path(entry), "--sass"}).messages == failed.messages);
    scene.kgen.environment["CUDA_HOME"] = "";
    if (fs::exists("/usr/local/cuda/bin/nvdisasm")) return;
    const CommandResult missing = scene.run({"inspect", scene.path(entry), "--sass"});
    CHECK(missing.messages ==
          "kgen: nvdisasm was not found on PATH, in CUDA_HOME/bin or in /usr/local/cuda/bin\n"
          "it comes with the CUDA toolkit\n");
    CHECK(missing.exit_status == 1);
}

TEST_CASE("kgen cache verify ends with 1 until what is bad is taken out of use") {
    Scene scene;
    scene.put("good", 100, 0);
    const std::string bad = scene.path(scene.put("bad", 100, 0));
    fs::resize_file(bad, 50);
    const std::string problem = bad + ": the file is shorter than a header";
    const CommandResult found = scene.run({"verify"});
    CHECK(found.output == problem + "\n1 file valid, 1 problem\n");
    CHECK(found.exit_status == 1);
    const CommandResult told = scene.run({"verify", "--repair", "--dry-run"});
    CHECK(told.output ==
          problem + " (would be moved to the quarantine)\n1 file valid, 1 problem\n");
    CHECK(told.exit_status == 1);
    CHECK(scene.json_of({"verify"}) == json({{"schema", 1},
                                             {"dry_run", false},
                                             {"sound_files", 1},
                                             {"problems",
                                              {{{"path", bad},
                                                {"problem", "the file is shorter than a header"},
                                                {"moved", false}}}},
                                             {"newer", json::array()}}));
    const CommandResult repaired = scene.run({"verify", "--repair"});
    CHECK(repaired.output == problem + " (moved to the quarantine)\n1 file valid, 1 problem\n");
    CHECK(repaired.exit_status == 0);
    const CommandResult after = scene.run({"verify"});
    CHECK(after.output == "1 file valid, 0 problems\n");
    CHECK(after.exit_status == 0);
}

TEST_CASE("kgen cache prune takes bounds as people write them") {
    Scene scene;
    const std::string a = scene.path(scene.put("a", 1000, 40 * 86400));
    scene.put("b", 1000, 20 * 86400);
    scene.put("c", 1000, 0);
    CHECK(scene.run({"prune", "--older", "30d", "--dry-run"}).output ==
          a + "\nwould remove 1 file, 1.4 KiB\n");
    CHECK(scene.json_of({"prune", "--older", "30d"})["paths"] == json({a}));
    CHECK(scene.run({"prune", "--size", "1G", "--files", "2"}).output == "removed 0 files, 0 B\n");
    CHECK(scene.run({"prune", "--size", "2K"}).output == "removed 1 file, 1.4 KiB\n");
    CHECK(scene.run({"prune"}).output == "removed 0 files, 0 B\n");
    const auto message = [&](const Words& words) {
        const CommandResult result = scene.run(words);
        CHECK(result.exit_status == 2);
        return result.messages;
    };
    CHECK(message({"prune", "--older", "30"}) ==
          "kgen: --older: got '30', expected a whole number with s, m, h, d or w, such as 30d\n");
    CHECK(message({"prune", "--size", "1.5G"}) ==
          "kgen: --size: got '1.5G', expected a whole number of bytes, or with K, M, G or T, such "
          "as 500M\n");
    CHECK(message({"prune", "--files", "1K"}) ==
          "kgen: --files: got '1K', expected a whole number\n");
    CHECK(scene.json_of({"list"})["entries"].size() == 1);
}

TEST_CASE("kgen cache clear removes the entries of the directory that is meant") {
    Scene scene;
    scene.put("a", 100, 0);
    fs::create_directories(scene.root + "/v2");
    write_file(scene.root + "/v2/x", to_bytes("12345"));
    Command other;  // its own cache is empty
    CHECK(other.run({"cache", "clear"}).output == "removed 0 files, 0 B\n");
    CHECK(other.run({"cache", "clear", "--dir", scene.root, "--dry-run"})
              .output.find("\nwould remove 2 files, ") != std::string::npos);
    CHECK(other.run({"cache", "clear", "--dir", scene.root}).output.find("removed 2 files, ") == 0);
    CHECK(other.run({"cache", "stats", "--dir", scene.root})
              .output.find("entries                  none\n") != std::string::npos);
    CHECK(fs::exists(scene.root + "/v2/x"));
    CHECK(scene.run({"clear", "--all-versions"}).output == "removed 1 file, 5 B\n");
    CHECK_FALSE(fs::exists(scene.root + "/v2"));
}

TEST_CASE("kgen cache refuses what is not kgen's and removes nothing there") {
    Command kgen;
    write_file(kgen.path("notes.txt"), to_bytes("mine"));
    const std::string home = fs::path(kgen.path("notes.txt")).parent_path();
    for (const char* command : {"clear", "prune", "verify", "stats", "list"}) {
        for (const std::string& directory : {std::string("/"), home}) {
            INFO(command << " " << directory);
            const CommandResult result = kgen.run({"cache", command, "--dir", directory});
            CHECK(result.exit_status == 2);
            CHECK(result.output == "");
            CHECK(result.messages == "kgen: '" + directory +
                                         "' is not a cache of kgen: it has no CACHEDIR.TAG of "
                                         "kgen\n");
        }
    }
    CHECK(fs::exists(kgen.path("notes.txt")));
    kgen.environment["KGEN_CACHE"] = "off";
    const CommandResult off = kgen.run({"cache", "clear"});
    CHECK(off.exit_status == 2);
    CHECK(off.messages == "kgen: there is no cache directory; kgen doctor prints the reason\n");
}

// SPDX-License-Identifier: MIT
//
// kgen list, show, cache list, inspect and verify on hostile files. Whatever the files contain,
// the commands end with one of their own statuses. They print nothing that controls a terminal,
// and no line that a file forged.
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <kgen/terminal_text.hpp>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "pack_format.hpp"
#include "support/cache_fixtures.hpp"
#include "support/command.hpp"

using namespace kgen;
using nlohmann::json;

namespace {

// Colours, a window title, a C1 control, a change of text direction, a forged line, and bytes
// that are not UTF-8.
const std::string hostile =
    "\x1b[31m\x1b]0;t\x07\xc2\x9b"
    "2J\u202eevil\nforged line\r\t\x7f\xff\x9b";

cache::Entry hostile_entry(const std::string& request) {
    cache::Entry entry = cache::sample_entry(request);
    entry.producer_identity = hostile;
    for (const char* name : {"target", "producer", "kgen"})
        entry.metadata.emplace_back(name, hostile);
    entry.metadata[0].second = hostile;  // kernel
    entry.metadata[1].second = hostile;  // symbol
    entry.metadata.emplace_back("name." + hostile, hostile);
    entry.sections.push_back({cache::section_tag("\x1b\n[ "), cache::to_bytes("x")});
    return entry;
}

std::size_t count_lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// Runs the command and checks its output. Messages keep the line breaks of arguments.
CommandResult run_safely(const Command& kgen,
                         const std::vector<std::string>& words,
                         LineBreaks lines = LineBreaks::escaped) {
    CommandResult result = kgen.run(words);
    INFO(words[0] << " " << words.back());
    CHECK(result.exit_status < 128);
    for (const std::string& text : {result.output, result.messages}) {
        CHECK(terminal_text(text, LineBreaks::kept) == text);
        if (lines == LineBreaks::escaped) CHECK(text.find("\nforged line") == std::string::npos);
    }
    return result;
}

void write(const std::string& path, std::string_view text) {
    std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("cache list, inspect and verify print hostile entries and packs line by line",
          "[cache][hostile]") {
    Command kgen;
    std::filesystem::create_directory(kgen.path("cache"));
    REQUIRE(::chmod(kgen.path("cache").c_str(), 0700) == 0);
    {
        cache::Warnings warnings;
        cache::Store store(cache::settings_for(kgen.path("cache"), warnings));
        REQUIRE(store.put(hostile_entry("a")));
        REQUIRE(store.put(hostile_entry("b")));
        CHECK(warnings.text() == "");
    }
    const std::string entry = "e\x1b[1m\n.kgc";
    const std::string pack = "p\x1b[1m\nforged line.kgp";
    cache::write_file(kgen.path(entry), cache::encode_entry(hostile_entry("a")));
    cache::write_file(kgen.path(pack),
                      cache::encode_pack({hostile_entry("a"), hostile_entry("b")}));

    CHECK(count_lines(run_safely(kgen, {"cache", "list"}).output) == 3);
    CHECK(count_lines(run_safely(kgen, {"cache", "inspect", pack}).output) == 3);
    const CommandResult shown = run_safely(kgen, {"cache", "inspect", entry});
    CHECK(shown.exit_status == 0);
    // 6 lines for file, size, request, identity, created and used, 7 of metadata, 3 of sections.
    CHECK(count_lines(shown.output) == 16);
    CHECK(shown.output.find("kernel       \\x1b[31m\\x1b]0;t\\x07\\u009b2J\\u202eevil\\nforged "
                            "line\\x0d\\x09\\x7f\\xff\\x9b\n") != std::string::npos);
    CHECK(run_safely(kgen, {"cache", "verify"}).output == "2 files valid, 0 problems\n");
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"cache", "list", "--json"},
                                               {"cache", "inspect", entry, "--json"},
                                               {"cache", "inspect", pack, "--json"},
                                               {"cache", "verify", "--json"}}) {
        const CommandResult result = run_safely(kgen, words);
        CHECK(count_lines(result.output) == 1);
        CHECK(json::parse(result.output)["schema"] == 1);
    }
    CHECK(run_safely(kgen, {"cache", "import", pack}).exit_status == 0);
    CHECK(run_safely(kgen, {"cache", "export", pack}).exit_status == 0);
}

TEST_CASE("one long name does not make every row of a table long", "[cache][hostile]") {
    Command kgen;
    std::vector<cache::Entry> entries;
    for (int k = 0; k < 200; ++k) entries.push_back(cache::sample_entry(std::to_string(k)));
    entries[0].metadata[0].second = std::string(900'000, 'k');
    cache::write_file(kgen.path("p.kgp"), cache::encode_pack(entries));
    const CommandResult result = run_safely(kgen, {"cache", "inspect", "p.kgp"});
    CHECK(result.exit_status == 0);
    CHECK(result.output.size() < 201 * 300);
}

TEST_CASE("list and show print hostile templates and tell of those that do not read",
          "[template][hostile]") {
    Command kgen;
    std::filesystem::create_directory(kgen.path("t"));
    const std::string file = "t/a\x1b[1m\nforged line.json";
    write(kgen.path(file),
          R"({"kind":"elementwise","name":"evil","description":"a )"
          "\u202e\u009b[2J"
          R"(","inputs":"T x","outputs":"T y",)"
          R"("operation":"// \u001b[2J\u009b \u202e \u0007\r z\ny = x"})");
    kgen.environment["KGEN_TEMPLATE_PATH"] = kgen.path("t");
    const CommandResult listed = run_safely(kgen, {"list"});
    CHECK(listed.exit_status == 0);
    CHECK(listed.output.find("a \\u202e\\u009b[2J (") != std::string::npos);
    CHECK(listed.output.find("a\\x1b[1m\\nforged line.json)\n") != std::string::npos);
    const CommandResult shown = run_safely(kgen, {"show", "evil"});
    CHECK(shown.exit_status == 0);
    CHECK(shown.output.find("// \\x1b[2J\\u009b \\u202e \\x07\\x0d z\n             y = x\n") !=
          std::string::npos);
    run_safely(kgen, {"show", "evil", "--json"});
    run_safely(kgen, {"list", "--json"});
    run_safely(kgen, {"show", "--template", file});
    run_safely(kgen, {"source", "--template", file, "x=float32[4]"});
    run_safely(kgen, {"run", "--template", file, "x=float32[4]"});
    for (const char* text : {
             "{\"\\u001b[2J\\n\": 0}",
             "{\"kind\":\"\\u001b]0;x\\u0007\"}",
             "\x1b[2J",
             "{\"kind\": \x9b}",
             "[\"\\u202e\"",
         }) {
        write(kgen.path(file), text);
        CHECK(run_safely(kgen, {"list"}).exit_status == 2);
        CHECK(run_safely(kgen, {"show", "--template", file}).exit_status == 2);
    }
}

TEST_CASE("errors quote arguments without what a terminal obeys", "[hostile]") {
    Command kgen;
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"show", hostile},
             {"run", hostile},
             {"run", "add", "x=" + hostile},
             {"run", "add", hostile + "=1"},
             {"run", "add", "x=" + hostile + ".npy"},
             {"cache", "inspect", hostile},
             {"run", "--elementwise", "T " + hostile, "T y", "y = x", "x=1"},
             {"run", "--elementwise", "T x", "T y", "y = x + " + hostile, "x=1.0", "--size", "1"},
             {hostile}}) {
        CHECK(run_safely(kgen, words, LineBreaks::kept).exit_status != 0);
    }
}

// Entries and packs in which three random bytes are changed and up to two bytes are missing.
TEST_CASE("the commands end on damaged files of every kind", "[hostile]") {
    Command kgen;
    std::mt19937 random(16);
    const std::vector<std::byte> entry = cache::encode_entry(hostile_entry("a"));
    const std::vector<std::byte> pack = cache::encode_pack({hostile_entry("a")});
    for (int trial = 0; trial < 6; ++trial) {
        for (const auto& [name, bytes] : {std::pair("e.kgc", entry), std::pair("p.kgp", pack)}) {
            std::vector<std::byte> damaged = bytes;
            for (int k = 0; k < 3; ++k)
                damaged[random() % damaged.size()] ^= static_cast<std::byte>(1 + random() % 255);
            damaged.resize(damaged.size() - random() % 3);
            cache::write_file(kgen.path(name), damaged);
            CHECK(run_safely(kgen, {"cache", "inspect", name}).exit_status == 3);
        }
    }
}

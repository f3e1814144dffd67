// SPDX-License-Identifier: MIT
//
// Packs as a program uses them: from memory, from a file and embedded. Each case runs in a new process, whose
// store is still empty.
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <filesystem>
#include <kgen/kgen.hpp>
#include <kgen/pack.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "pack_format.hpp"
#include "pack_reader.hpp"
#include "support/cache_fixtures.hpp"
#include "support/catch.hpp"
#include "support/fresh_process.hpp"
#include "support/temp_dir.hpp"

namespace fs = std::filesystem;
using namespace kgen;

namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// Returns the result or the error of the one kernel, "y = x * 3" unless the environment names another.
std::string result_of_kernel() {
    const std::string name = variable("KGEN_TEST_NAME");
    const ElementwiseKernel kernel("float32 x",
                                   "float32 y",
                                   name.empty() ? "y = x * 3" : variable("KGEN_TEST_BODY"),
                                   name.empty() ? "pack_triple" : name);
    const ArrayOptions host{.device = Device::host()};
    try {
        return to_text(kernel(arange(3, float32, host)));
    } catch (const Error& error) {
        const std::string text = error.what();
        return text.substr(0, text.find(" for "));
    }
}

std::vector<cache::Entry> entries_of(const std::vector<std::byte>& pack) {
    const cache::PackOpening opening = cache::PackReader::open(pack);
    std::vector<cache::Entry> entries;
    for (std::size_t k = 0; k < opening.reader->index().size(); ++k) {
        entries.push_back(*opening.reader->find(opening.reader->index().request(k)).entry);
    }
    return entries;
}

// Returns the stream that collects everything that kgen logs from now on.
std::ostringstream& captured_log() {
    static std::ostringstream text;
    const auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text);
    auto logger = std::make_shared<spdlog::logger>("kgen", sink);
    logger->set_pattern("%v");
    spdlog::register_logger(logger);
    return text;
}

// Returns the path of a pack with the one kernel of result_of_kernel(). It is compiled once for all tests.
const std::string& triple_pack() {
    static const TempDir folder;
    static const std::string path = [] {
        const std::string file = folder / "triple.kgp";
        const FreshResult made = run_fresh("fresh: a kernel is compiled and exported",
                                           {{"KGEN_CACHE_DIR", folder / "cache"},
                                            {"KGEN_COMPILE", "auto"},
                                            {"KGEN_TEST_PACK", file}});
        REQUIRE(made.text == "[0. 3. 6.]; 1 entry");
        return file;
    }();
    return path;
}

std::string said_with(const std::string& way, const std::string& pack) {
    const TempDir folder;
    return run_fresh("fresh: a kernel comes from a pack",
                     {{"KGEN_CACHE_DIR", folder / "cache"},
                      {"KGEN_COMPILE", "never"},
                      {"KGEN_TEST_WAY", way},
                      {"KGEN_TEST_PACK", pack}})
        .text;
}

}  // namespace

TEST_CASE("fresh: a kernel is compiled and exported", "[.fresh]") {
    report(result_of_kernel());
    report("; " + std::to_string(export_cache(variable("KGEN_TEST_PACK")).entries) + " entry");
}

TEST_CASE("fresh: a kernel comes from a pack", "[.fresh]") {
    const std::ostringstream& log = captured_log();
    const std::string way = variable("KGEN_TEST_WAY");
    const std::string file = variable("KGEN_TEST_PACK");
    const std::vector<std::byte> pack = cache::read_file(file);
    try {
        if (way == "memory") use_pack(pack);
        if (way == "file") use_pack_file(file);
        if (way == "late") report(result_of_kernel() + "; ");
        if (way == "embedded" || way == "late") {
            static const EmbeddedPack embedded("triple", pack);
            report(log.str());  // nothing is logged
        }
        report(result_of_kernel() + "; " + result_of_kernel());
    } catch (const PackError& error) {
        report(std::string("PackError: ") + error.what());
    }
    report("; log: " + log.str());
    report("; cache: " +
           std::string(fs::exists(variable("KGEN_CACHE_DIR")) ? "made" : "untouched"));
}

TEST_CASE("an entry of a pack that is another kernel's is not run") {
    const TempDir folder;
    Variables variables = {{"KGEN_CACHE_DIR", folder / "cache"},
                           {"KGEN_COMPILE", "auto"},
                           {"KGEN_TEST_NAME", "pack_other"},
                           {"KGEN_TEST_BODY", "y = x * 4"},
                           {"KGEN_TEST_WAY", "memory"},
                           {"KGEN_TEST_PACK", folder / "other.kgp"}};
    REQUIRE(run_fresh("fresh: a kernel is compiled and exported", variables).text ==
            "[0. 4. 8.]; 1 entry");
    cache::Entry foreign = entries_of(cache::read_file(triple_pack())).at(0);
    foreign.request = entries_of(cache::read_file(folder / "other.kgp")).at(0).request;
    cache::write_file(folder / "other.kgp", cache::encode_pack({foreign}));
    fs::remove_all(folder / "cache");
    CHECK(
        run_fresh("fresh: a kernel comes from a pack", variables).text ==
        "[0. 4. 8.]; [0. 4. 8.]; log: cache: ignored 'pack in memory': it holds another kernel or "
        "target\n; cache: made");
}

TEST_CASE(
    "a kernel in a pack is not compiled whether the pack is in memory or a file or embedded") {
    const std::string works = "[0. 3. 6.]; [0. 3. 6.]; log: ; cache: untouched";
    CHECK(said_with("memory", triple_pack()) == works);
    CHECK(said_with("file", triple_pack()) == works);
    CHECK(said_with("embedded", triple_pack()) == works);
    const std::string missing = "kernel 'pack_triple': there is no image";
    // A library that is loaded later adds its packs.
    CHECK(said_with("late", triple_pack()) == missing + "; " + works);
    CHECK(said_with("none", triple_pack()) ==
          missing + "; " + missing + "; log: ; cache: untouched");
}

TEST_CASE(
    "a damaged pack is refused by name and a damaged embedded one is ignored with one warning") {
    const TempDir folder;
    std::vector<std::byte> pack = cache::read_file(triple_pack());
    pack[140] ^= std::byte{1};
    cache::write_file(folder / "damaged.kgp", pack);
    const std::string path = folder / "damaged.kgp";
    fs::permissions(path, fs::perms(0600));
    const std::string end = "; log: ; cache: untouched";
    CHECK(said_with("memory", path) ==
          "PackError: pack in memory: the index does not match its checksum" + end);
    CHECK(said_with("file", path) ==
          "PackError: " + path + ": the index does not match its checksum" + end);
    const std::string missing = "kernel 'pack_triple': there is no image";
    CHECK(said_with("embedded", path) == missing + "; " + missing +
                                             "; log: cache: 'embedded pack triple' is ignored: the "
                                             "index does not match its checksum\n"
                                             "; cache: untouched");
}

TEST_CASE("a pack file that is missing or open to others is refused") {
    const TempDir folder;
    CHECK(KGEN_MESSAGE_OF(PackError, use_pack_file(folder / "none.kgp")) ==
          (folder / "none.kgp: it does not exist"));
    cache::write_file(folder / "open.kgp", cache::encode_pack({}));
    fs::permissions(folder / "open.kgp", fs::perms(0666));
    CHECK(KGEN_MESSAGE_OF(PackError, use_pack_file(folder / "open.kgp")) ==
          (folder / "open.kgp: the file may be written by others (mode 0666)"));
    CHECK(KGEN_MESSAGE_OF(PackError, use_pack({})) ==
          "pack in memory: it is shorter than a header");
}

TEST_CASE("a pack file is read only if every byte is sound and is no more than its header says") {
    const TempDir folder;
    const std::string path = folder / "pack.kgp";
    const std::vector<std::byte> pack = cache::encode_pack({cache::sample_entry()});
    write_pack_file(path, pack);
    CHECK(read_pack_file(path) == pack);
    std::vector<std::byte> damaged = pack;
    damaged.back() ^= std::byte{1};
    write_pack_file(path, damaged);
    CHECK(KGEN_MESSAGE_OF(PackError, read_pack_file(path)) ==
          path + ": an entry's bytes do not match their checksum");
    fs::resize_file(path, std::uint64_t{1} << 40);  // sparse
    CHECK(KGEN_MESSAGE_OF(PackError, read_pack_file(path)) ==
          path + ": it is not as long as its header says");
    CHECK(KGEN_MESSAGE_OF(IoError, read_pack_file(folder.path())) ==
          folder.path() + ": cannot be read: it is not a regular file");
    CHECK(KGEN_MESSAGE_OF(IoError, read_pack_file(folder / "none")) ==
          (folder / "none: cannot be read: No such file or directory"));
    CHECK(KGEN_MESSAGE_OF(IoError, write_pack_file(folder / "no/pack.kgp", pack)) ==
          (folder / "no/pack.kgp: cannot be written: No such file or directory"));
}

// The generated text is compiled with a stand-in for EmbeddedPack that prints the bytes it receives.
TEST_CASE("the C++ text of a pack compiles to the pack's bytes") {
    const TempDir folder;
    cache::Entry entry = cache::sample_entry();
    std::mt19937 random(1);
    for (int k = 0; k < 5000; ++k) {
        entry.sections[0].bytes.push_back(static_cast<std::byte>(random()));
    }
    const std::string awkward = "?\?/\"\\\n\"1\0012";
    entry.sections.push_back({1, cache::to_bytes(awkward)});
    const std::vector<std::byte> pack = cache::encode_pack({entry});
    write_embedded_pack(folder / "kernels.cpp", pack);
    const std::string printer = R"(#include <kgen/pack.hpp>
#include <cstdio>
kgen::EmbeddedPack::EmbeddedPack(const char* name, std::span<const std::byte> pack) noexcept
    : name_(name), pack_(pack) {
    std::fputs(name_, stdout);
    std::fwrite(pack_.data(), 1, pack_.size(), stdout);
}
int main() {}
)";
    cache::write_file(folder / "printer.cpp", cache::to_bytes(printer));
    const std::string command = "cd " + folder.path() +
                                " && c++ -std=c++20 -O0 -Wall -Wextra -Wpedantic -Werror -I" +
                                KGEN_SOURCE_DIR +
                                "/include kernels.cpp printer.cpp -o printer "
                                "2> errors && ./printer > printed";
    REQUIRE(std::system(command.c_str()) == 0);
    const std::vector<std::byte> printed = cache::read_file(folder / "printed");
    std::vector<std::byte> expected = cache::to_bytes("kernels");
    expected.insert(expected.end(), pack.begin(), pack.end());
    CHECK(printed == expected);
    CHECK(fs::file_size(folder / "errors") == 0);

    const std::vector<std::byte> damaged(pack.begin(), pack.end() - 1);
    CHECK(KGEN_MESSAGE_OF(PackError, embed_pack(damaged, "kernels")) ==
          "pack 'kernels': it is not as long as its header says");
}

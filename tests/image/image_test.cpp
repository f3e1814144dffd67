// SPDX-License-Identifier: MIT
#include <algorithm>
#include <filesystem>
#include <kgen/error.hpp>
#include <random>

#include "device/registry.hpp"
#include "image/find_or_compile.hpp"
#include "image/image_entry.hpp"
#include "image/refused_sources.hpp"
#include "support/cache_fixtures.hpp"
#include "support/catch.hpp"
#include "support/counting_compiler.hpp"
#include "support/memory_folder.hpp"
#include "support/scoped_variable.hpp"
#include "support/source_cases.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;
using kgen::test::CountingCompiler;

namespace {

cache::StoreSettings settings_in(const std::string& root) {
    cache::StoreSettings settings;
    settings.mode = cache::StoreMode::read_write;
    settings.root = root;
    return settings;
}

const CompileJob job = test::counting_job("source");

}  // namespace

TEST_CASE("an image is compiled once and then comes from the store", "[image]") {
    const ::TempDir directory;
    CountingCompiler compiler;
    cache::Store store(settings_in(directory.path() + "/cache"));
    const ImageRequest request = make_request(job, compiler);
    const FoundImage made = find_or_compile(job, request, compiler, store);
    CHECK(made.origin == ImageOrigin::compiler);
    cache::Store other(settings_in(directory.path() + "/cache"));  // like another process
    const FoundImage found = find_or_compile(job, request, compiler, other);
    CHECK(found.origin == ImageOrigin::cache);
    CHECK(compiler.compiles == 1);
    REQUIRE(found.image.find(ImageKind::host_object) != nullptr);
    CHECK(found.image.find(ImageKind::host_object)->bytes ==
          made.image.find(ImageKind::host_object)->bytes);
    CHECK(found.image.symbol == "kgen_kernel_k");
    CHECK(found.image.accumulator_symbol == "kgen_accumulator_k");
}

TEST_CASE("a damaged entry costs one compile, gives the same result, and is repaired", "[image]") {
    const ScopedVariable place("TMPDIR", memory_folder());
    const ::TempDir directory;
    CountingCompiler compiler;
    const std::string root = directory.path() + "/cache";
    const ImageRequest request = make_request(job, compiler);
    const auto find = [&] {
        cache::Store store(settings_in(root));  // like a new process
        return find_or_compile(job, request, compiler, store);
    };
    const std::vector<std::byte> code = find().image.sections.at(0).bytes;
    const std::string path = find().path;
    const std::vector<std::byte> good = cache::read_file(path);
    REQUIRE(good.size() > 500);
    for (std::size_t k = 0; k < good.size(); ++k) {
        INFO("byte " << k);
        std::vector<std::byte> bad = good;
        bad[k] ^= std::byte{1} << (k % 8);
        cache::write_file(path, bad);
        const int compiles = compiler.compiles;
        CHECK(find().image.sections.at(0).bytes == code);
        CHECK(compiler.compiles == compiles + 1);
        CHECK(find().origin == ImageOrigin::cache);
        CHECK(compiler.compiles == compiles + 1);
        CHECK(cache::decode_entry(cache::read_file(path)).entry.has_value());
    }
}

TEST_CASE("a cached image keeps its lowered names, in their order", "[image]") {
    const ::TempDir directory;
    CountingCompiler compiler;
    compiler.lowered_names = {{"k<float, 4>", "_Z1kIfLi4EEvv"},
                              {"&ns::scale", "_ZN2ns5scaleE"},
                              {"a=b, \"c\" \xc3\xa4", "second"},
                              {"k<float, 4>", "_Z1kIfLi4EEvv"},
                              {"", "empty"}};
    cache::Store store(settings_in(directory.path() + "/cache"));
    CompileJob raw = job;
    raw.kind = SourceKind::raw;
    for (const LoweredName& name : compiler.lowered_names)
        raw.name_expressions.push_back(name.expression);
    const ImageRequest request = make_request(raw, compiler);
    find_or_compile(raw, request, compiler, store);
    cache::Store other(settings_in(directory.path() + "/cache"));
    const FoundImage found = find_or_compile(raw, request, compiler, other);
    CHECK(found.origin == ImageOrigin::cache);
    CHECK(found.image.lowered_names == compiler.lowered_names);
}

TEST_CASE("what is linked is made by the linker too", "[image]") {
    const ::TempDir directory;
    CountingCompiler compiler;
    cache::Store store(settings_in(directory.path() + "/cache"));
    CompileJob raw = job;
    raw.kind = SourceKind::raw;
    raw.linked_sources = {{"b.cu", "int b;"}};
    const ImageRequest request = make_request(raw, compiler);
    CHECK(find_or_compile(raw, request, compiler, store).producer_identity == "identity+linker");
    CHECK(find_or_compile(raw, request, compiler, store).origin == ImageOrigin::cache);
    compiler.producer_.identity = "another";  // only the linking producer counts
    CHECK(find_or_compile(raw, request, compiler, store).origin == ImageOrigin::cache);
    compiler.linking_producer_.identity = "another+linker";
    CHECK(find_or_compile(raw, request, compiler, store).origin == ImageOrigin::compiler);
}

TEST_CASE("programs that differ in names, in linked sources or in their kind are not one",
          "[image]") {
    CountingCompiler compiler;
    CompileJob raw = job;
    raw.kind = SourceKind::raw;
    raw.name_expressions = {"a", "b"};
    raw.linked_sources = {{"b.cu", "int b;"}};
    const cache::Digest digest = make_request(raw, compiler).digest;
    CHECK(make_request(raw, compiler).digest == digest);
    CompileJob other = raw;
    other.name_expressions = {"b", "a"};
    CHECK(!(make_request(other, compiler).digest == digest));
    other = raw;
    other.name_expressions = {"ab"};
    CHECK(!(make_request(other, compiler).digest == digest));
    other = raw;
    other.linked_sources[0].text += " ";
    CHECK(!(make_request(other, compiler).digest == digest));
    other = raw;
    other.included_digest = "x";
    CHECK(!(make_request(other, compiler).digest == digest));
}

TEST_CASE("linked sources and headers that depend on more than their text are not stored",
          "[image]") {
    const ::TempDir directory;
    cache::Store store(settings_in(directory.path() + "/cache"));
    const auto is_stored = [&](const CompileJob& raw) {
        CountingCompiler compiler;
        const ImageRequest request = make_request(raw, compiler);
        find_or_compile(raw, request, compiler, store);
        return find_or_compile(raw, request, compiler, store).origin == ImageOrigin::cache;
    };
    CompileJob raw = job;
    raw.kind = SourceKind::raw;
    raw.linked_sources = {{"b.cu", "int b;"}};
    CHECK(is_stored(raw));
    raw.linked_sources[0].text = "#include <a.h>\n";
    CHECK_FALSE(is_stored(raw));
    raw.included_digest = "of a.h";
    CHECK(is_stored(raw));
    // Without a digest of the headers, the texts of the headers are checked too.
    raw.included_digest.clear();
    raw.linked_sources[0].text = "int b;";
    raw.headers = {{"a.h", "const char* t = __TIME__;"}};
    raw.source += " ";
    CHECK_FALSE(is_stored(raw));
    raw.headers.clear();
    raw.linked_sources[0].text = "const char* t = __DATE__;";
    CHECK_FALSE(is_stored(raw));
}

TEST_CASE("everything that an image depends on is in the request", "[image]") {
    CountingCompiler compiler;
    const cache::Digest digest = make_request(job, compiler).digest;
    CompileJob other = job;
    other.kernel = "another name for messages";
    CHECK(make_request(other, compiler).digest == digest);
    other = job;
    other.source += " ";
    CHECK(!(make_request(other, compiler).digest == digest));
    other = job;
    other.symbol += "2";
    CHECK(!(make_request(other, compiler).digest == digest));
    other = job;
    other.options = {"-DA=2"};
    CHECK(!(make_request(other, compiler).digest == digest));
    other = job;
    other.target.arch = "x86_64-other";
    CHECK(!(make_request(other, compiler).digest == digest));
}

TEST_CASE("a new compiler makes its own entries, and any entry serves where there is none",
          "[image]") {
    const ::TempDir directory;
    CountingCompiler compiler;
    cache::Store store(settings_in(directory.path() + "/cache"));
    const ImageRequest request = make_request(job, compiler);
    find_or_compile(job, request, compiler, store);
    compiler.producer_.identity = "another identity";
    CHECK(find_or_compile(job, request, compiler, store).origin == ImageOrigin::compiler);
    CHECK(compiler.compiles == 2);
    compiler.absent = true;
    CHECK(find_or_compile(job, request, compiler, store).origin == ImageOrigin::cache);
    CHECK(compiler.compiles == 2);
}

TEST_CASE("what cannot be identified is not stored", "[image]") {
    const ::TempDir directory;
    cache::Store store(settings_in(directory.path() + "/cache"));
    for (const std::string source :
         {"int x = __TIME__[0];", "#include <a.h>\n", "#  include \"b.h\"\n"}) {
        INFO(source);
        CountingCompiler compiler;
        CompileJob included = job;
        included.source = source;
        const ImageRequest request = make_request(included, compiler);
        find_or_compile(included, request, compiler, store);
        CHECK(find_or_compile(included, request, compiler, store).origin == ImageOrigin::compiler);
        CHECK(compiler.compiles == 2);
    }
    CountingCompiler unknown;
    unknown.producer_.identity.clear();
    const ImageRequest request = make_request(job, unknown);
    find_or_compile(job, request, unknown, store);
    CHECK_FALSE(find_image(request, unknown, store));
}

TEST_CASE("a refused source leaves nothing in the store", "[image]") {
    const ::TempDir directory;
    CountingCompiler compiler;
    cache::Store store(settings_in(directory.path() + "/cache"));
    CompileJob bad = job;
    bad.source = "bad";
    const ImageRequest request = make_request(bad, compiler);
    CHECK_THROWS_AS(find_or_compile(bad, request, compiler, store), CompileError);
    CHECK_FALSE(find_image(request, compiler, store));
    CHECK(store.statistics().stores == 0);
    // The directory contains only its tag and the file whose bytes are locked.
    std::vector<std::string> files;
    for (const auto& item : std::filesystem::recursive_directory_iterator(directory.path())) {
        if (item.is_regular_file()) files.push_back(item.path().filename());
    }
    std::sort(files.begin(), files.end());
    CHECK(files == std::vector<std::string>{"CACHEDIR.TAG", "locks"});
}

TEST_CASE("a source that was refused is refused again without a compile", "[image]") {
    const ::TempDir directory;
    CountingCompiler compiler;
    cache::Store store(settings_in(directory.path() + "/cache"));
    const auto refusal = [&](const CompileJob& of) {
        return KGEN_MESSAGE_OF(CompileError,
                               find_or_compile(of, make_request(of, compiler), compiler, store));
    };
    CompileJob bad = job;
    bad.source = "bad again";
    CHECK(refusal(bad) == "kernel 'k': refused");
    CHECK(refusal(bad) == "kernel 'k': refused");
    CHECK(compiler.compiles == 1);
    // The message names the kernel, so another name compiles again. Another compiler may accept the source.
    bad.kernel = "other";
    CHECK(refusal(bad) == "kernel 'other': refused");
    CHECK(compiler.compiles == 2);
    compiler.producer_.identity = "a newer one";
    CHECK(refusal(bad) == "kernel 'other': refused");
    CHECK(compiler.compiles == 3);
    // Files that a source includes may change, so such a source is compiled again. A failure without a
    // compiler log is also tried again, because the next compilation may succeed.
    bad.source = "bad\n#include <a.h>\n";
    refusal(bad);
    refusal(bad);
    CHECK(compiler.compiles == 5);
    bad.source = "silent";
    compiler.during = [](const CompileJob&) { throw CompileError("ended by a signal", "", ""); };
    refusal(bad);
    CHECK(refusal(bad) == "ended by a signal");
    CHECK(compiler.compiles == 7);
}

TEST_CASE("only the latest refusals are remembered", "[image]") {
    RefusedSources refusals(2);
    const auto key = [](const char* text) {
        return RefusalKey{cache::sha256(std::string_view(text)), "identity", "k"};
    };
    for (const char* text : {"a", "b", "c"}) {
        refusals.remember(key(text), CompileError(text, "log", "source"));
    }
    CHECK(refusals.size() == 2);
    CHECK_FALSE(refusals.find(key("a")));
    REQUIRE(refusals.find(key("c")));
    CHECK(std::string(refusals.find(key("c"))->what()) == "c");
    CHECK(refusals.find(key("c"))->log() == "log");
}

TEST_CASE("an entry with valid checksums and no code in it is dropped and made anew", "[image]") {
    const ::TempDir directory;
    CountingCompiler compiler;
    std::vector<std::string> warnings;
    cache::StoreSettings settings = settings_in(directory.path() + "/cache");
    settings.warn = [&](const std::string& text) { warnings.push_back(text); };
    cache::Store store(settings);
    const ImageRequest request = make_request(job, compiler);
    Image garbage{.target = job.target,
                  .symbol = job.symbol,
                  .sections = {{ImageKind::host_object, {std::byte{1}}}}};
    REQUIRE(
        store.put(make_entry(job, request.digest, request.parts, compiler.producer(), garbage)));
    CHECK(find_or_compile(job, request, compiler, store).origin == ImageOrigin::compiler);
    CHECK(warnings.size() == 1);
    CHECK(find_or_compile(job, request, compiler, store).origin == ImageOrigin::cache);
}

TEST_CASE("damaged code is not loaded though the checksums of its entry are right", "[image]") {
    const ::TempDir directory;
    CountingCompiler compiler;
    cache::Store store(settings_in(directory.path() + "/cache"));
    const ImageRequest request = make_request(job, compiler);
    const FoundImage good = find_or_compile(job, request, compiler, store);
    const cache::FindResult stored = find_image(request, compiler, store);
    REQUIRE(stored.entry);
    std::mt19937 random(9);
    for (int trial = 0; trial < 1000; ++trial) {
        INFO("trial " << trial);
        cache::Entry damaged = *stored.entry;
        std::vector<std::byte>& code = damaged.sections[0].bytes;
        if (trial % 3 == 0) code.resize(64 + random() % (code.size() - 64));
        // The first 20 bytes are left alone because the ELF check reads them. Other damage is found only by
        // the digest of the section.
        if (trial % 3 != 0)
            code[20 + random() % (code.size() - 20)] ^= std::byte(1 + random() % 255);
        cache::Store other(settings_in(directory.path() + "/cache"));
        REQUIRE(other.put(damaged));
        const int before = compiler.compiles;
        const FoundImage found = find_or_compile(job, request, compiler, other);
        CHECK(found.origin == ImageOrigin::compiler);
        CHECK(compiler.compiles == before + 1);
        CHECK(found.image.sections[0].bytes == good.image.sections[0].bytes);
    }
}

TEST_CASE("what NVRTC makes is found again by a compiler that is not opened", "[image][nvrtc]") {
    const Compiler* nvrtc = nullptr;
    try {
        nvrtc = &compiler(DeviceKind::cuda);
        static_cast<void>(nvrtc->producer());
    } catch (const DeviceError& error) {
        WARN("SKIPPED, no NVRTC: " << error.what());
        return;
    }
    const ::TempDir directory;
    cache::Store store(settings_in(directory.path() + "/cache"));
    const test::SourceCase row = test::source_cases().front();
    const Explanation explanation =
        row.kernel.explain(row.arguments, {}, {.device = Device::cuda(), .arch = "sm_90"});
    const CompileJob real{.kernel = "k",
                          .source = explanation.source,
                          .symbol = explanation.symbol,
                          .options = {},
                          .target = {DeviceKind::cuda, "sm_90"}};
    const ImageRequest request = make_request(real, *nvrtc);
    const FoundImage made = find_or_compile(real, request, *nvrtc, store);
    CHECK(made.origin == ImageOrigin::compiler);
    const FoundImage found = find_or_compile(real, request, *nvrtc, store);
    CHECK(found.origin == ImageOrigin::cache);
    for (const ImageKind kind : {ImageKind::cubin, ImageKind::ptx}) {
        REQUIRE(found.image.find(kind) != nullptr);
        CHECK(found.image.find(kind)->bytes == made.image.find(kind)->bytes);
    }
}

// SPDX-License-Identifier: MIT
#include <atomic>
#include <kgen/error.hpp>

#include "device/registry.hpp"
#include "image/find_or_compile.hpp"
#include "image/image_entry.hpp"
#include "support/catch.hpp"
#include "support/source_cases.hpp"
#include "support/temp_dir.hpp"

using namespace kgen;

namespace {

// Makes images that look like host objects, and counts them.
class CountingCompiler : public Compiler {
public:
    const Producer& producer() const override {
        if (absent) throw DeviceError("no compiler");
        return producer_;
    }
    std::vector<std::string> resolve_options(const CompileJob& job) const override {
        std::vector<std::string> options = job.options;
        options.push_back("-own");
        return options;
    }
    Image compile(const CompileJob& job) const override {
        ++compiles;
        if (job.source == "bad") throw CompileError("kernel 'k': refused", "log", job.source);
        std::vector<std::byte> bytes(100, std::byte{7});
        const unsigned char head[] = {0x7f, 'E', 'L', 'F', 2, 1};
        for (std::size_t k = 0; k < sizeof head; ++k) bytes[k] = std::byte{head[k]};
        return {.target = job.target,
                .symbol = job.symbol,
                .sections = {{ImageKind::host_object, bytes}}};
    }

    Producer producer_{"counting 1", "/counting", "identity"};
    bool absent = false;
    mutable std::atomic<int> compiles{0};
};

cache::StoreSettings settings_in(const std::string& root) {
    cache::StoreSettings settings;
    settings.mode = cache::StoreMode::read_write;
    settings.root = root;
    return settings;
}

const CompileJob job{.kernel = "k",
                     .source = "source",
                     .symbol = "kgen_kernel_k",
                     .options = {"-DA=1"},
                     .target = {DeviceKind::host, "x86_64"},
                     .accumulator_symbol = "kgen_accumulator_k"};

}  // namespace

TEST_CASE("an image is compiled once and then comes from the store", "[image]") {
    const ::TempDir directory;
    CountingCompiler compiler;
    cache::Store store(settings_in(directory.path() + "/cache"));
    const ImageRequest request = make_request(job, compiler);
    const FoundImage made = find_or_compile(job, request, compiler, store);
    CHECK(made.origin == ImageOrigin::compiler);
    cache::Store other(settings_in(directory.path() + "/cache"));  // as another process would
    const FoundImage found = find_or_compile(job, request, compiler, other);
    CHECK(found.origin == ImageOrigin::cache);
    CHECK(compiler.compiles == 1);
    REQUIRE(found.image.find(ImageKind::host_object) != nullptr);
    CHECK(found.image.find(ImageKind::host_object)->bytes ==
          made.image.find(ImageKind::host_object)->bytes);
    CHECK(found.image.symbol == "kgen_kernel_k");
    CHECK(found.image.accumulator_symbol == "kgen_accumulator_k");
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

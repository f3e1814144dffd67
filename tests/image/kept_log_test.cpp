// SPDX-License-Identifier: MIT
//
// The compiler's output is kept with the code in the cache.
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "image/image_entry.hpp"
#include "support/cache_fixtures.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/never_compiled.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

CompileJob sample_job() {
    CompileJob job;
    job.kernel = "k";
    job.symbol = "k";
    job.target = {DeviceKind::cuda, "sm_90"};
    return job;
}

Image sample_image(std::string log) {
    Image image;
    image.target = {DeviceKind::cuda, "sm_90"};
    image.symbol = "k";
    std::vector<std::byte> elf(64);
    const unsigned char magic[] = {0x7f, 'E', 'L', 'F', 2, 1};
    for (std::size_t k = 0; k < 6; ++k) elf[k] = std::byte{magic[k]};
    elf[18] = std::byte{190};
    image.sections.push_back({ImageKind::cubin, elf});
    image.log = std::move(log);
    return image;
}

}  // namespace

TEST_CASE("the warnings of a raw kernel that comes from the cache are still there",
          "[raw][cache][binding]") {
    const std::string text =
        "#pragma message(\"kgen keeps this\")\n"
        "#warning kgen keeps this\n"  // the host's compiler is silent about it
        "extern \"C\" __global__ void noted(int* x) { *x = 1; }" +
        never_compiled();
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const auto log = [&] {
            const RawKernel kernel(text, "noted");
            const Array x = zeros({1}, int32, {device});
            kernel.launch({}, x);
            CHECK(x.to_vector<std::int32_t>() == std::vector<std::int32_t>{1});
            return kernel.log(device);
        };
        const std::uint64_t before = cache_statistics().compiles;
        const std::string first = log();
        CHECK(first.find("kgen keeps this") != std::string::npos);
        CHECK(log() == first);
        CHECK(cache_statistics().compiles == before + 1);
    }
}

TEST_CASE("explain() shows the warnings of a generated kernel that is in the cache",
          "[kernel][cache][binding]") {
    const ElementwiseKernel kernel(
        "T x",
        "T y",
        "y = x " + never_compiled(),
        "warned",
        {.preamble = "#pragma message(\"kgen keeps that\")\n#warning kgen keeps that\n"});
    for (const Device device : present_devices()) {
        const std::vector<Argument> arguments = {zeros({2}, float32, {device})};
        CHECK(kernel.explain(arguments).log.empty());
        kernel(*arguments[0].array());
        const Explanation told = kernel.explain(arguments);
        CHECK(told.cached);
        CHECK(told.log.find("kgen keeps that") != std::string::npos);
    }
}

TEST_CASE("an entry without a log is as before, and one with a log is read by its section",
          "[image][cache][binding]") {
    const CompileJob job = sample_job();
    const cache::Digest request = cache::sha256("request");
    const Producer producer{.name = "p", .path = "p", .identity = "p"};
    const cache::Entry silent = make_entry(job, request, {}, producer, sample_image(""));
    CHECK(silent.sections.size() == 1);
    CHECK(log_of(silent).empty());
    const cache::Entry spoken = make_entry(job, request, {}, producer, sample_image("a warning"));
    REQUIRE(spoken.sections.size() == 2);
    CHECK(section_name(spoken.sections[1].tag) == "compiler log");
    const cache::DecodeResult read = cache::decode_entry(cache::encode_entry(spoken));
    REQUIRE(read.entry);
    std::string why_not;
    const auto image = read_entry(job, *read.entry, why_not);
    REQUIRE(image);
    CHECK(image->log == "a warning");
    CHECK(image->sections.size() == 1);
    const auto old = read_entry(job, silent, why_not);
    REQUIRE(old);
    CHECK(old->log.empty());
}

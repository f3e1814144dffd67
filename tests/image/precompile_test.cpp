// SPDX-License-Identifier: MIT
//
// Templates compiled ahead: what a pack contains, that it is reproducible, and that programs can use it.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <kgen/kgen.hpp>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "device/registry.hpp"
#include "image/compile_settings.hpp"
#include "image/find_or_compile.hpp"
#include "image/image_entry.hpp"
#include "pack_format.hpp"
#include "pack_reader.hpp"
#include "precompile/precompile_batches.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/fresh_process.hpp"
#include "support/never_compiled.hpp"
#include "support/nvrtc.hpp"
#include "support/sanitizers.hpp"
#include "support/temp_dir.hpp"
#include "template/template_library.hpp"
#include "text/source_scan.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

std::vector<KernelTemplate> templates(std::initializer_list<const char*> names) {
    std::vector<KernelTemplate> list;
    for (const char* name : names) list.push_back(kernel_template(name));
    return list;
}

std::vector<cache::PackListing> entries_of(std::span<const std::byte> pack) {
    const cache::PackOpening opening = cache::PackReader::open(pack);
    REQUIRE(opening.reader != nullptr);
    REQUIRE(opening.reader->verify() == cache::PackProblem::none);
    std::vector<cache::PackListing> entries;
    REQUIRE(opening.reader->list(entries) == cache::PackProblem::none);
    return entries;
}

std::string value_of(const cache::PackListing& entry, std::string_view name) {
    for (const auto& [key, value] : entry.metadata) {
        if (key == name) return value;
    }
    return {};
}

// A template that no other test has compiled.
KernelTemplate small_template(const std::string& name, const std::string& comment = "") {
    return KernelTemplate::from_json(
        R"({"kind": "elementwise", "description": "x + 17", "name": ")" + name +
        R"(", "inputs": "T x", "outputs": "T y", "operation": "y = x + 17)" + comment + R"("})");
}

constexpr const char* broken = R"({
  "kind": "elementwise", "name": "broken", "description": "does not compile",
  "inputs": "T x", "outputs": "T y", "operation": "y = x + undefined_name",
  "compile": {"types": {"T": ["float32"]}, "layouts": ["contiguous"]}
})";

// A compiler that writes an empty object file and records whether two of its runs overlap.
constexpr const char* fake_compiler = R"(#!/bin/sh
case "$*" in *-shared*) ;; *) exec g++ "$@" ;; esac
mkdir "$0.running" 2> /dev/null || : > "$0.overlap"
cat > /dev/null
for now; do
    [ "$before" != -o ] || printf '\177ELF' > "$now"
    before=$now
done
sleep 0.01
rmdir "$0.running" 2> /dev/null
exit 0
)";

}  // namespace

TEST_CASE("a pack holds each kernel for each architecture", "[precompile]") {
    if (real_nvrtc_compiler() == nullptr) return;
    const PrecompiledPack pack = precompile_pack(
        templates({"relu", "l2norm"}), {.archs = {"sm_80", "sm_90a"}, .types = {{'T', {float32}}}});
    CHECK(pack.summary.failures.empty());
    CHECK(pack.summary.known == 0);
    CHECK(pack.summary.compiled == pack.summary.kernels);
    CHECK(pack.summary.programs < pack.summary.kernels);
    const std::vector<cache::PackListing> entries = entries_of(pack.bytes);
    CHECK(entries.size() == pack.summary.kernels);
    std::map<std::string, int> kernels;
    std::map<std::string, int> archs;
    for (const cache::PackListing& entry : entries) {
        ++kernels[value_of(entry, "kernel")];
        ++archs[value_of(entry, "target")];
        REQUIRE(entry.sections.size() == 1);
        CHECK(entry.sections[0].first == cache::section_tag("cubn"));
        // The code contains the entry point under the name in the entry.
        const cache::PackOpening opening = cache::PackReader::open(pack.bytes);
        const cache::PackFind found = opening.reader->find(entry.request);
        REQUIRE(found.entry);
        const std::vector<std::byte>& code = found.entry->sections[0].bytes;
        const std::string own = value_of(entry, "code_symbol");
        CHECK(contains({reinterpret_cast<const char*>(code.data()), code.size()},
                       ".text." + (own.empty() ? value_of(entry, "symbol") : own)));
    }
    CHECK(kernels["relu"] >= 4);
    CHECK(kernels["l2norm"] >= 10);
    CHECK(kernels["copy"] >= 2);  // programs with a pack also need copy
    CHECK(archs.size() == 2);
    CHECK(archs["sm_80"] == archs["sm_90a"]);
}

TEST_CASE("a pack is the same however many threads make it", "[precompile]") {
    if (real_nvrtc_compiler() == nullptr) return;
    const auto list = templates({"sigmoid", "sum"});
    const PrecompileOptions one{.archs = {"sm_90"}, .types = {{'T', {float32}}}, .jobs = 1};
    PrecompileOptions three = one;
    three.jobs = 3;
    std::size_t last = 0;
    three.progress = [&](const PrecompileProgress& progress) {
        CHECK(progress.done > last);
        last = progress.done;
    };
    const PrecompiledPack pack = precompile_pack(list, one);
    CHECK(precompile_pack(list, three).bytes == pack.bytes);
    CHECK(last == pack.summary.kernels);

    const PrecompiledPack again = precompile_pack(list, one, pack.bytes);
    CHECK(again.bytes == pack.bytes);
    CHECK(again.summary.compiled == 0);
    CHECK(again.summary.known == pack.summary.kernels);
    // A pack with other kernels is of no use.
    const PrecompiledPack other = precompile_pack(templates({"relu"}), one, pack.bytes);
    CHECK(other.summary.compiled == other.summary.kernels);
}

TEST_CASE("kernels that share a program are those of a program each", "[precompile]") {
    if (real_nvrtc_compiler() == nullptr) return;
    const std::vector<PrecompileJob> jobs =
        list_precompile_jobs({find_template("argmax"), find_template("add")},
                             {.archs = {"sm_90"}, .types = {{'T', {float32, int32}}}})
            .jobs;
    const std::vector<PrecompileBatch> batches = make_batches(jobs);
    std::set<std::size_t> members;
    for (const PrecompileBatch& batch : batches) {
        for (const std::size_t k : batch) {
            CHECK(members.insert(k).second);
            // The jobs of a batch share options and architecture, and the source text that precedes their
            // kernels.
            CHECK(jobs[k].planned.request.options == jobs[batch[0]].planned.request.options);
        }
    }
    CHECK(members.size() == jobs.size());
    CHECK(batches.size() < jobs.size() / 2);
}

TEST_CASE("the members of a batch compile as one program", "[precompile]") {
    if (real_nvrtc_compiler() == nullptr) return;
    const PrecompileOptions options{.archs = {"sm_90"}, .types = {{'T', {float32, int32}}}};
    for (const char* name : {"any", "cast", "argmin"}) {
        if (is_sanitized && name != std::string_view("any")) continue;  // NVRTC takes minutes
        INFO(name);
        const std::vector<PrecompileJob> jobs =
            list_precompile_jobs({find_template(name)}, options).jobs;
        const std::vector<PrecompileBatch> batches = make_batches(jobs);
        const PrecompiledPack pack = precompile_pack(templates({name}), options);
        CHECK(pack.summary.programs == batches.size());
    }
}

TEST_CASE("a kernel that does not compile is told and costs no other", "[precompile]") {
    if (real_nvrtc_compiler() == nullptr) return;
    std::vector<KernelTemplate> list = templates({"relu"});
    list.push_back(KernelTemplate::from_json(broken));
    const PrecompiledPack pack =
        precompile_pack(list, {.archs = {"sm_90"}, .types = {{'T', {float32}}}});
    REQUIRE(pack.summary.failures.size() == 2);  // its own variant and the general one
    const PrecompileFailure& failure = pack.summary.failures[0];
    CHECK(failure.kernel == "broken (T = float32)");
    CHECK(failure.arch == "sm_90");
    CHECK(contains(failure.message, "broken (operation)(1): error: identifier \"undefined_name\""));
    CHECK(pack.summary.compiled == pack.summary.kernels - 2);
}

TEST_CASE("an architecture that is not known is told with those that are", "[precompile]") {
    if (real_nvrtc_compiler() == nullptr) return;
    for (const char* arch : {"sm_1", "sm_", "", "compute_90", "sm_90x9", "90", "host1"}) {
        std::string message;
        try {
            static_cast<void>(precompile_pack(templates({"relu"}), {.archs = {arch}}));
        } catch (const SignatureError& error) {
            message = error.what();
        }
        CHECK(message.starts_with("unknown architecture '" + std::string(arch) +
                                  "': " + compiler(DeviceKind::cuda).producer().name + " has sm_"));
        CHECK(message.ends_with(", and kgen 'host'"));
    }
}

TEST_CASE("a program with a pack runs its kernels where nothing may be compiled", "[precompile]") {
    // The pack is static because its memory must stay valid while it is in use.
    static const PrecompiledPack pack = precompile_pack(
        templates({"softplus", "logsumexp"}), {.archs = {"host"}, .types = {{'T', {float64}}}});
    REQUIRE(pack.summary.failures.empty());
    use_pack(pack.bytes);
    const CompileModeScope never(CompileMode::never);
    const DeviceScope host(Device::host());
    const Array x = arange(24, float64).reshape({4, 6});
    const KernelTemplate softplus = kernel_template("softplus");
    const auto check = [&](const Array& given) {
        const std::vector<double> in = given.copy().to_vector<double>();
        const std::vector<double> out = softplus(given).copy().to_vector<double>();
        REQUIRE(out.size() == in.size());
        for (std::size_t k = 0; k < in.size(); ++k)
            CHECK(std::abs(out[k] - std::log1p(std::exp(in[k]))) < 1e-12);
    };
    check(x);
    // Layouts that were not precompiled use the general variant.
    check(x.transpose());
    check(x.slice({{0, 4, 2}, {1, 6, 3}}));
    const Array rows = kernel_template("logsumexp")(x, axis(1));
    const std::vector<double> sums = rows.to_vector<double>();
    for (std::size_t row = 0; row < 4; ++row) {
        double sum = 0;
        for (std::size_t k = 0; k < 6; ++k) sum += std::exp(static_cast<double>(row * 6 + k));
        CHECK(std::abs(sums[row] - std::log(sum)) < 1e-12);
    }
    // A kernel that is in no pack and that no other test compiles.
    const KernelTemplate absent = small_template("in_no_pack");
    CHECK_THROWS_AS(absent(arange(4, float32)), CompileError);
}

TEST_CASE("inputs that may be numbers are compiled as numbers and as arrays", "[precompile]") {
    const std::vector<KernelTemplate> wanted = {KernelTemplate::from_json(R"({
        "kind": "elementwise", "name": "in_numbers", "description": "x * a + b * 3",
        "inputs": "T x, T a, T b", "outputs": "T y", "operation": "y = x * a + b * 3",
        "compile": {"types": {"T": ["float64"]}, "layouts": ["row"], "numbers": ["a", "b"]}})")};
    static const PrecompiledPack pack = precompile_pack(wanted, {.archs = {"host"}});
    REQUIRE(pack.summary.failures.empty());
    use_pack(pack.bytes);
    const CompileModeScope never(CompileMode::never);
    const DeviceScope host(Device::host());
    const KernelTemplate& kernel = wanted.front();
    const Array x = arange(4, float64);
    const Array other = arange(4, float64);
    CHECK(kernel(x, 2, 5).to_vector<double>() == std::vector<double>({15, 17, 19, 21}));
    CHECK(kernel(x, other, 5).to_vector<double>() == std::vector<double>({15, 16, 19, 24}));
    CHECK(kernel(x, 2, other).to_vector<double>() == std::vector<double>({0, 5, 10, 15}));
    CHECK(kernel(x, other, other).to_vector<double>() == std::vector<double>({0, 4, 10, 18}));
    CHECK_THROWS_AS(kernel(2, x, other), CompileError);
}

TEST_CASE("what is compiled into the cache is compiled once", "[precompile]") {
    const std::vector<KernelTemplate> list = {
        small_template("compiled_into_the_cache", never_compiled())};
    const PrecompileOptions options{.archs = {"host"}, .types = {{'T', {float32}}}};
    const CacheStatistics before = cache_statistics();
    const PrecompileSummary first = precompile(list, options);
    CHECK(first.compiled == first.kernels);
    CHECK(first.programs == first.kernels);
    CHECK(cache_statistics().compiles == before.compiles + first.programs);
    const PrecompileSummary second = precompile(list, options);
    CHECK(second.kernels == first.kernels);
    CHECK(second.known == first.kernels);
    CHECK(second.compiled == 0);
    CHECK(second.programs == 0);
    CHECK(cache_statistics().compiles == before.compiles + first.programs);
    CHECK(cache_statistics().compile_failures == before.compile_failures);

    const std::vector<KernelTemplate> failing = {KernelTemplate::from_json(broken)};
    const PrecompileSummary failed = precompile(failing, options);
    CHECK(failed.failures.size() == 2);
    CHECK(failed.programs == 2);
    CHECK(cache_statistics().compiles == before.compiles + first.programs + 2);
    CHECK(cache_statistics().compile_failures == before.compile_failures + 2);
}

TEST_CASE("fresh: compiles ahead in two threads with one slot", "[.fresh]") {
    const std::vector<KernelTemplate> list = templates({"relu"});
    const PrecompileOptions options{.archs = {"host"}, .types = {{'T', {float32}}}};
    PrecompileOptions nested = options;
    bool is_first = true;
    nested.progress = [&](const PrecompileProgress&) {
        if (std::exchange(is_first, false)) static_cast<void>(precompile_pack(list, options));
    };
    auto other =
        std::async(std::launch::async, [&] { return precompile_pack(list, options).summary; });
    const PrecompileSummary made = precompile_pack(list, nested).summary;
    CHECK(other.get().compiled == made.compiled);
    const CacheStatistics counts = cache_statistics();
    report(counts.compiles == 3 * made.programs ? "each compiled what it was asked for\n"
                                                : "some compiled something else\n");
    const std::string overlap = std::getenv("KGEN_HOST_CXX") + std::string(".overlap");
    report(std::filesystem::exists(overlap) ? "two at once\n" : "one at a time\n");
    const CompileSlot held(process_slots());
    PrecompileOptions more = options;
    more.jobs = 2;
    report(precompile_pack(list, more).summary.compiled == made.compiled ? "compiled\n"
                                                                         : "failed\n");
}

TEST_CASE("what is compiled ahead counts in KGEN_JOBS unless more threads are asked for",
          "[precompile]") {
    const ::TempDir folder;
    const std::string fake = folder / "compiler";
    std::ofstream(fake) << fake_compiler;
    std::filesystem::permissions(fake, std::filesystem::perms::owner_all);
    const FreshResult result = run_fresh("fresh: compiles ahead in two threads with one slot",
                                         {{"KGEN_JOBS", "1"}, {"KGEN_HOST_CXX", fake}});
    CHECK(result.exit_status == 0);
    CHECK(result.text == "each compiled what it was asked for\none at a time\ncompiled\n");
}

TEST_CASE("code for an older architecture of the same family serves where nothing may be compiled",
          "[precompile]") {
    if (real_nvrtc_compiler() == nullptr) return;
    const std::vector<PrecompileJob> jobs =
        list_precompile_jobs({find_template("cbrt")},
                             {.archs = {"sm_80"}, .types = {{'T', {float32}}}})
            .jobs;
    const Compiler& maker = compiler(DeviceKind::cuda);
    const ::TempDir folder;
    cache::StoreSettings settings;
    settings.mode = cache::StoreMode::read_write;
    settings.root = folder / "cache";
    cache::Store store(settings);
    const PlannedJob& made = jobs.front().planned;
    const FoundImage image = find_or_compile(made.job, made.request, maker, store);
    REQUIRE(image.origin == ImageOrigin::compiler);

    const CompileModeScope never(CompileMode::never);
    const auto find = [&](const std::string& arch) {
        const PlannedJob wanted = retarget(made, arch);
        return find_or_compile(wanted.job, wanted.request, maker, store);
    };
    const FoundImage found = find("sm_89");
    CHECK(found.origin == ImageOrigin::cache);
    CHECK(found.image.target.arch == "sm_80");
    CHECK(found.image.find(ImageKind::cubin)->bytes == image.image.find(ImageKind::cubin)->bytes);
    CHECK_THROWS_AS(find("sm_90"), CompileError);
    CHECK_THROWS_AS(find("sm_75"), CompileError);
    CHECK_THROWS_AS(find("sm_80a"), CompileError);
}

// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <kgen/error.hpp>
#include <kgen/precompile.hpp>
#include <map>

#include "call/template_access.hpp"
#include "device/arch_name.hpp"
#include "device/registry.hpp"
#include "image/find_or_compile.hpp"
#include "image/process_store.hpp"
#include "pack_format.hpp"
#include "pack_reader.hpp"
#include "precompile/precompile_batches.hpp"
#include "precompile/precompile_jobs.hpp"
#include "precompile/run_in_parallel.hpp"
#include "text/list.hpp"
#include "text/milliseconds_since.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

using Clock = std::chrono::steady_clock;

void check_archs(const std::vector<std::string>& archs) {
    for (const std::string& arch : archs) {
        const TargetOptions target = target_of(arch);
        if (!target.arch) continue;
        const Compiler& maker = compiler(target.device->kind());
        const std::vector<std::string> known = maker.supported_archs();
        if (is_one_of(without_arch_suffix(arch), known)) continue;
        throw SignatureError(fmt::format("unknown architecture '{}': {} has {}, and kgen 'host'",
                                         arch,
                                         maker.producer().name,
                                         fmt::join(known, ", ")));
    }
}

PrecompileJobs list_jobs(std::span<const KernelTemplate> templates,
                         const PrecompileOptions& options) {
    check_archs(options.archs);
    std::vector<TemplateDefinition> definitions;
    for (const KernelTemplate& one : templates)
        definitions.push_back(TemplateAccess::definition(one));
    return list_precompile_jobs(definitions, options);
}

// Whether the pack contains exactly these jobs, compiled by the current compilers.
bool holds_exactly(std::span<const std::byte> pack, const std::vector<PrecompileJob>& jobs) {
    const cache::PackOpening opening = cache::PackReader::open(pack);
    if (opening.reader == nullptr || opening.reader->index().size() != jobs.size()) return false;
    if (opening.reader->verify() != cache::PackProblem::none) return false;
    const cache::PackIndex& index = opening.reader->index();
    std::map<DeviceKind, cache::Digest> producers;
    return std::all_of(jobs.begin(), jobs.end(), [&](const PrecompileJob& job) {
        const auto [producer, is_new] = producers.try_emplace(job.planned.job.target.kind);
        if (is_new) producer->second = cache::sha256(compiler(producer->first).producer().identity);
        const cache::Digest& request = job.planned.request.digest;
        const std::size_t at = index.lower_bound(request);
        return at < index.size() && index.request(at) == request &&
               index.producer(at) == producer->second;
    });
}

}  // namespace

PrecompileSummary precompile(std::span<const KernelTemplate> templates,
                             const PrecompileOptions& options) try {
    const Clock::time_point start = Clock::now();
    PrecompileJobs listed = list_jobs(templates, options);
    std::vector<PrecompileJob>& all = listed.jobs;
    std::vector<char> is_known(all.size());
    run_in_parallel(all.size(), thread_count(options), [&](std::size_t k) {
        const Compiler& maker = compiler(all[k].planned.job.target.kind);
        is_known[k] = find_image(all[k].planned.request, maker, process_store()).entry.has_value();
    });
    std::vector<PrecompileJob> jobs;
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (is_known[k] == 0) jobs.push_back(std::move(all[k]));
    }
    CompiledJobs compiled = compile_batches(jobs, options);
    if (!compiled.entries.empty()) {
        const cache::PutPackResult put =
            process_store().put_pack(cache::encode_pack(std::move(compiled.entries)));
        if (!put.problem.empty())
            throw IoError(
                fmt::format("the kernels cannot be stored in the cache: {}", put.problem));
    }
    PrecompileSummary& summary = compiled.summary;
    summary.kernels = all.size();
    summary.empty = std::move(listed.empty);
    summary.known = all.size() - jobs.size();
    summary.seconds = milliseconds_since(start) / 1000;
    return summary;
} catch (...) {
    rethrow_as_error();
}

PrecompiledPack precompile_pack(std::span<const KernelTemplate> templates,
                                const PrecompileOptions& options,
                                std::span<const std::byte> known) try {
    const Clock::time_point start = Clock::now();
    PrecompileJobs listed = list_jobs(templates, options);
    const std::vector<PrecompileJob>& jobs = listed.jobs;
    PrecompiledPack pack;
    if (!known.empty() && holds_exactly(known, jobs)) {
        pack.bytes.assign(known.begin(), known.end());
        pack.summary.known = jobs.size();
    } else {
        CompiledJobs compiled = compile_batches(jobs, options);
        pack.summary = std::move(compiled.summary);
        pack.bytes = cache::encode_pack(std::move(compiled.entries));
    }
    pack.summary.kernels = jobs.size();
    pack.summary.empty = std::move(listed.empty);
    pack.summary.seconds = milliseconds_since(start) / 1000;
    return pack;
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen

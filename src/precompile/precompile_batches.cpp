// SPDX-License-Identifier: MIT
#include "precompile/precompile_batches.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <kgen/error.hpp>
#include <map>
#include <mutex>
#include <optional>

#include "device/registry.hpp"
#include "image/compile_settings.hpp"
#include "image/image_counts.hpp"
#include "image/image_entry.hpp"
#include "precompile/run_in_parallel.hpp"
#include "source/batch_source.hpp"
#include "text/milliseconds_since.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

// Largest batches. NVRTC 13.0 takes about 11 ms for each of 32 elementwise kernels in one program, 4 % more for
// each of 16, and 28 ms for one alone. Reductions take 35 to 150 ms each, of which little is saved (1 %
// more with 16), so 8 suffice, and smaller batches spread better over the threads.
constexpr std::size_t most_elementwise = 32;
constexpr std::size_t most_reductions = 8;

// Jobs with equal keys may share a program. The key is empty if the job must be compiled alone.
std::string batch_key(const PrecompileJob& job) {
    const CompileJob& compile = job.planned.job;
    const bool is_cuda = traits(compile.target.kind).language == SourceLanguage::cuda;
    if (!is_cuda || !compile.included_digest.empty()) return {};
    const std::string prefix = batch_prefix(job.planned.source);
    if (prefix.empty()) return {};
    return fmt::format("{}\n{}\n{}\n{}",
                       compile.target.arch,
                       job.is_reduction,
                       fmt::join(job.planned.request.options, "\n"),
                       prefix);
}

// Returns "NVRTC 13.0" for "NVRTC 13.0.88". The last number is dropped because it comes from a file name,
// which differs between two installations of the same build.
std::string short_name(const std::string& name) {
    const std::size_t first = name.find('.');
    return first == std::string::npos ? name : name.substr(0, name.find('.', first + 1));
}

class BatchCompiler {
public:
    BatchCompiler(const std::vector<PrecompileJob>& jobs, const PrecompileOptions& options)
        : jobs_(jobs), options_(options), entries_(jobs.size()), messages_(jobs.size()) {}

    CompiledJobs run() {
        std::vector<PrecompileBatch> batches = make_batches(jobs_);
        // The longest programs come first, so that no thread begins one when the others have finished.
        std::stable_sort(batches.begin(), batches.end(), [&](const auto& a, const auto& b) {
            return text_length(a) > text_length(b);
        });
        run_in_parallel(
            batches.size(), thread_count(options_), [&](std::size_t k) { compile(batches[k]); });
        CompiledJobs result;
        for (std::size_t k = 0; k < jobs_.size(); ++k) {
            if (entries_[k]) result.entries.push_back(std::move(*entries_[k]));
            if (messages_[k].empty()) continue;
            const Target& target = jobs_[k].planned.job.target;
            const DeviceTraits& made_for = traits(target.kind);
            result.summary.failures.push_back(
                {jobs_[k].kernel,
                 made_for.is_single ? std::string(made_for.name) : target.arch,
                 messages_[k]});
        }
        result.summary.programs = programs_;
        result.summary.compiled = result.entries.size();
        return result;
    }

private:
    std::size_t text_length(const PrecompileBatch& batch) const {
        std::size_t length = 0;
        for (const std::size_t k : batch) length += jobs_[k].planned.source.text.size();
        return length;
    }

    void compile(const PrecompileBatch& batch) {
        if (batch.size() > 1 && compile_together(batch)) return report(batch.back(), batch.size());
        for (const std::size_t k : batch) {
            try {
                const CompileJob& job = jobs_[k].planned.job;
                keep(k, call_compiler(job), job.symbol, job.accumulator_symbol);
            } catch (const CompileError& error) {
                messages_[k] = error.what();
            }
            report(k, 1);
        }
    }

    bool compile_together(const PrecompileBatch& batch) {
        std::vector<const Source*> sources;
        for (const std::size_t k : batch) sources.push_back(&jobs_[k].planned.source);
        const BatchSource together = make_batch_source(sources);
        CompileJob job = jobs_[batch.front()].planned.job;
        job.source = together.text;
        job.symbol = together.symbols.front();
        job.accumulator_symbol = together.accumulator_symbols.front();
        Image image;
        try {
            image = call_compiler(job);
        } catch (const CompileError&) {
            return false;  // compiling each alone finds the faulty one
        }
        for (std::size_t m = 0; m < batch.size(); ++m)
            keep(batch[m], image, together.symbols[m], together.accumulator_symbols[m]);
        return true;
    }

    // Releases the compile slot on return, before progress is reported, because the progress callback may
    // compile too.
    Image call_compiler(const CompileJob& job) {
        std::optional<CompileSlot> slot;
        if (shares_slots_) slot.emplace(process_slots());
        ++programs_;
        return counted_compile(compiler(job.target.kind), job);
    }

    void keep(std::size_t k,
              Image image,
              const std::string& symbol,
              const std::string& accumulator_symbol) {
        const PrecompileJob& job = jobs_[k];
        const CompileJob& compile = job.planned.job;
        image.symbol = symbol;
        image.accumulator_symbol = accumulator_symbol;
        image.compile_ms = 0;  // times would make equal packs differ
        image.log.clear();     // it may be about other kernels of the batch
        if (!options_.ptx) {
            std::erase_if(image.sections, [](const ImageSection& section) {
                return section.kind == ImageKind::ptx;
            });
        }
        Producer producer = compiler(compile.target.kind).producer();
        producer.name = short_name(producer.name);
        entries_[k] = make_entry(
            compile, job.planned.request.digest, job.planned.request.parts, producer, image);
    }

    void report(std::size_t last, std::size_t count) {
        if (!options_.progress) return;
        const std::lock_guard lock(mutex_);
        done_ += count;
        call_user(options_.progress,
                  PrecompileProgress{.kernel = jobs_[last].kernel,
                                     .done = done_,
                                     .total = jobs_.size(),
                                     .seconds = milliseconds_since(start_) / 1000});
    }

    const std::vector<PrecompileJob>& jobs_;
    const PrecompileOptions& options_;
    // Whether these threads share the process's compile slots, whose number KGEN_JOBS sets. False if more
    // threads than slots were asked for.
    const bool shares_slots_ = thread_count(options_) <= compile_settings().jobs;
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::atomic<std::size_t> programs_ = 0;
    std::vector<std::optional<cache::Entry>> entries_;  // each thread writes those of its own jobs
    std::vector<std::string> messages_;  // one error per job, or empty; written the same way
    std::mutex mutex_;                   // guards done_
    std::size_t done_ = 0;
};

}  // namespace

std::vector<PrecompileBatch> make_batches(const std::vector<PrecompileJob>& jobs) {
    std::vector<PrecompileBatch> batches;
    std::map<std::string, std::size_t> open;  // batches that are not full, by key
    for (std::size_t k = 0; k < jobs.size(); ++k) {
        const std::string key = batch_key(jobs[k]);
        const auto found = key.empty() ? open.end() : open.find(key);
        if (found == open.end()) {
            if (!key.empty()) open.emplace(key, batches.size());
            batches.push_back({k});
            continue;
        }
        batches[found->second].push_back(k);
        const std::size_t most = jobs[k].is_reduction ? most_reductions : most_elementwise;
        if (batches[found->second].size() == most) open.erase(found);
    }
    return batches;
}

CompiledJobs compile_batches(const std::vector<PrecompileJob>& jobs,
                             const PrecompileOptions& options) {
    return BatchCompiler(jobs, options).run();
}

}  // namespace kgen

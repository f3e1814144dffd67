// SPDX-License-Identifier: MIT
#include "precompile/precompile_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "array/kernels/array_kernels.hpp"
#include "call/explain_call.hpp"
#include "device/registry.hpp"
#include "image/compile_settings.hpp"
#include "precompile/layout_cases.hpp"
#include "precompile/run_in_parallel.hpp"
#include "text/list.hpp"

namespace kgen {

namespace {

TypeBinding binding_of(const Signature& signature, const TemplateTypes& types) {
    TypeBinding binding;
    for (const auto& [letter, dtype] : types.placeholders)
        binding.placeholders.push_back({letter, dtype});
    for (const Parameter& parameter : signature.parameters) {
        const auto named = std::find_if(
            types.placeholders.begin(), types.placeholders.end(), [&](const auto& placeholder) {
                return placeholder.first == parameter.placeholder;
            });
        binding.dtypes.push_back(parameter.dtype ? *parameter.dtype : named->second);
    }
    return binding;
}

// All jobs of one template.
class TemplateJobs {
public:
    TemplateJobs(const TemplateDefinition& definition, const std::vector<std::string>& archs)
        : definition_(definition), archs_(archs) {}

    void add(const TemplateTypes& types) {
        const Pipeline pipeline(definition_.overloads[types.overload].definition, Merging::yes);
        const TypeBinding binding = binding_of(pipeline.signature(), types);
        const std::string name = types.placeholders.empty()
                                     ? definition_.name
                                     : fmt::format("{} ({})", definition_.name, to_text(binding));
        bool has_general = false;
        for (const std::string& layout : definition_.layouts)
            has_general |= add_layout(pipeline, binding, name, layout, definition_.numbers);
        // Inputs that calls usually pass as numbers may also be arrays, each independently of the others. Statements pass
        // the seeds and parameters of random numbers always as numbers.
        const char* const dense =
            definition_.kind == TemplateKind::reduction ? "full" : "contiguous";
        const std::size_t all = (std::size_t{1} << definition_.numbers.size()) - 1;
        const bool always = pipeline.signature().facts.draws;
        for (std::size_t set = always ? all : 0; set <= all; ++set) {
            if (set == all && has_general) break;
            std::vector<std::string> numbers;
            for (std::size_t k = 0; k < definition_.numbers.size(); ++k) {
                if ((set >> k & 1) != 0) numbers.push_back(definition_.numbers[k]);
            }
            add_layout(pipeline, binding, name, dense, numbers);
        }
    }

    std::vector<PrecompileJob> take() { return std::move(jobs_); }

private:
    // Returns true if a general variant for these number inputs was added.
    bool add_layout(const Pipeline& pipeline,
                    const TypeBinding& binding,
                    const std::string& name,
                    const std::string& layout,
                    const std::vector<std::string>& numbers) {
        bool has_general = false;
        for (const LayoutCase& one : layout_cases(pipeline.signature(), binding, layout, numbers)) {
            if (!one.any_size_only) add_call(pipeline, name, one, Fit::call);
            add_call(pipeline, name, one, Fit::any_size);
            if (one.placement == Placement::aligned) {
                add_call(pipeline, name, one, Fit::general);
                has_general = true;
            }
        }
        return has_general;
    }

    void add_call(const Pipeline& pipeline,
                  const std::string& name,
                  const LayoutCase& one,
                  Fit fit) {
        const bool is_reduction = definition_.kind == TemplateKind::reduction;
        CallOptions options;
        if (is_reduction) options.axes = one.axes;
        const CallView view(one.arguments, options);
        for (const std::string& arch : archs_) {
            const TargetOptions target = target_of(arch);
            const bool is_single = traits(*target.device).is_single;
            if (is_single && (one.any_size_only || fit == Fit::any_size)) continue;
            PlannedJob planned = plan_job(pipeline.kernel(), view, target, fit, one.placement);
            if (!known_.insert(planned.request.digest).second) continue;
            jobs_.push_back({name, is_reduction, std::move(planned)});
        }
    }

    const TemplateDefinition& definition_;
    const std::vector<std::string>& archs_;
    std::vector<PrecompileJob> jobs_;
    std::unordered_set<cache::Digest> known_;
};

// A template with the types to compile, and the architectures to compile it for.
struct Wanted {
    TemplateDefinition definition;
    std::vector<std::string> archs;
};

// Returns the dtypes of all parameters without duplicates.
std::vector<DType> dtypes_of(const std::vector<Wanted>& list) {
    std::vector<DType> dtypes;
    for (const Wanted& wanted : list) {
        for (const TemplateTypes& types : wanted.definition.types) {
            const Signature& signature = wanted.definition.overloads[types.overload].signature;
            for (const DType dtype : binding_of(signature, types).dtypes) {
                add_once(dtypes, dtype);
            }
        }
    }
    return dtypes;
}

}  // namespace

TargetOptions target_of(const std::string& arch) {
    for (const DeviceTraits& row : device_table) {
        if (row.is_single && row.name == arch) return {.device = row.device(0)};
    }
    return {.device = default_gpu, .arch = arch};
}

int thread_count(const PrecompileOptions& options) {
    return options.jobs > 0 ? options.jobs : compile_settings().jobs;
}

PrecompileJobs list_precompile_jobs(const std::vector<TemplateDefinition>& templates,
                                    const PrecompileOptions& options) {
    std::vector<std::string> archs = options.archs;
    if (archs.empty()) archs.push_back(default_target(default_gpu.kind()).arch);
    std::vector<PlaceholderTypes> lists;
    for (const TypeChoice& choice : options.types)
        lists.push_back({choice.placeholder, choice.dtypes});
    std::vector<Wanted> list;
    for (const TemplateDefinition& definition : templates) {
        list.push_back({definition, archs});
        if (!lists.empty()) list.back().definition.types = expand_types(definition, lists);
    }
    // kgen copies and converts arrays with kernels if the CPU cannot access them.
    std::vector<std::string> gpus = archs;
    std::erase_if(gpus, [](const std::string& arch) {
        return traits(*target_of(arch).device).uses_host_memory;
    });
    if (!gpus.empty()) {
        for (TemplateDefinition& own : array_kernels::templates_for(dtypes_of(list)))
            list.push_back({std::move(own), gpus});
    }
    std::vector<std::vector<PrecompileJob>> jobs_of(list.size());
    run_in_parallel(list.size(), thread_count(options), [&](std::size_t k) {
        TemplateJobs jobs(list[k].definition, list[k].archs);
        for (const TemplateTypes& types : list[k].definition.types) jobs.add(types);
        jobs_of[k] = jobs.take();
    });
    PrecompileJobs all;
    std::unordered_set<cache::Digest> known;
    for (std::size_t k = 0; k < list.size(); ++k) {
        if (k < templates.size() && jobs_of[k].empty())
            all.empty.push_back(list[k].definition.name);
        for (PrecompileJob& job : jobs_of[k]) {
            if (known.insert(job.planned.request.digest).second) all.jobs.push_back(std::move(job));
        }
    }
    return all;
}

}  // namespace kgen

// SPDX-License-Identifier: MIT
#include "api/precompile_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "api/layout_cases.hpp"
#include "api/run_in_parallel.hpp"
#include "device/registry.hpp"

namespace kgen {

namespace {

TargetOptions target_of(const std::string& arch) {
    if (arch == "host") return {.device = Device::host()};
    return {.device = Device::cuda(0), .arch = arch};
}

TypeBinding binding_of(const Signature& signature, const TemplateTypes& types) {
    TypeBinding binding{.dtypes = {}, .placeholders = types.placeholders};
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
        for (const std::string& layout : definition_.layouts) {
            for (const LayoutCase& one :
                 layout_cases(pipeline.signature(), binding, layout, definition_.numbers)) {
                add_call(pipeline, name, one, Fit::call);
                // Of each set of numbers and arrays there is a general variant.
                if (one.placement == Placement::aligned)
                    add_call(pipeline, name, one, Fit::general);
            }
        }
    }

    std::vector<PrecompileJob> take() { return std::move(jobs_); }

private:
    void add_call(const Pipeline& pipeline,
                  const std::string& name,
                  const LayoutCase& one,
                  Fit fit) {
        const bool is_reduction = definition_.kind == TemplateKind::reduction;
        CallOptions options;
        if (is_reduction) options.axes = one.axes;
        const CallView view(one.arguments, options);
        std::optional<PlannedJob> on_cuda;
        for (const std::string& arch : archs_) {
            const bool is_host = arch == "host";
            PlannedJob planned = !is_host && on_cuda
                                     ? Pipeline::retarget(*on_cuda, arch)
                                     : pipeline.plan_job(view, target_of(arch), fit, one.placement);
            const bool is_new = known_.insert(planned.request.digest).second;
            if (!is_host && !on_cuda) on_cuda = planned;
            // What is known for one architecture is known for all.
            if (!is_new) continue;
            jobs_.push_back({name, is_reduction, std::move(planned)});
        }
    }

    const TemplateDefinition& definition_;
    const std::vector<std::string>& archs_;
    std::vector<PrecompileJob> jobs_;
    std::unordered_set<cache::Digest> known_;
};

}  // namespace

std::vector<PrecompileJob> list_precompile_jobs(const std::vector<TemplateDefinition>& templates,
                                                const PrecompileOptions& options) {
    std::vector<std::string> archs = options.archs;
    if (archs.empty()) archs.push_back(default_target(DeviceKind::cuda).arch);
    std::vector<PlaceholderTypes> lists;
    for (const TypeChoice& choice : options.types)
        lists.push_back({choice.placeholder, choice.dtypes});
    std::vector<std::vector<PrecompileJob>> lists_of_jobs(templates.size());
    run_in_parallel(templates.size(), options.jobs, [&](std::size_t k) {
        const TemplateDefinition& definition = templates[k];
        TemplateJobs jobs(definition, archs);
        for (const TemplateTypes& types :
             lists.empty() ? definition.types : expand_types(definition, lists)) {
            jobs.add(types);
        }
        lists_of_jobs[k] = jobs.take();
    });
    std::vector<PrecompileJob> all;
    std::unordered_set<cache::Digest> known;
    for (std::vector<PrecompileJob>& jobs : lists_of_jobs) {
        for (PrecompileJob& job : jobs) {
            if (known.insert(job.planned.request.digest).second) all.push_back(std::move(job));
        }
    }
    return all;
}

}  // namespace kgen

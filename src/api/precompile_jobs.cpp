// SPDX-License-Identifier: MIT
#include "api/precompile_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "api/layout_cases.hpp"
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

class JobList {
public:
    explicit JobList(const std::vector<std::string>& archs) : archs_(archs) {}

    void add(const TemplateDefinition& definition, const TemplateTypes& types) {
        const Pipeline pipeline(definition.overloads[types.overload].definition, Merging::yes);
        const TypeBinding binding = binding_of(pipeline.signature(), types);
        const std::string name = types.placeholders.empty()
                                     ? definition.name
                                     : fmt::format("{} ({})", definition.name, to_text(binding));
        for (const std::string& layout : definition.layouts) {
            for (const LayoutCase& one :
                 layout_cases(pipeline.signature(), binding, layout, definition.numbers)) {
                CallOptions options;
                if (definition.kind == TemplateKind::reduction) options.axes = one.axes;
                const CallView view(one.arguments, options);
                for (const std::string& arch : archs_) {
                    const bool is_reduction = definition.kind == TemplateKind::reduction;
                    const auto add_fit = [&](Fit fit) {
                        add_job({name,
                                 is_reduction,
                                 pipeline.plan_job(view, target_of(arch), fit, one.placement)});
                    };
                    add_fit(Fit::call);
                    // Of each set of numbers and arrays there is a general variant.
                    if (one.placement == Placement::aligned) add_fit(Fit::general);
                }
            }
        }
    }

    std::vector<PrecompileJob> take() { return std::move(jobs_); }

private:
    void add_job(PrecompileJob job) {
        if (known_.insert(job.planned.request.digest).second) jobs_.push_back(std::move(job));
    }

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
    JobList list(archs);
    for (const TemplateDefinition& definition : templates) {
        const std::vector<TemplateTypes> chosen =
            lists.empty() ? definition.types : expand_types(definition, lists);
        for (const TemplateTypes& types : chosen) list.add(definition, types);
    }
    return list.take();
}

}  // namespace kgen

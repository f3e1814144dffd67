// SPDX-License-Identifier: MIT
#include "cuda/nvrtc/compile_linked.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>

#include "cuda/driver/debug_labels.hpp"
#include "cuda/nvrtc/link_images.hpp"
#include "cuda/nvrtc/name_expressions.hpp"
#include "cuda/nvrtc/nvrtc_program.hpp"

namespace kgen {

namespace {

// Compiles the sources in order and keeps a list of the name expressions that are not found yet.
class LinkedSources {
public:
    LinkedSources(const NvrtcLibrary& library,
                  const CompileJob& job,
                  const std::vector<std::string>& options)
        : library_(library), job_(job), options_(options), missing_(job.name_expressions) {
        texts_.push_back(&job.source);
        for (const ModuleSource& source : job.linked_sources) texts_.push_back(&source.text);
    }

    void compile_all() {
        for (std::size_t k = 0; k < texts_.size(); ++k) compile(k);
        if (!missing_.empty()) {
            // Throws the error of the last source in which the name was not found.
            const auto refused = refusals_.find(missing_.front());
            if (refused != refusals_.end()) refused->second->refuse();
        }
    }

    const std::vector<LtoSource>& lto_sources() const { return lto_sources_; }
    const std::string& log() const { return log_; }
    std::vector<LoweredName> lowered_names() const {
        std::vector<LoweredName> names;
        for (const std::string& expression : job_.name_expressions)
            names.push_back({expression, symbols_.at(expression)});
        return names;
    }

private:
    // Returns the missing names that this source may define. Leaves out names that only a later source
    // mentions.
    std::vector<std::string> candidates(std::size_t index) const {
        std::vector<std::string> names;
        for (const std::string& name : missing_) {
            const bool is_later =
                !mentions_name(*texts_[index], name) &&
                std::any_of(texts_.begin() + static_cast<std::ptrdiff_t>(index),
                            texts_.end(),
                            [&](const std::string* text) { return mentions_name(*text, name); });
            if (!is_later) names.push_back(name);
        }
        return names;
    }

    void compile(std::size_t index) {
        std::vector<std::string> names = candidates(index);
        for (;;) {
            NvrtcInput input = make_nvrtc_input(library_, job_, *texts_[index], options_, index);
            input.expressions = names;
            auto program = std::make_shared<NvrtcProgram>(library_, job_, std::move(input));
            if (program->succeeded()) {
                take(index, *program, names);
                return;
            }
            // Tries again without the names that this source lacks. That also reports any other errors.
            const std::vector<std::string> refused =
                find_refused_expressions(program->log(), names);
            if (refused.empty()) program->refuse();
            for (const std::string& name : refused) refusals_[name] = program;
            std::erase_if(names,
                          [&](const auto& name) { return std::ranges::count(refused, name) > 0; });
        }
    }

    void take(std::size_t index,
              const NvrtcProgram& program,
              const std::vector<std::string>& names) {
        for (const std::string& name : names) symbols_[name] = program.lowered_name(name);
        std::erase_if(missing_,
                      [&](const auto& name) { return std::ranges::count(names, name) > 0; });
        log_ += program.log();
        std::string label = first_label(*texts_[index]);
        if (label.empty()) label = index == 0 ? job_.kernel : job_.linked_sources[index - 1].name;
        lto_sources_.push_back({std::move(label), program.lto_ir()});
    }

    const NvrtcLibrary& library_;
    const CompileJob& job_;
    const std::vector<std::string>& options_;
    std::vector<const std::string*> texts_;
    std::vector<std::string> missing_;
    std::map<std::string, std::string> symbols_;
    // For each name that some source does not define: the last program that was refused because of it.
    std::map<std::string, std::shared_ptr<const NvrtcProgram>> refusals_;
    std::vector<LtoSource> lto_sources_;
    std::string log_;
};

}  // namespace

Image compile_linked(const NvrtcLibrary& library,
                     const NvJitLinkLibrary& linker,
                     const CompileJob& job,
                     const std::vector<std::string>& options) {
    LinkedSources sources(library, job, options);
    sources.compile_all();
    LinkedImage linked = link_images(linker, job, sources.lto_sources());
    Image image{.target = job.target,
                .symbol = job.symbol,
                .lowered_names = sources.lowered_names(),
                .sections = {},
                .log = sources.log() + linked.log};
    image.sections.push_back({ImageKind::cubin, std::move(linked.cubin)});
    image.sections.push_back({ImageKind::ptx, std::move(linked.ptx)});
    return image;
}

}  // namespace kgen

// SPDX-License-Identifier: MIT
#include "template/program_templates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <kgen/embedded_templates.hpp>
#include <mutex>
#include <set>

#include "fork_mutex.hpp"
#include "template/template_reader.hpp"

namespace kgen {

// The registered objects, newest first. Filled before main, so `head` is initialized at compile time.
struct EmbeddedTemplatesList {
    static constinit std::atomic<const EmbeddedTemplates*> head;

    static void announce(EmbeddedTemplates& one) noexcept {
        const EmbeddedTemplates* next = head.load(std::memory_order_relaxed);
        do {
            one.next_ = next;
        } while (!head.compare_exchange_weak(
            next, &one, std::memory_order_release, std::memory_order_relaxed));
    }

    static std::vector<TemplateDefinition> read(const EmbeddedTemplates* newest) {
        std::vector<const EmbeddedTemplates*> oldest_first;
        for (const EmbeddedTemplates* one = newest; one != nullptr; one = one->next_)
            oldest_first.insert(oldest_first.begin(), one);
        std::vector<TemplateDefinition> all;
        std::set<std::string> names;
        for (const EmbeddedTemplates* one : oldest_first) {
            const std::string origin = fmt::format("{}{}", program_origin, one->name_);
            for (TemplateDefinition& made : read_templates(one->json_, origin)) {
                if (names.insert(made.name).second) all.push_back(std::move(made));
            }
        }
        return all;
    }
};

constinit std::atomic<const EmbeddedTemplates*> EmbeddedTemplatesList::head{nullptr};

EmbeddedTemplates::EmbeddedTemplates(const char* name, std::string_view json) noexcept
    : name_(name), json_(json) {
    EmbeddedTemplatesList::announce(*this);
}

const std::vector<TemplateDefinition>& embedded_templates() {
    struct Parsed {
        const EmbeddedTemplates* newest = nullptr;
        std::vector<TemplateDefinition> templates;
        const Parsed* previous = nullptr;  // stays, because kernels refer to its templates
    };
    static std::atomic<const Parsed*> parsed{new Parsed};  // never destroyed
    static constinit cache::ForkMutex mutex;
    const EmbeddedTemplates* newest = EmbeddedTemplatesList::head.load(std::memory_order_acquire);
    const Parsed* known = parsed.load(std::memory_order_acquire);
    if (known->newest == newest) return known->templates;
    const std::lock_guard lock(mutex);
    newest = EmbeddedTemplatesList::head.load(std::memory_order_acquire);
    known = parsed.load(std::memory_order_relaxed);
    if (known->newest == newest) return known->templates;
    const auto* made = new Parsed{newest, EmbeddedTemplatesList::read(newest), known};
    parsed.store(made, std::memory_order_release);
    return made->templates;
}

}  // namespace kgen

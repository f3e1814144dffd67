// SPDX-License-Identifier: MIT
//
// kernel_template(): finds a template by name.
#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "call/template_impl.hpp"
#include "template/program_templates.hpp"
#include "template/template_library.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

// The built-in templates that were asked for, by name. They never change and are never destroyed, so a look-up
// takes no lock and counts no references. There are fewer templates than places.
template <typename Impl>
class LibraryTable {
public:
    const Impl* find(std::string_view name) const noexcept {
        for (std::size_t at = place_of(name);; at = next(at)) {
            const Impl* one = places_[at].load(std::memory_order_acquire);
            if (one == nullptr || is_called(one->definition, name)) return one;
        }
    }
    // Returns the template of this name or alias that was added first.
    const Impl* add(std::string_view name, std::unique_ptr<const Impl> made) noexcept {
        for (std::size_t at = place_of(name);; at = next(at)) {
            const Impl* one = nullptr;
            if (places_[at].compare_exchange_strong(one, made.get())) return made.release();
            if (is_called(one->definition, name)) return one;
        }
    }

private:
    static constexpr std::size_t place_count = 1024;  // the library has about 190 names and aliases
    static std::size_t place_of(std::string_view name) noexcept {
        return std::hash<std::string_view>()(name) % place_count;
    }
    static std::size_t next(std::size_t at) noexcept { return (at + 1) % place_count; }

    std::array<std::atomic<const Impl*>, place_count> places_{};
};

// The templates of KGEN_TEMPLATE_PATH that were asked for since its files were last read; or those embedded in
// the program, whose `templates` is nullptr.
template <typename Impl>
struct UserTable {
    cache::ForkMutex mutex;
    std::shared_ptr<const UserTemplates> templates;
    std::map<std::string, std::shared_ptr<const Impl>, std::less<>> made;

    // Callers of one reading share an object and its compiled code.
    std::shared_ptr<const Impl> get(std::shared_ptr<const UserTemplates> current,
                                    const TemplateDefinition& definition) {
        const std::lock_guard lock(mutex);
        if (templates != current) {
            made.clear();
            templates = std::move(current);
        }
        auto& one = made[definition.name];
        if (one == nullptr) one = std::make_shared<const Impl>(definition);
        return one;
    }
};

}  // namespace

KernelTemplate kernel_template(std::string_view name) try {
    using Impl = KernelTemplate::Impl;
    static auto* const library = new LibraryTable<Impl>;  // never destroyed
    static auto* const user = new UserTable<Impl>;
    static auto* const embedded = new UserTable<Impl>;
    std::shared_ptr<const UserTemplates> templates = user_templates();
    if (templates != nullptr) {
        if (const TemplateDefinition* found = templates->find(name))
            return KernelTemplate(user->get(std::move(templates), *found));
    }
    for (const TemplateDefinition& made : embedded_templates()) {
        if (is_called(made, name)) return KernelTemplate(embedded->get(nullptr, made));
    }
    const Impl* built_in = library->find(name);
    if (built_in == nullptr) {
        std::optional<TemplateDefinition> found = find_library_template(name);
        if (!found) fail_unknown_template(name, templates.get());
        built_in = library->add(name, std::make_unique<const Impl>(std::move(*found)));
    }
    return KernelTemplate({std::shared_ptr<const Impl>(), built_in});
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen

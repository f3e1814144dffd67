// SPDX-License-Identifier: MIT
#include "expression/function_table.hpp"

#include <array>
#include <atomic>
#include <deque>
#include <kgen/error.hpp>
#include <kgen/math.hpp>
#include <limits>
#include <mutex>
#include <utility>

#include "fork_mutex.hpp"
#include "template/template_library.hpp"

namespace kgen {

namespace {

#define KGEN_NAME(name) #name,
constexpr auto library_names = std::to_array<std::string_view>({KGEN_FUNCTIONS(KGEN_NAME)});
#undef KGEN_NAME

struct FunctionTable {
    std::array<std::atomic<const TemplateDefinition*>, library_names.size()> library{};
    struct Called {
        const TemplateDefinition* definition;
        std::shared_ptr<const void> owner;
    };
    cache::ForkMutex mutex;
    std::deque<Called> called;
};

FunctionTable& function_table() {
    static auto* const table = new FunctionTable;  // never destroyed
    return *table;
}

}  // namespace

const TemplateDefinition& function_definition(std::uint16_t function) {
    FunctionTable& table = function_table();
    if (function >= library_names.size()) {
        const std::lock_guard lock(table.mutex);
        return *table.called[function - library_names.size()].definition;
    }
    std::atomic<const TemplateDefinition*>& place = table.library[function];
    const TemplateDefinition* found = place.load(std::memory_order_acquire);
    if (found != nullptr) return *found;
    auto made = std::make_unique<TemplateDefinition>(
        find_library_template(library_names[function]).value());
    if (place.compare_exchange_strong(found, made.get())) return *made.release();
    return *found;
}

std::uint16_t function_number(const TemplateDefinition& definition,
                              std::shared_ptr<const void> owner) {
    if (definition.origin.starts_with(library_origin)) {
        for (std::size_t k = 0; k < library_names.size(); ++k) {
            if (library_names[k] == definition.name) return static_cast<std::uint16_t>(k);
        }
    }
    FunctionTable& table = function_table();
    const std::lock_guard lock(table.mutex);
    std::size_t at = 0;
    while (at < table.called.size() && table.called[at].definition != &definition) ++at;
    if (at == table.called.size()) {
        if (library_names.size() + at > std::numeric_limits<std::uint16_t>::max() / 2)
            throw Error("call: too many templates were called in this process");
        table.called.push_back({&definition, std::move(owner)});
    }
    return static_cast<std::uint16_t>(library_names.size() + at);
}

}  // namespace kgen

// SPDX-License-Identifier: MIT
#include "cli/text/cache_entry_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "cli/text/size_text.hpp"
#include "cli/text/standard_output.hpp"

namespace kgen::cli {

namespace {

// Shortens a value, because values from files may have any length and each column is as wide as its widest
// cell.
std::string cell(std::string_view value) {
    constexpr std::size_t widest = 100;
    std::string text = in_line(value.substr(0, widest));
    return value.size() > widest ? text + "..." : text;
}

std::string pack_name(const CacheEntry& entry) {
    return entry.is_packed ? cell(entry.path.substr(entry.path.rfind('/') + 1)) : "-";
}

class Table {
public:
    explicit Table(const std::vector<CacheEntry>& entries) : entries_(entries) {
        for (const CacheEntry& entry : entries) {
            kernel_width_ = std::max(kernel_width_, cell(entry.kernel).size());
            // The target of a host names all features of its CPU. This many characters tell entries apart.
            target_width_ =
                std::max(target_width_, std::min<std::size_t>(cell(entry.target).size(), 20));
            if (entry.is_packed) pack_width_ = std::max(pack_width_, pack_name(entry).size());
        }
    }

    std::string text() const {
        if (entries_.empty()) return "no entries\n";
        const std::int64_t now_s = std::time(nullptr);
        std::string text =
            row("request", "kernel", "target", "size", "used", "pack") + "producer\n";
        for (const CacheEntry& entry : entries_) {
            text += row(entry.request.substr(0, 16),
                        cell(entry.kernel),
                        cell(entry.target),
                        size_text(entry.size_bytes),
                        age_text(now_s - entry.used_s),
                        pack_name(entry));
            text += entry.problem.empty() ? cell(entry.producer) : "(" + cell(entry.problem) + ")";
            text += '\n';
        }
        return text;
    }

private:
    // Returns all columns but the producer.
    std::string row(std::string_view request,
                    std::string_view kernel,
                    std::string_view target,
                    std::string_view size,
                    std::string_view used,
                    std::string_view pack) const {
        std::string text = fmt::format("{:<16}  {:<{}}  {:<{}}  {:>10}  {:>8}  ",
                                       request,
                                       kernel,
                                       kernel_width_,
                                       target.substr(0, 20),
                                       target_width_,
                                       size,
                                       used);
        // The column for packs is shown only if there is a pack.
        if (pack_width_ != 0) text += fmt::format("{:<{}}  ", pack, pack_width_);
        return text;
    }

    const std::vector<CacheEntry>& entries_;
    std::size_t kernel_width_ = 6;
    std::size_t target_width_ = 6;
    std::size_t pack_width_ = 0;
};

nlohmann::ordered_json entries_json(const std::vector<CacheEntry>& entries) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const CacheEntry& entry : entries) {
        list.push_back({{"request", entry.request},
                        {"kernel", entry.kernel},
                        {"symbol", entry.symbol},
                        {"target", entry.target},
                        {"producer", entry.producer},
                        {"kgen", entry.kgen_version},
                        {"size_bytes", entry.size_bytes},
                        {"created_s", entry.created_s},
                        {"used_s", entry.used_s},
                        {"path", entry.path},
                        {"packed", entry.is_packed},
                        {"problem", entry.problem}});
    }
    return {{"schema", 1}, {"entries", list}};
}

}  // namespace

void print_entry_table(const std::vector<CacheEntry>& entries, const CommonOptions& options) {
    if (options.format() == Format::json) {
        write_json(entries_json(entries));
    } else {
        write_text(Table(entries).text());
    }
}

}  // namespace kgen::cli

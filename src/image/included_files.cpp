// SPDX-License-Identifier: MIT
#include "image/included_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "device/registry.hpp"
#include "digest.hpp"
#include "image/include_search.hpp"
#include "source/stand_in_headers.hpp"

namespace kgen {

namespace {

// Raised when the meaning of a digest changes.
constexpr std::uint32_t digest_schema = 1;

constexpr int not_found = -1;
constexpr std::string_view missing_name = "kgen_missing_header";

struct Node {
    const FoundHeader* found = nullptr;
    std::string spelling;      // the name by which it was reached first
    std::string name;          // the name by which the compiler will know it
    std::vector<int> targets;  // the node of each of its includes, or not_found
};

std::string last_part(const std::string& name) {
    return name.substr(name.rfind('/') + 1);
}

// Identifies a file: equal for two paths of one file.
using Identity = std::pair<std::uint64_t, std::uint64_t>;

Identity identity(const FoundHeader& found) {
    if (!found.path.empty()) return {found.header->device, found.header->inode};
    return {~std::uint64_t{0}, reinterpret_cast<std::uintptr_t>(found.header.get())};
}

// Whether the name can be a file's path below any directory.
bool is_plain(const std::string& name) {
    return !name.starts_with('/') && name.find("..") == std::string::npos;
}

// The files that are reached from some texts: a graph whose nodes are files and whose edges are #includes.
class IncludeGraph {
public:
    explicit IncludeGraph(const IncludeRequest& request) : device_(request.device) {
        for (const UserText& text : request.texts) {
            for (IncludeUse& use : find_includes(text.text)) uses_.push_back(std::move(use));
        }
        const IncludeOptions options = read_include_options(request.options);
        if (options.probes) has_unknown_ = true;
        for (const std::string& name : options.included)
            uses_.push_back({IncludeForm::quoted, name, 0, 0});
    }

    bool is_empty() const { return uses_.empty() && !has_unknown_; }

    void follow(IncludeSearch& search) {
        for (const IncludeUse& use : uses_) targets_.push_back(reach(search, use, nullptr));
        // Not a range-based loop, because reach() adds nodes.
        for (std::size_t k = 0; k < nodes_.size(); ++k) {
            const FoundHeader& from = *nodes_[k].found;
            nodes_[k].targets.reserve(from.header->includes.size());
            for (const IncludeUse& use : from.header->includes) {
                const int target = reach(search, use, &from);
                nodes_[k].targets.push_back(target);
            }
        }
        link_stand_ins(search);
        name_nodes();
    }

    // Whether a macro of the user makes a name, or a -D names __has_include, so that not all can be followed.
    bool has_unknown() const { return has_unknown_; }
    // Whether the toolkit's headers make names by macros. They lead to other headers of the toolkit, whose
    // version is known from those that were reached. The compiler searches for them itself.
    bool has_unknown_of_toolkit() const { return has_unknown_of_toolkit_; }
    bool mentions_time() const {
        return std::any_of(nodes_.begin(), nodes_.end(), [](const Node& node) {
            return node.found->header->mentions_time;
        });
    }

    // Whether the texts and the user's headers together name something that the digest does not cover.
    bool may_read_more(const IncludeRequest& request) const {
        NamedWords words(assembler_use(device_));
        words.add(request.options);
        for (const UserText& text : request.texts) words.add(text.text);
        for (const Node& node : nodes_) {
            const HeaderOrigin origin = node.found->origin;
            if (origin == HeaderOrigin::memory || origin == HeaderOrigin::directory) {
                words.add(node.found->header->text);
            } else {
                words.add_pasting_header();
            }
        }
        return words.may_read_more();
    }

    std::vector<Header> headers() const {
        std::vector<Header> headers;
        headers.reserve(nodes_.size() + aliases_.size());
        for (const Node& node : nodes_) headers.push_back({node.name, rewritten(node)});
        for (const auto& [spelling, target] : aliases_)
            headers.push_back({spelling, fmt::format("#include <{}>\n", name_of(target))});
        return headers;
    }

    std::vector<IncludedFile> files() const {
        std::vector<IncludedFile> files;
        for (const Node& node : nodes_)
            files.push_back({node.name, node.found->path, node.found->origin});
        return files;
    }

    std::vector<std::string> missing() const { return {missing_.begin(), missing_.end()}; }

    std::string digest() const {
        std::string edges;
        const auto add_edges = [&](const std::vector<int>& targets) {
            for (const int target : targets) edges += fmt::format("{},", target);
            edges += ';';
        };
        std::vector<std::string> contents;
        add_edges(targets_);
        for (const Node& node : nodes_) {
            contents.push_back(node.name);
            contents.push_back(node.found->header->digest);
            add_edges(node.targets);
        }
        cache::DigestBuilder builder(digest_schema);
        builder.add_list(1, "files", contents);
        builder.add(2, "edges", edges);
        builder.add_list(3, "missing", missing());
        return builder.digest().to_hex();
    }

private:
    const std::string& name_of(int target) const {
        return nodes_[static_cast<std::size_t>(target)].name;
    }

    int reach(IncludeSearch& search, const IncludeUse& use, const FoundHeader* includer) {
        if (use.form == IncludeForm::unknown) {
            const bool is_toolkit =
                includer != nullptr && includer->origin == HeaderOrigin::toolkit;
            (is_toolkit ? has_unknown_of_toolkit_ : has_unknown_) = true;
            return not_found;
        }
        const FoundHeader* found = search.find(use, includer);
        // A stand-in adapts to the toolkit headers that others reach. It reaches none itself.
        const bool is_from_stand_in =
            includer != nullptr && includer->origin == HeaderOrigin::stand_in;
        if (is_from_stand_in && (found == nullptr || found->origin == HeaderOrigin::toolkit))
            return not_found;
        if (found == nullptr) {
            missing_.insert(use.name);
            return not_found;
        }
        const auto [at, is_new] =
            by_identity_.emplace(identity(*found), static_cast<int>(nodes_.size()));
        if (is_new) nodes_.push_back({found, use.name, {}, {}});
        return at->second;
    }

    void link_stand_ins(IncludeSearch& search) {
        for (Node& node : nodes_) {
            if (node.found->origin != HeaderOrigin::stand_in) continue;
            for (std::size_t k = 0; k < node.targets.size(); ++k) {
                const IncludeUse& use = node.found->header->includes[k];
                const FoundHeader* found = search.find(use, node.found);
                if (found == nullptr) continue;
                const auto at = by_identity_.find(identity(*found));
                if (at != by_identity_.end()) node.targets[k] = at->second;
            }
        }
    }

    // Names the nodes. The texts that are compiled stay unchanged, so the names in them are given first.
    void name_nodes() {
        std::unordered_set<std::string> taken;
        for (std::size_t k = 0; k < uses_.size(); ++k) {
            if (uses_[k].form == IncludeForm::unknown) continue;
            if (!taken.insert(uses_[k].name).second || targets_[k] == not_found) continue;
            Node& node = nodes_[static_cast<std::size_t>(targets_[k])];
            if (node.name.empty()) {
                node.name = uses_[k].name;
            } else {
                aliases_.emplace_back(uses_[k].name, targets_[k]);
            }
        }
        int number = 0;
        for (Node& node : nodes_) {
            if (!node.name.empty()) continue;
            node.name = node.spelling;
            if (is_plain(node.name) && taken.insert(node.name).second) continue;
            do {
                node.name = fmt::format("kgen_{}/{}", ++number, last_part(node.spelling));
            } while (!taken.insert(node.name).second);
        }
        taken_ = std::move(taken);
    }

    // Returns the header's text with its includes replaced by the names that the compiler knows.
    std::string rewritten(const Node& node) const {
        const std::string& text = node.found->header->text;
        std::string result;
        std::size_t copied = 0;
        for (std::size_t k = 0; k < node.targets.size(); ++k) {
            const IncludeUse& use = node.found->header->includes[k];
            const std::string_view name = meant_name(use, node.targets[k]);
            if (name.empty()) continue;
            result.append(text, copied, use.offset - copied);
            copied = use.offset + use.length;
            result += fmt::format("<{}>", name);
            // Keeps the line numbers.
            const auto begin = text.begin() + static_cast<std::ptrdiff_t>(use.offset);
            const auto breaks =
                std::count(begin, begin + static_cast<std::ptrdiff_t>(use.length), '\n');
            for (std::ptrdiff_t line = 0; line < breaks; ++line) result += "\\\n";
        }
        return result.append(text, copied);
    }

    // Returns the name that must replace the use's name; empty if it stays.
    std::string_view meant_name(const IncludeUse& use, int target) const {
        if (use.form == IncludeForm::unknown) return {};
        if (target == not_found)
            return taken_.contains(use.name) ? missing_name : std::string_view{};
        // A compiler that reads files first searches beside the including file, where another may have that
        // name.
        const bool is_plain =
            use.form == IncludeForm::angled || !traits(device_).compiler_reads_files;
        return is_plain && name_of(target) == use.name ? std::string_view{} : name_of(target);
    }

    DeviceKind device_;
    std::vector<IncludeUse> uses_;  // the includes of the texts
    std::vector<int> targets_;
    std::vector<Node> nodes_;
    std::map<Identity, int> by_identity_;
    std::set<std::string> missing_;
    std::unordered_set<std::string> taken_;  // all names in use
    std::vector<std::pair<std::string, int>> aliases_;
    bool has_unknown_ = false;
    bool has_unknown_of_toolkit_ = false;
};

// Offers all headers and directories if the compiler has to search itself.
void offer_everything(const IncludeRequest& request, IncludeSearch& search, IncludedFiles& files) {
    files.headers = request.headers;
    for (const EmbeddedFile& own : stand_ins(request.device)) {
        const std::string name(own.name);
        const FoundHeader* found = search.find({IncludeForm::angled, name, 0, 0}, nullptr);
        if (found != nullptr && found->origin == HeaderOrigin::stand_in)
            files.headers.push_back({name, std::string(own.text)});
    }
    files.include_directories = request.include_directories;
    for (const std::string& directory : search.toolkit_directories())
        files.include_directories.push_back(directory);
}

}  // namespace

std::vector<std::string> toolkit_directories(const IncludeRequest& request) {
    if (request.toolkit_directories) return *request.toolkit_directories;
    return compiler(request.device).toolkit_include_directories();
}

AssemblerUse assembler_use(DeviceKind device) noexcept {
    return traits(device).compiler_reads_files ? AssemblerUse::reads_files : AssemblerUse::none;
}

IncludedFiles find_included_files(const IncludeRequest& request) {
    IncludedFiles files;
    IncludeGraph graph(request);
    if (graph.is_empty()) return files;
    IncludeSearch search(request, toolkit_directories(request));
    graph.follow(search);
    files.files = graph.files();
    files.missing = graph.missing();
    if (graph.has_unknown()) {
        offer_everything(request, search, files);
        return files;
    }
    files.headers = graph.headers();
    if (graph.has_unknown_of_toolkit()) files.include_directories = search.toolkit_directories();
    if (!graph.mentions_time() && !graph.may_read_more(request)) files.digest = graph.digest();
    return files;
}

std::vector<UserText> user_headers(const IncludedFiles& included) {
    std::unordered_map<std::string_view, const Header*> by_name;
    for (const Header& header : included.headers) by_name.emplace(header.name, &header);
    std::vector<UserText> texts;
    for (const IncludedFile& file : included.files) {
        if (file.origin != HeaderOrigin::memory && file.origin != HeaderOrigin::directory) continue;
        const auto found = by_name.find(file.name);
        if (found != by_name.end()) texts.push_back({file.name, found->second->text});
    }
    return texts;
}

}  // namespace kgen

// SPDX-License-Identifier: MIT
#include "template/user_templates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <kgen/error.hpp>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>

#include "fork_mutex.hpp"
#include "store_root.hpp"
#include "store_settings.hpp"
#include "template/template_library.hpp"
#include "text/environment.hpp"
#include "text/split.hpp"

namespace kgen {

namespace {

namespace fs = std::filesystem;

// Throws IoError if another user may have written the file or directory. This matters because a template is
// code, and one in KGEN_TEMPLATE_PATH silently replaces the built-in template of the same name.
void check_trust(const std::string& path, cache::TrustMode trust) {
    std::error_code error;
    const fs::path absolute = fs::absolute(path, error);
    const std::string problem = error
                                    ? fmt::format("'{}' cannot be found: {}", path, error.message())
                                    : cache::distrust_path(absolute.string(), trust);
    if (!problem.empty()) throw IoError(fmt::format("KGEN_TEMPLATE_PATH: {}", problem));
}

// Programs can set back the time of a file's contents, but not the inode's time of change.
bool is_unchanged(const TemplateSource& source) {
    struct stat now {};
    if (::stat(source.path.c_str(), &now) != 0) return false;
    const struct stat& then = source.status;
    return now.st_dev == then.st_dev && now.st_ino == then.st_ino && now.st_size == then.st_size &&
           now.st_ctim.tv_sec == then.st_ctim.tv_sec && now.st_ctim.tv_nsec == then.st_ctim.tv_nsec;
}

// Whether a further change will show in the time of change. The clocks of file systems tick slowly.
bool is_settled(const TemplateSource& source, std::time_t read_at) {
    constexpr std::time_t settling_seconds = 2;
    return source.status.st_ctim.tv_sec + settling_seconds < read_at;
}

class Reading {
public:
    Reading(std::string path, std::string trust) {
        made_.path = std::move(path);
        made_.trust = std::move(trust);
    }

    UserTemplates read() {
        for (const std::string_view part : split(made_.path, ':')) {
            if (!part.empty()) read_part(std::string(part));
        }
        return std::move(made_);
    }

private:
    // Records the status before anything is read, so that a later change is seen.
    void add_source(const std::string& path) {
        TemplateSource source{.path = path};
        static_cast<void>(::stat(path.c_str(), &source.status));  // reading it tells the problem
        made_.sources.push_back(std::move(source));
        check_trust(path, trust_);
    }

    void read_part(const std::string& part) {
        add_source(part);
        if (S_ISDIR(made_.sources.back().status.st_mode)) {
            for (const std::string& file : template_files(part)) add_source(file);
        }
        for (TemplateDefinition& made : read_template_path(part)) {
            if (names_.insert(made.name).second) made_.templates.push_back(std::move(made));
        }
    }

    UserTemplates made_;
    std::set<std::string> names_;
    cache::TrustMode trust_ = cache::resolve_settings().trust;
};

struct Kept {
    cache::ForkMutex mutex;
    std::shared_ptr<const UserTemplates> templates;
};

}  // namespace

const TemplateDefinition* UserTemplates::find(std::string_view name) const {
    const auto found = std::find_if(templates.begin(), templates.end(), [&](const auto& each) {
        return is_called(each, name);
    });
    return found == templates.end() ? nullptr : &*found;
}

std::shared_ptr<const UserTemplates> user_templates() {
    static auto* const kept = new Kept;  // never destroyed
    std::optional<std::string> path = environment("KGEN_TEMPLATE_PATH");
    if (!path) return nullptr;
    std::string trust = environment("KGEN_CACHE_TRUST").value_or("");
    std::shared_ptr<const UserTemplates> before;
    {
        const std::lock_guard lock(kept->mutex);
        before = kept->templates;
    }
    if (before != nullptr && before->path == *path && before->trust == trust &&
        std::ranges::all_of(before->sources, is_unchanged)) {
        return before;
    }
    const std::time_t read_at = std::time(nullptr);
    auto made =
        std::make_shared<const UserTemplates>(Reading(std::move(*path), std::move(trust)).read());
    const bool settled = std::ranges::all_of(
        made->sources, [&](const TemplateSource& each) { return is_settled(each, read_at); });
    const std::lock_guard lock(kept->mutex);
    kept->templates = settled ? made : nullptr;
    return made;
}

}  // namespace kgen

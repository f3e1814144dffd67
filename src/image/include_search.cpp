// SPDX-License-Identifier: MIT
#include "image/include_search.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <ctime>
#include <filesystem>
#include <mutex>
#include <unordered_map>

#include "digest.hpp"
#include "file_descriptor.hpp"
#include "fork_mutex.hpp"
#include "source/stand_in_headers.hpp"
#include "text/source_scan.hpp"

namespace kgen {

namespace {

// Whether a file is unchanged. Programs cannot set back the inode's time of change, unlike that of the
// contents.
bool is_unchanged(const struct stat& a, const struct stat& b) {
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
           a.st_ctim.tv_sec == b.st_ctim.tv_sec && a.st_ctim.tv_nsec == b.st_ctim.tv_nsec;
}

// Whether the time of change is old enough to be trusted. A file that was just written may be written again
// without a new time, because the clocks of file systems tick slowly.
bool is_settled(const struct stat& status) {
    constexpr time_t settling_seconds = 2;
    timespec now = {};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return status.st_ctim.tv_sec + settling_seconds < now.tv_sec;
}

struct Known {
    struct stat status {};
    std::shared_ptr<const HeaderText> header;  // nullptr: the file does not exist
};

struct KnownFiles {
    cache::ForkMutex mutex;
    std::unordered_map<std::string, Known> files;
};

KnownFiles& known_files() {
    static auto* const known = new KnownFiles;  // outlives every static destructor
    return *known;
}

HeaderText make_header(std::string text, FileTrust trust) {
    HeaderText header;
    header.text = std::move(text);
    header.includes = find_includes(header.text);
    header.digest = cache::as_text(cache::sha256(header.text).bytes);
    // Headers of the toolkit are not searched, because they are long and never mention the time.
    header.mentions_time = trust == FileTrust::changing && depends_on_time(header.text, {});
    return header;
}

}  // namespace

std::shared_ptr<const HeaderText> scan_header(std::string text, FileTrust trust) {
    return std::make_shared<const HeaderText>(make_header(std::move(text), trust));
}

std::shared_ptr<const HeaderText> read_header(const std::string& path, FileTrust trust) {
    KnownFiles& known = known_files();
    struct stat status = {};
    const bool is_trusted = trust == FileTrust::unchanging;
    const bool is_there =
        is_trusted || (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode));
    if (!is_there) return nullptr;
    {
        const std::lock_guard lock(known.mutex);
        const auto at = known.files.find(path);
        if (at != known.files.end() && (is_trusted || is_unchanged(at->second.status, status)))
            return at->second.header;
    }
    Known made;
    std::string text;
    const cache::FileDescriptor file = cache::open_to_read(path);
    if (::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
        cache::read_to_end(file.get(), text) == 0) {
        made.status = status;
        HeaderText header = make_header(std::move(text), trust);
        header.device = status.st_dev;
        header.inode = status.st_ino;
        made.header = std::make_shared<const HeaderText>(std::move(header));
    }
    if (is_trusted || (made.header != nullptr && is_settled(made.status))) {
        const std::lock_guard lock(known.mutex);
        known.files.insert_or_assign(path, made);
    }
    return made.header;
}

namespace {

// Returns "x.h" for "dir/../x.h" and "./x.h".
std::string plain_name(const std::string& name) {
    return std::filesystem::path(name).lexically_normal().generic_string();
}

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

// Scans each stand-in once per process.
std::shared_ptr<const HeaderText> scan_stand_in(const EmbeddedFile& own) {
    struct Scanned {
        cache::ForkMutex mutex;
        std::unordered_map<const char*, std::shared_ptr<const HeaderText>> headers;
    };
    static auto* const scanned = new Scanned;  // outlives every static destructor
    const std::lock_guard lock(scanned->mutex);
    std::shared_ptr<const HeaderText>& header = scanned->headers[own.text.data()];
    if (header == nullptr) header = scan_header(std::string(own.text), FileTrust::unchanging);
    return header;
}

}  // namespace

IncludeOptions read_include_options(const std::vector<std::string>& options) {
    IncludeOptions found;
    for (std::size_t k = 0; k < options.size(); ++k) {
        std::string_view option = options[k];
        if (option.find("__has_") != std::string_view::npos) found.probes = true;
        std::vector<std::string>* values = nullptr;
        for (const std::string_view name : {"--include-path", "-I"}) {
            if (values != nullptr || !option.starts_with(name)) continue;
            values = &found.directories;
            option.remove_prefix(name.size());
        }
        for (const std::string_view name :
             {"--pre-include", "-pre-include", "--include", "-include"}) {
            if (values != nullptr || !option.starts_with(name)) continue;
            values = &found.included;
            option.remove_prefix(name.size());
        }
        if (values == nullptr) continue;
        const std::size_t start = option.find_first_not_of("= ");
        if (start != std::string_view::npos) {
            values->emplace_back(option.substr(start));
        } else if (k + 1 < options.size()) {
            values->push_back(options[++k]);
        }
    }
    return found;
}

IncludeSearch::IncludeSearch(const IncludeRequest& request,
                             std::vector<std::string> toolkit_directories)
    : request_(request),
      user_directories_(request.include_directories),
      toolkit_directories_(std::move(toolkit_directories)) {
    for (std::string& directory : read_include_options(request.options).directories)
        user_directories_.push_back(std::move(directory));
    for (const Header& header : request.headers)
        in_memory_.push_back({HeaderOrigin::memory, header.name, {}, nullptr});
}

const FoundHeader* IncludeSearch::find_in_memory(const std::string& name) {
    for (std::size_t k = 0; k < in_memory_.size(); ++k) {
        FoundHeader& found = in_memory_[k];
        if (found.name != name && plain_name(found.name) != plain_name(name)) continue;
        if (found.header == nullptr)
            found.header = scan_header(request_.headers[k].text, FileTrust::changing);
        return &found;
    }
    return nullptr;
}

const FoundHeader* IncludeSearch::find_file(const std::string& path, HeaderOrigin origin) {
    const auto [at, is_new] = files_.try_emplace(path);
    FoundHeader& found = at->second;
    if (is_new) {
        const bool is_toolkit = origin == HeaderOrigin::toolkit;
        found = {
            .origin = origin,
            .name = {},
            .path = path,
            .header = read_header(path, is_toolkit ? FileTrust::unchanging : FileTrust::changing)};
    }
    return found.header == nullptr ? nullptr : &found;
}

const FoundHeader* IncludeSearch::find_beside(const std::string& name,
                                              const FoundHeader& includer) {
    if (includer.origin == HeaderOrigin::memory) {
        const std::string folder = folder_of(includer.name);
        return folder.empty() ? nullptr : find_in_memory(plain_name(folder + name));
    }
    if (includer.path.empty()) return nullptr;
    return find_file(folder_of(includer.path) + name, includer.origin);
}

const FoundHeader* IncludeSearch::search_everywhere(const std::string& name) {
    for (const std::string& directory : user_directories_) {
        const FoundHeader* found = find_file(directory + "/" + name, HeaderOrigin::directory);
        if (found != nullptr) return found;
    }
    if (const EmbeddedFile* own = find_stand_in(name, request_.device)) {
        FoundHeader& found = stand_ins_[name];
        found = {HeaderOrigin::stand_in, name, {}, scan_stand_in(*own)};
        return &found;
    }
    for (const std::string& directory : toolkit_directories_) {
        const FoundHeader* found = find_file(directory + "/" + name, HeaderOrigin::toolkit);
        if (found != nullptr) return found;
    }
    return nullptr;
}

const FoundHeader* IncludeSearch::find_everywhere(const std::string& name) {
    const auto [at, is_new] = known_.try_emplace(name, nullptr);
    if (is_new) at->second = search_everywhere(name);
    return at->second;
}

const FoundHeader* IncludeSearch::find(const IncludeUse& use, const FoundHeader* includer) {
    const bool looks_beside = use.form == IncludeForm::quoted && includer != nullptr;
    // Headers in memory come before all files, but after the neighbours of a header in memory or in the
    // toolkit.
    const bool first_beside = looks_beside && includer->origin != HeaderOrigin::directory;
    const FoundHeader* found = nullptr;
    if (first_beside && (found = find_beside(use.name, *includer)) != nullptr) return found;
    if ((found = find_in_memory(use.name)) != nullptr) return found;
    if (use.name.starts_with('/')) return find_file(use.name, HeaderOrigin::directory);
    if (looks_beside && !first_beside && (found = find_beside(use.name, *includer)) != nullptr)
        return found;
    return find_everywhere(use.name);
}

}  // namespace kgen

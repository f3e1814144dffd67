// SPDX-License-Identifier: MIT
#include "store_root.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

namespace kgen::cache {

namespace {

constexpr int max_links = 40;  // the same limit as in the Linux kernel

RootResult refuse(std::string problem) {
    RootResult result;
    result.problem = std::move(problem);
    return result;
}

RootResult refuse(const std::string& path, const char* what, int error, TrustMode trust) {
    RootResult result;
    result.transient = error == EMFILE || error == ENFILE || error == ENOMEM;
    result.problem = "'" + path + "' cannot be " + what + ": " + error_text(error);
    if (trust != TrustMode::installed) {
        result.problem += "; set KGEN_CACHE_DIR to a directory of your own";
    }
    return result;
}

// Pushes the components of the path in reverse, so the first one is on top.
void push_parts(std::vector<std::string>& pending, const std::string& path) {
    std::size_t end = path.size();
    while (end != 0) {
        const std::size_t slash = path.rfind('/', end - 1);
        const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
        std::string part = path.substr(begin, end - begin);
        if (!part.empty() && part != ".") pending.push_back(std::move(part));
        end = slash == std::string::npos ? 0 : slash;
    }
}

enum class Place { parent, root };

// Returns why a directory or link of the path is not trusted; empty if it is trusted.
std::string distrust(const std::string& path,
                     const struct stat& status,
                     Place place,
                     TrustMode trust) {
    const uid_t user = ::geteuid();
    if (status.st_uid != user && status.st_uid != 0) {
        return "'" + path + "' belongs to user " + std::to_string(status.st_uid) +
               "; expected user " + std::to_string(user) + (user == 0 ? "" : " or root") +
               (trust == TrustMode::installed
                    ? "; set KGEN_CACHE_TRUST=any to use it anyway"
                    : "; set KGEN_CACHE_DIR to a directory of your own, or KGEN_CACHE_TRUST=any");
    }
    // The mode of a link has no meaning: a user who may write to its directory may replace it.
    if (S_ISLNK(status.st_mode)) return {};
    const bool is_sticky = (status.st_mode & S_ISVTX) != 0;
    if (place == Place::parent && is_sticky) return {};
    const bool is_shared = place == Place::root && trust == TrustMode::group;
    if (is_shared && (status.st_mode & S_IWGRP) != 0 && !is_own_group(status.st_gid)) {
        return "'" + path + "' may be written by group " + std::to_string(status.st_gid) +
               " (mode " + mode_text(status.st_mode) +
               "), and this user is not in it; set KGEN_CACHE_DIR to another directory";
    }
    const mode_t others = is_shared ? S_IWOTH : S_IWGRP | S_IWOTH;
    if ((status.st_mode & others) == 0) return {};
    return "'" + path + "' may be written by others (mode " + mode_text(status.st_mode) +
           "); run 'chmod " + (is_shared ? "o-w " : "go-w ") + path +
           "', or set KGEN_CACHE_TRUST=any";
}

std::string child_path(const std::string& folder, const std::string& name) {
    return folder == "/" ? "/" + name : folder + "/" + name;
}

// Creates a directory. Sets its mode explicitly, because the umask may remove even the owner's permissions.
bool make_directory(const std::string& path, mode_t mode) {
    if (::mkdir(path.c_str(), mode) == 0) return ::chmod(path.c_str(), mode) == 0;
    return errno == EEXIST;
}

// A walk along a path, one component at a time. at_ is the path so far, free of links. pending_ holds the
// remaining components, the next one last.
class Walk {
public:
    enum class End : std::uint8_t { directory, anything };

    Walk(const std::string& path, TrustMode trust, CreateRoot create, End end = End::directory)
        : trust_(trust), create_(create), end_(end) {
        push_parts(pending_, path);
    }

    RootResult run() {
        RootResult stop = reach_end();
        // All directories on the path are trusted, so no other user could have replaced a checked component.
        return is_at_end_ ? open_last() : std::move(stop);
    }

    // Walks to the end without opening it. Returns what stopped the walk, if anything did.
    RootResult reach_end() {
        RootResult stop;
        if (!check("/", stop)) return stop;
        while (!pending_.empty()) {
            std::string name = std::move(pending_.back());
            pending_.pop_back();
            if (name == "..") {
                const std::size_t slash = at_.rfind('/');
                at_.resize(slash == 0 ? 1 : slash);
                continue;
            }
            if (!check(child_path(at_, name), stop)) return stop;
        }
        is_at_end_ = true;
        return stop;
    }

private:
    // Goes one step, to `path`. Returns false and fills in `stop` if the walk ends here.
    bool check(const std::string& path, RootResult& stop) {
        struct stat status {};
        if (::lstat(path.c_str(), &status) != 0 && !make_missing(path, status, stop)) return false;
        const Place place = pending_.empty() ? Place::root : Place::parent;
        if (trust_ != TrustMode::any) {
            if (std::string problem = distrust(path, status, place, trust_); !problem.empty()) {
                stop = refuse(std::move(problem));
                return false;
            }
        }
        if (S_ISLNK(status.st_mode)) return follow(path, stop);
        const bool may_be_file = end_ == End::anything && place == Place::root;
        if (!S_ISDIR(status.st_mode) && !may_be_file) {
            stop = refuse("'" + path + "' is not a directory" +
                          (trust_ == TrustMode::installed ? "" : "; set KGEN_CACHE_DIR to one"));
            return false;
        }
        at_ = path;
        return true;
    }

    bool make_missing(const std::string& path, struct stat& status, RootResult& stop) {
        if (errno != ENOENT) {
            stop = refuse(path, "opened", errno, trust_);
        } else if (create_ == CreateRoot::no) {
            stop.absent = true;
        } else if (!make_directory(path, new_mode()) || ::lstat(path.c_str(), &status) != 0) {
            stop = refuse(path, "created", errno, trust_);
        } else {
            return true;
        }
        return false;
    }

    // Under TrustMode::group, the group needs access to the directories above the root.
    mode_t new_mode() const {
        if (trust_ != TrustMode::group) return 0700;
        return pending_.empty() ? 02770 : 0750;
    }

    bool follow(const std::string& path, RootResult& stop) {
        std::array<char, PATH_MAX> target{};
        const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
        if (length < 0 || ++links_ > max_links) {
            stop = refuse(path, "followed", length < 0 ? errno : ELOOP, trust_);
            return false;
        }
        const std::string text(target.data(), static_cast<std::size_t>(length));
        push_parts(pending_, text);
        if (!text.empty() && text.front() == '/') at_ = "/";
        return true;
    }

    RootResult open_last() const {
        RootResult result;
        result.directory =
            FileDescriptor(::open(at_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        struct stat status {};
        if (!result.directory.is_open() || ::fstat(result.directory.get(), &status) != 0) {
            return refuse(at_, "opened", errno, trust_);
        }
        if (trust_ != TrustMode::any) {
            std::string problem = distrust(at_, status, Place::root, trust_);
            if (!problem.empty()) return refuse(std::move(problem));
        }
        return result;
    }

    TrustMode trust_;
    CreateRoot create_;
    End end_;
    bool is_at_end_ = false;
    std::vector<std::string> pending_;
    std::string at_ = "/";
    int links_ = 0;
};

}  // namespace

bool is_own_group(gid_t group) {
    if (group == ::getegid()) return true;
    std::vector<gid_t> groups(static_cast<std::size_t>(std::max(::getgroups(0, nullptr), 0)));
    const int count = ::getgroups(static_cast<int>(groups.size()), groups.data());
    groups.resize(static_cast<std::size_t>(std::max(count, 0)));
    return std::find(groups.begin(), groups.end(), group) != groups.end();
}

std::string mode_text(mode_t mode) {
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "%04o", mode & 07777U);
    return text.data();
}

std::string error_text(int error) {
    const char* text = ::strerrordesc_np(error);
    return text != nullptr ? text : "error " + std::to_string(error);
}

RootResult open_root(const std::string& path, TrustMode trust, CreateRoot create) {
    return Walk(path, trust, create).run();
}

std::string distrust_path(const std::string& path, TrustMode trust) {
    if (trust == TrustMode::any) return {};
    return Walk(path, TrustMode::installed, CreateRoot::no, Walk::End::anything)
        .reach_end()
        .problem;
}

namespace {

bool is_owner_trusted(const struct stat& status, TrustMode trust) {
    return status.st_uid == ::geteuid() || trust == TrustMode::any ||
           (trust == TrustMode::group && is_own_group(status.st_gid)) ||
           (trust == TrustMode::installed && status.st_uid == 0);
}

}  // namespace

std::string distrust_file(const struct stat& status, TrustMode trust) {
    if (!is_owner_trusted(status, trust)) {
        return "the file belongs to user " + std::to_string(status.st_uid);
    }
    // Under TrustMode::owner the mode of the file need not be checked, because others cannot write its
    // directory.
    const mode_t writers = trust == TrustMode::group       ? S_IWOTH
                           : trust == TrustMode::installed ? S_IWGRP | S_IWOTH
                                                           : 0;
    if ((status.st_mode & writers) == 0) return {};
    return "the file may be written by others (mode " + mode_text(status.st_mode) + ")";
}

KeptRoot::Directory KeptRoot::open(CreateRoot create, std::string* error) {
    std::string refusal;
    {
        const std::lock_guard lock(mutex_);
        if (directory_ != nullptr || is_refused_) return directory_;
        RootResult result = open_root(settings_.root, settings_.trust, create);
        if (result.directory.is_open()) {
            directory_ = std::make_shared<const FileDescriptor>(std::move(result.directory));
            return directory_;
        }
        if (result.absent) return nullptr;
        if (result.transient) {
            if (error != nullptr) *error = result.problem;
            return nullptr;
        }
        is_refused_ = true;
        refusal = std::move(result.problem);
    }
    tell(settings_.warn, "cache: off: " + refusal);
    return nullptr;
}

void KeptRoot::close(const Directory& stale) {
    const std::lock_guard lock(mutex_);
    if (directory_ == stale) directory_ = nullptr;
}

bool KeptRoot::is_refused() const {
    const std::lock_guard lock(mutex_);
    return is_refused_;
}

}  // namespace kgen::cache

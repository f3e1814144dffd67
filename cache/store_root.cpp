// SPDX-License-Identifier: MIT
#include "store_root.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <vector>

namespace kgen::cache {

namespace {

constexpr int max_links = 40;  // as the kernel's own limit

RootResult refuse(std::string problem) {
    RootResult result;
    result.problem = std::move(problem);
    return result;
}

RootResult refuse(const std::string& path, const char* what, int error) {
    RootResult result;
    result.transient = error == EMFILE || error == ENFILE || error == ENOMEM;
    result.problem = "'" + path + "' cannot be " + what + ": " + error_text(error) +
                     "; set KGEN_CACHE_DIR to a directory of your own";
    return result;
}

// Pushes the parts of the path so that the first one is on top.
void push_parts(std::vector<std::string>& pending, const std::string& path) {
    std::size_t end = path.size();
    while (end != 0) {
        const std::size_t slash = path.rfind('/', end - 1);
        const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
        if (begin != end) pending.push_back(path.substr(begin, end - begin));
        end = slash == std::string::npos ? 0 : slash;
    }
}

enum class Place { parent, root };

// Why a directory or link of the path is not to be trusted; empty if it is.
std::string distrust(const std::string& path, const struct stat& status, Place place) {
    const uid_t user = ::geteuid();
    if (status.st_uid != user && status.st_uid != 0) {
        return "'" + path + "' belongs to user " + std::to_string(status.st_uid) +
               "; expected user " + std::to_string(user) + (user == 0 ? "" : " or root") +
               "; set KGEN_CACHE_DIR to a directory of your own, or KGEN_CACHE_TRUST=any";
    }
    const bool others_write = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    const bool sticky = (status.st_mode & S_ISVTX) != 0;
    if (S_ISDIR(status.st_mode) && others_write && (place == Place::root || !sticky)) {
        std::array<char, 8> mode{};
        std::snprintf(mode.data(), mode.size(), "%04o", status.st_mode & 07777U);
        return "'" + path + "' may be written by others (mode " + mode.data() +
               "); run 'chmod go-w " + path + "', or set KGEN_CACHE_TRUST=any";
    }
    return {};
}

std::string child_path(const std::string& folder, const std::string& name) {
    return folder == "/" ? "/" + name : folder + "/" + name;
}

// mkdir, and chmod because the umask may have taken even the owner's rights away.
bool make_directory(const std::string& path) {
    if (::mkdir(path.c_str(), 0700) == 0) return ::chmod(path.c_str(), 0700) == 0;
    return errno == EEXIST;
}

// A path walked part by part: `at` is free of links, `pending` is what is left, the next part last.
class Walk {
public:
    Walk(const std::string& path, TrustMode trust, CreateRoot create)
        : trust_(trust), create_(create) {
        push_parts(pending_, path);
    }

    RootResult run() {
        RootResult stop;
        if (!check("/", stop)) return stop;
        while (!pending_.empty()) {
            std::string name = std::move(pending_.back());
            pending_.pop_back();
            if (name == ".") continue;
            if (name == "..") {
                const std::size_t slash = at_.rfind('/');
                at_.resize(slash == 0 ? 1 : slash);
                continue;
            }
            if (!check(child_path(at_, name), stop)) return stop;
        }
        // All on the way is trusted, so nobody could exchange what was checked for something else.
        return open_last();
    }

private:
    // Goes one step, to that path; false with the result if the walk ends here.
    bool check(const std::string& path, RootResult& stop) {
        struct stat status {};
        if (::lstat(path.c_str(), &status) != 0 && !make_missing(path, status, stop)) return false;
        if (trust_ == TrustMode::owner) {
            if (std::string problem = distrust(path, status, Place::parent); !problem.empty()) {
                stop = refuse(std::move(problem));
                return false;
            }
        }
        if (S_ISLNK(status.st_mode)) return follow(path, stop);
        if (!S_ISDIR(status.st_mode)) {
            stop = refuse("'" + path + "' is not a directory; set KGEN_CACHE_DIR to one");
            return false;
        }
        at_ = path;
        return true;
    }

    bool make_missing(const std::string& path, struct stat& status, RootResult& stop) {
        if (errno != ENOENT) {
            stop = refuse(path, "opened", errno);
        } else if (create_ == CreateRoot::no) {
            stop.absent = true;
        } else if (!make_directory(path) || ::lstat(path.c_str(), &status) != 0) {
            stop = refuse(path, "created", errno);
        } else {
            return true;
        }
        return false;
    }

    bool follow(const std::string& path, RootResult& stop) {
        std::array<char, PATH_MAX> target{};
        const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
        if (length < 0 || ++links_ > max_links) {
            stop = refuse(path, "followed", length < 0 ? errno : ELOOP);
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
            return refuse(at_, "opened", errno);
        }
        if (trust_ == TrustMode::owner) {
            std::string problem = distrust(at_, status, Place::root);
            if (!problem.empty()) return refuse(std::move(problem));
        }
        return result;
    }

    TrustMode trust_;
    CreateRoot create_;
    std::vector<std::string> pending_;
    std::string at_ = "/";
    int links_ = 0;
};

}  // namespace

std::string error_text(int error) {
    const char* text = ::strerrordesc_np(error);
    return text != nullptr ? text : "error " + std::to_string(error);
}

RootResult open_root(const std::string& path, TrustMode trust, CreateRoot create) {
    return Walk(path, trust, create).run();
}

}  // namespace kgen::cache

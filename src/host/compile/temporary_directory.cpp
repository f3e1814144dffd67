// SPDX-License-Identifier: MIT
#include "host/compile/temporary_directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <kgen/error.hpp>
#include <memory>
#include <mutex>
#include <string_view>
#include <system_error>
#include <vector>

#include "fork_mutex.hpp"
#include "text/log.hpp"

namespace kgen {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view name_prefix = "kgen-";
constexpr const char* placeholder = "XXXXXX";

// A file in each directory. Its process locks it before it gets this name. The lock ends with the process,
// however it ends. A process id would not do, because ids are reused.
constexpr const char* owner_name = ".kgen-owner";
constexpr const char* owner_name_before = ".kgen-owner.new";

[[noreturn]] void fail(const std::string& parent, const char* call) {
    const int code = errno;
    throw DeviceError(fmt::format("a temporary directory for the host compiler cannot be created "
                                  "in '{}': {}; set TMPDIR to a directory that can be written",
                                  parent,
                                  std::strerror(code)),
                      call,
                      code);
}

struct CloseDirectory {
    void operator()(DIR* directory) const noexcept { ::closedir(directory); }
};

bool is_own(int file, ::mode_t type) {
    struct stat status {};
    return file >= 0 && ::fstat(file, &status) == 0 && (status.st_mode & S_IFMT) == type &&
           status.st_uid == ::geteuid();
}

// Returns whether the process that made the directory has ended. False if kgen did not make it.
bool is_left_behind(int parent, const char* name) {
    const auto directory = cache::open_to_read(parent, name, cache::Links::refused);
    if (!is_own(directory.get(), S_IFDIR)) return false;
    const auto owner = cache::open_to_read(directory.get(), owner_name, cache::Links::refused);
    return is_own(owner.get(), S_IFREG) && ::flock(owner.get(), LOCK_EX | LOCK_NB) == 0;
}

void remove_left_behind(const std::string& parent) {
    const std::unique_ptr<DIR, CloseDirectory> entries(::opendir(parent.c_str()));
    if (entries == nullptr) return;
    std::vector<std::string> found;
    while (const dirent* entry = ::readdir(entries.get())) {
        const std::string_view name = entry->d_name;
        if (name.starts_with(name_prefix) &&
            name.size() == name_prefix.size() + std::strlen(placeholder) &&
            is_left_behind(::dirfd(entries.get()), entry->d_name)) {
            found.emplace_back(name);
        }
    }
    for (const std::string& name : found) {
        // Ignored, because another process may be removing the directory too.
        std::error_code error;
        std::filesystem::remove_all(fmt::format("{}/{}", parent, name), error);
        log().debug("removed '{}/{}', which a process left behind", parent, name);
    }
}

// Removes directories that ended processes have left behind. Listing the parent may take long, so after a
// sweep the next one is skipped until 100 times its duration has passed.
void sweep(const std::string& parent) {
    static cache::ForkMutex mutex;
    static auto* last_parent = new std::string;
    static Clock::time_point next;
    const std::unique_lock lock(mutex, std::try_to_lock);
    const Clock::time_point begin = Clock::now();
    if (!lock.owns_lock() || (parent == *last_parent && begin < next)) return;
    remove_left_behind(parent);
    const Clock::time_point end = Clock::now();
    next = end + 100 * (end - begin);
    *last_parent = parent;
}

// Returns the locked file. It is not open if the file system has no locks. Such a directory is never swept.
cache::FileDescriptor make_owner(const std::string& directory, const std::string& parent) {
    const std::string before = fmt::format("{}/{}", directory, owner_name_before);
    cache::FileDescriptor file(::open(before.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file.is_open()) fail(parent, "open");
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return {};
    if (::rename(before.c_str(), fmt::format("{}/{}", directory, owner_name).c_str()) != 0)
        fail(parent, "rename");
    return file;
}

}  // namespace

TemporaryDirectory::TemporaryDirectory() {
    const char* variable = ::secure_getenv("TMPDIR");
    const std::string parent = variable != nullptr && *variable == '/' ? variable : "/tmp";
    sweep(parent);
    path_ = fmt::format("{}/{}{}", parent, name_prefix, placeholder);
    if (::mkdtemp(path_.data()) == nullptr) fail(parent, "mkdtemp");  // mode 0700
    ::chmod(path_.c_str(), 0700);  // the umask may have removed bits
    try {
        owner_ = make_owner(path_, parent);
    } catch (...) {
        // Remove the file and the directory without opening a file, because the process may have no
        // descriptors left.
        ::unlink(fmt::format("{}/{}", path_, owner_name_before).c_str());
        ::rmdir(path_.c_str());
        throw;
    }
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
    if (error) {
        log().warn("temporary directory '{}' cannot be removed: {}", path_, error.message());
    }
}

}  // namespace kgen

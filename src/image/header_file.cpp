// SPDX-License-Identifier: MIT
#include "image/header_file.hpp"

#include <sys/stat.h>

#include <ctime>
#include <mutex>
#include <unordered_map>

#include "digest.hpp"
#include "file_descriptor.hpp"
#include "fork_mutex.hpp"
#include "text/source_scan.hpp"

namespace kgen {

namespace {

// `changed` is the inode's time of change. Programs cannot set it back, unlike the time of the contents.
struct FileStamp {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    timespec changed = {};

    friend bool operator==(const FileStamp& a, const FileStamp& b) {
        return a.device == b.device && a.inode == b.inode && a.size == b.size &&
               a.changed.tv_sec == b.changed.tv_sec && a.changed.tv_nsec == b.changed.tv_nsec;
    }
};

FileStamp stamp_of(const struct stat& status) {
    return {status.st_dev, status.st_ino, status.st_size, status.st_ctim};
}

// Whether the time of change is old enough to be trusted. A file that was just written may be written again
// without a new time, because the clocks of file systems tick slowly.
bool is_settled(const FileStamp& stamp) {
    constexpr time_t settling_seconds = 2;
    timespec now = {};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return stamp.changed.tv_sec + settling_seconds < now.tv_sec;
}

struct Known {
    FileStamp stamp;
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
        if (at != known.files.end() && (is_trusted || at->second.stamp == stamp_of(status)))
            return at->second.header;
    }
    Known made;
    std::string text;
    const cache::FileDescriptor file = cache::open_to_read(path);
    if (::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
        cache::read_to_end(file.get(), text) == 0) {
        made.stamp = stamp_of(status);
        HeaderText header = make_header(std::move(text), trust);
        header.device = status.st_dev;
        header.inode = status.st_ino;
        made.header = std::make_shared<const HeaderText>(std::move(header));
    }
    if (is_trusted || (made.header != nullptr && is_settled(made.stamp))) {
        const std::lock_guard lock(known.mutex);
        known.files.insert_or_assign(path, made);
    }
    return made.header;
}

}  // namespace kgen

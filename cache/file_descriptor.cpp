// SPDX-License-Identifier: MIT
#include "file_descriptor.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <memory>
#include <string_view>

namespace kgen::cache {

namespace {

// Calls `transfer(done)` until all bytes are transferred, it returns 0, or it fails. Returns the number of
// bytes that were transferred.
template <typename Transfer>
std::size_t repeat(std::size_t bytes, int& error, const Transfer& transfer) noexcept {
    error = 0;
    std::size_t done = 0;
    while (done < bytes) {
        const ssize_t count = transfer(done);
        if (count == 0) break;
        if (count > 0) {
            done += static_cast<std::size_t>(count);
        } else if (errno != EINTR) {
            error = errno;
            break;
        }
    }
    return done;
}

// SignalGuard: during its lifetime, a signal that the thread's own system calls raise has no effect. It is
// for signals like SIGXFSZ, which are sent to the calling thread while the call also returns an error. The
// program's signal handlers stay unchanged.
class SignalGuard {
public:
    explicit SignalGuard(int number) noexcept {
        ::sigemptyset(&signal_);
        ::sigaddset(&signal_, number);
        ::sigset_t pending;
        ::sigpending(&pending);
        was_pending_ = ::sigismember(&pending, number) == 1;
        ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    }
    ~SignalGuard() {
        constexpr ::timespec at_once{};
        if (!was_pending_) ::sigtimedwait(&signal_, nullptr, &at_once);
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    SignalGuard(const SignalGuard&) = delete;
    SignalGuard& operator=(const SignalGuard&) = delete;

private:
    ::sigset_t signal_{};
    ::sigset_t before_{};
    bool was_pending_ = false;
};

}  // namespace

int FileDescriptor::close() noexcept {
    // After EINTR the descriptor is closed (close(2)).
    return number_ < 0 || ::close(release()) == 0 || errno == EINTR ? 0 : errno;
}

FileDescriptor open_to_read(int directory, const char* path, Links links) {
    const int flags =
        O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (links == Links::refused ? O_NOFOLLOW : 0);
    const int number = ::openat(directory, path, flags);
    // ESTALE: a network file system reports it if the file was replaced; the second attempt opens the new
    // file.
    return FileDescriptor(number < 0 && errno == ESTALE ? ::openat(directory, path, flags)
                                                        : number);
}

FileDescriptor open_to_read(const std::string& path) {
    return open_to_read(AT_FDCWD, path.c_str(), Links::followed);
}

std::size_t read_range(int file,
                       std::uint64_t offset,
                       std::span<std::byte> bytes,
                       int& error) noexcept {
    return repeat(bytes.size(), error, [&](std::size_t done) {
        return ::pread(
            file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    });
}

int read_all(int file, std::uint64_t offset, std::span<std::byte> bytes) noexcept {
    int error = 0;
    const bool is_full = read_range(file, offset, bytes, error) == bytes.size();
    return is_full ? 0 : error != 0 ? error : -1;
}

int read_to_end(int file, std::string& contents, std::size_t limit) {
    struct stat status {};
    if (::fstat(file, &status) != 0) return errno;
    // With one byte more than the file has, one round usually finds the end. Files in /proc have no size.
    const std::size_t room =
        std::max<std::size_t>(static_cast<std::size_t>(status.st_size) + 1, 4096);
    std::size_t size = 0;
    int error = 0;
    do {
        contents.resize(std::min(limit, std::max(room, 2 * size)));
        size += read_range(
            file, size, std::as_writable_bytes(std::span(contents)).subspan(size), error);
    } while (error == 0 && size == contents.size() && size < limit);
    contents.resize(size);
    return error;
}

int write_all(int file, std::uint64_t offset, std::span<const std::byte> bytes) noexcept {
    int error = 0;
    const SignalGuard guard(SIGXFSZ);  // beyond RLIMIT_FSIZE: EFBIG instead of a signal
    const std::size_t done = repeat(bytes.size(), error, [&](std::size_t at) {
        return ::pwrite(
            file, bytes.data() + at, bytes.size() - at, static_cast<off_t>(offset + at));
    });
    return error != 0 ? error : done == bytes.size() ? 0 : EIO;
}

int append_all(int file, std::span<const std::byte> bytes) noexcept {
    int error = 0;
    const SignalGuard guard(SIGXFSZ);  // beyond RLIMIT_FSIZE: EFBIG instead of a signal
    const std::size_t done = repeat(bytes.size(), error, [&](std::size_t at) {
        return ::write(file, bytes.data() + at, bytes.size() - at);
    });
    return error != 0 ? error : done == bytes.size() ? 0 : EIO;
}

int list_directory(int at, const char* path, std::vector<std::string>& names) {
    FileDescriptor file(::openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!file.is_open()) return errno;
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(::fdopendir(file.get()), ::closedir);
    if (directory == nullptr) return errno;
    file.release();
    errno = 0;
    while (const dirent* item = ::readdir(directory.get())) {
        const std::string_view name = item->d_name;
        if (name != "." && name != "..") names.emplace_back(name);
        errno = 0;
    }
    return errno;
}

}  // namespace kgen::cache

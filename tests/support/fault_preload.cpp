// SPDX-License-Identifier: MIT
//
// A library for LD_PRELOAD. It intercepts calls of the C library and makes the n-th call fail,
// or kills the process there. While it is armed, only one thread may call at a time. It uses no
// C++ library and allocates nothing.
#include "support/fault_preload.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "support/sanitizers.hpp"

using kgen::test::Fault;
using kgen::test::FaultAction;
using kgen::test::FaultCall;

namespace {

Fault fault;
std::atomic<bool> is_armed{false};
std::atomic<long> calls{0};

template <typename Function>
Function real(const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

// Returns the action for this call.
FaultAction next_action(FaultCall call) {
    if (!is_armed.load()) return FaultAction::none;
    const bool is_meant =
        fault.call == call || (fault.call == FaultCall::any && call != FaultCall::malloc);
    if (!is_meant) return FaultAction::none;
    const long number = ++calls;
    const bool is_hit = number >= fault.first && (fault.last == 0 || number <= fault.last);
    return is_hit ? fault.action : FaultAction::none;
}

void die() {
    ::syscall(SYS_kill, ::syscall(SYS_getpid), SIGKILL);
}

// Makes the call and applies its action. Returns `failed` if the call is to fail.
template <typename Result, typename Work>
Result intercept(FaultCall call, Result failed, Work work) {
    const FaultAction action = next_action(call);
    if (action == FaultAction::kill_before) die();
    if (action == FaultAction::fail) {
        if (call == FaultCall::close) work();
        errno = fault.error;
        return failed;
    }
    const Result result = work();
    if (action == FaultAction::kill_after) die();
    return result;
}

// The same as intercept() for a call that transfers bytes.
template <typename Work>
ssize_t intercept_bytes(FaultCall call, size_t bytes, Work work) {
    const FaultAction action = next_action(call);
    if (action == FaultAction::kill_before) die();
    if (action == FaultAction::fail) {
        errno = fault.error;
        return -1;
    }
    const ssize_t result = work(action == FaultAction::single && bytes > 1 ? 1 : bytes);
    if (action == FaultAction::kill_after) die();
    return result;
}

struct Name {
    const char* text;
    FaultCall call;
};
constexpr Name call_names[] = {
    {"any", FaultCall::any},
    {"open", FaultCall::open},
    {"read", FaultCall::read},
    {"write", FaultCall::write},
    {"close", FaultCall::close},
    {"rename", FaultCall::rename},
    {"unlink", FaultCall::unlink},
    {"mkdir", FaultCall::mkdir},
    {"chmod", FaultCall::chmod},
    {"stat", FaultCall::stat},
    {"fcntl", FaultCall::fcntl},
    {"sync", FaultCall::sync},
    {"truncate", FaultCall::truncate},
    {"utime", FaultCall::utime},
    {"random", FaultCall::random},
    {"statvfs", FaultCall::statvfs},
    {"malloc", FaultCall::malloc},
};
struct ActionName {
    const char* text;
    FaultAction action;
};
constexpr ActionName action_names[] = {
    {"fail", FaultAction::fail},
    {"single", FaultAction::single},
    {"full", FaultAction::full},
    {"kill_before", FaultAction::kill_before},
    {"kill_after", FaultAction::kill_after},
};

__attribute__((constructor)) void arm_from_environment() {
    const char* text = ::getenv("KGEN_FAULT");
    char call[16] = {};
    char number[24] = {};
    char action[16] = {};
    Fault given;
    if (text == nullptr ||
        ::sscanf(text, "%15s %23s %15s %d", call, number, action, &given.error) < 3) {
        return;
    }
    given.first = ::atol(number);
    given.last = ::strchr(number, '+') != nullptr ? 0 : given.first;
    for (const Name& name : call_names) {
        if (::strcmp(name.text, call) == 0) given.call = name.call;
    }
    for (const ActionName& name : action_names) {
        if (::strcmp(name.text, action) == 0) given.action = name.action;
    }
    fault = given;
    is_armed = true;
}

}  // namespace

extern "C" {

void kgen_fault_arm(const Fault* given) {
    is_armed = false;
    if (given == nullptr) return;
    fault = *given;
    calls = 0;
    is_armed = true;
}

long kgen_fault_count() {
    return calls;
}

int open(const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    static const auto next = real<int (*)(const char*, int, ...)>("open");
    return intercept(FaultCall::open, -1, [&] { return next(path, flags, mode); });
}

int openat(int at, const char* path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    static const auto next = real<int (*)(int, const char*, int, ...)>("openat");
    return intercept(FaultCall::open, -1, [&] { return next(at, path, flags, mode); });
}

ssize_t read(int file, void* bytes, size_t count) {
    static const auto next = real<ssize_t (*)(int, void*, size_t)>("read");
    return intercept_bytes(FaultCall::read, count, [&](size_t n) { return next(file, bytes, n); });
}

ssize_t pread(int file, void* bytes, size_t count, off_t offset) {
    static const auto next = real<ssize_t (*)(int, void*, size_t, off_t)>("pread");
    return intercept_bytes(
        FaultCall::read, count, [&](size_t n) { return next(file, bytes, n, offset); });
}

ssize_t write(int file, const void* bytes, size_t count) {
    static const auto next = real<ssize_t (*)(int, const void*, size_t)>("write");
    return intercept_bytes(FaultCall::write, count, [&](size_t n) { return next(file, bytes, n); });
}

ssize_t pwrite(int file, const void* bytes, size_t count, off_t offset) {
    static const auto next = real<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
    return intercept_bytes(
        FaultCall::write, count, [&](size_t n) { return next(file, bytes, n, offset); });
}

int close(int file) {
    static const auto next = real<int (*)(int)>("close");
    return intercept(FaultCall::close, -1, [&] { return next(file); });
}

int renameat(int from_at, const char* from, int to_at, const char* to) {
    static const auto next = real<int (*)(int, const char*, int, const char*)>("renameat");
    return intercept(FaultCall::rename, -1, [&] { return next(from_at, from, to_at, to); });
}

int unlinkat(int at, const char* path, int flags) {
    static const auto next = real<int (*)(int, const char*, int)>("unlinkat");
    return intercept(FaultCall::unlink, -1, [&] { return next(at, path, flags); });
}

int mkdir(const char* path, mode_t mode) {
    static const auto next = real<int (*)(const char*, mode_t)>("mkdir");
    return intercept(FaultCall::mkdir, -1, [&] { return next(path, mode); });
}

int mkdirat(int at, const char* path, mode_t mode) {
    static const auto next = real<int (*)(int, const char*, mode_t)>("mkdirat");
    return intercept(FaultCall::mkdir, -1, [&] { return next(at, path, mode); });
}

int chmod(const char* path, mode_t mode) {
    static const auto next = real<int (*)(const char*, mode_t)>("chmod");
    return intercept(FaultCall::chmod, -1, [&] { return next(path, mode); });
}

int fchmod(int file, mode_t mode) {
    static const auto next = real<int (*)(int, mode_t)>("fchmod");
    return intercept(FaultCall::chmod, -1, [&] { return next(file, mode); });
}

int fchmodat(int at, const char* path, mode_t mode, int flags) {
    static const auto next = real<int (*)(int, const char*, mode_t, int)>("fchmodat");
    return intercept(FaultCall::chmod, -1, [&] { return next(at, path, mode, flags); });
}

int fstat(int file, struct stat* status) {
    static const auto next = real<int (*)(int, struct stat*)>("fstat");
    return intercept(FaultCall::stat, -1, [&] { return next(file, status); });
}

int fstatat(int at, const char* path, struct stat* status, int flags) {
    static const auto next = real<int (*)(int, const char*, struct stat*, int)>("fstatat");
    return intercept(FaultCall::stat, -1, [&] { return next(at, path, status, flags); });
}

int lstat(const char* path, struct stat* status) {
    static const auto next = real<int (*)(const char*, struct stat*)>("lstat");
    return intercept(FaultCall::stat, -1, [&] { return next(path, status); });
}

int fcntl(int file, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void* argument = va_arg(arguments, void*);
    va_end(arguments);
    static const auto next = real<int (*)(int, int, ...)>("fcntl");
    return intercept(FaultCall::fcntl, -1, [&] { return next(file, command, argument); });
}

int fsync(int file) {
    static const auto next = real<int (*)(int)>("fsync");
    return intercept(FaultCall::sync, -1, [&] { return next(file); });
}

int ftruncate(int file, off_t length) noexcept {
    static const auto next = real<int (*)(int, off_t)>("ftruncate");
    return intercept(FaultCall::truncate, -1, [&] { return next(file, length); });
}

int futimens(int file, const struct timespec times[2]) noexcept {
    static const auto next = real<int (*)(int, const struct timespec*)>("futimens");
    return intercept(FaultCall::utime, -1, [&] { return next(file, times); });
}

int utimensat(int at, const char* path, const struct timespec times[2], int flags) noexcept {
    static const auto next =
        real<int (*)(int, const char*, const struct timespec*, int)>("utimensat");
    return intercept(FaultCall::utime, -1, [&] { return next(at, path, times, flags); });
}

ssize_t getrandom(void* bytes, size_t count, unsigned flags) {
    static const auto next = real<ssize_t (*)(void*, size_t, unsigned)>("getrandom");
    return intercept(FaultCall::random, ssize_t{-1}, [&] { return next(bytes, count, flags); });
}

int fstatvfs(int file, struct statvfs* status) noexcept {
    static const auto next = real<int (*)(int, struct statvfs*)>("fstatvfs");
    const bool is_full =
        is_armed.load() && fault.call == FaultCall::statvfs && fault.action == FaultAction::full;
    const int result = intercept(FaultCall::statvfs, -1, [&] { return next(file, status); });
    if (is_full) status->f_bavail = 0;
    return result;
}

#if !KGEN_SANITIZED
void* __libc_malloc(size_t bytes);  // NOLINT: name from glibc

void* malloc(size_t bytes) {
    return intercept(
        FaultCall::malloc, static_cast<void*>(nullptr), [&] { return __libc_malloc(bytes); });
}
#endif

}  // extern "C"

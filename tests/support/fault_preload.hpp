// SPDX-License-Identifier: MIT
//
// The fault library (fault_preload.cpp, for LD_PRELOAD) makes calls of the C library fail in the process
// that loads it. Its own functions arm it, or KGEN_FAULT="CALL N ACTION [ERRNO]" arms it from the start:
//
//     KGEN_FAULT="write 3 fail 28"      the third write fails with ENOSPC
//     KGEN_FAULT="fcntl 1+ fail 37"     each fcntl fails with ENOLCK
//     KGEN_FAULT="any 12 kill_before"   the process is killed before its twelfth call
#pragma once

#include <dlfcn.h>

#include <cstdint>

namespace kgen::test {

enum class FaultCall : std::uint8_t {
    any,  // all calls except malloc
    open,
    read,
    write,
    close,
    rename,
    unlink,
    mkdir,
    chmod,
    stat,
    fcntl,
    sync,
    truncate,
    utime,
    random,
    statvfs,
    malloc,
};

enum class FaultAction : std::uint8_t {
    none,    // the calls are only counted
    fail,    // the call fails with the given errno; a close still closes, as in Linux
    single,  // a read or write transfers one byte
    full,    // statvfs reports a file system without free space
    kill_before,
    kill_after,
};

struct Fault {
    FaultCall call = FaultCall::any;
    long first = 1;  // first affected call of that kind, counted from 1
    long last = 1;   // last affected call; 0 means no end
    FaultAction action = FaultAction::none;
    int error = 0;
};

// The fault library of this process. All members are null if it is not loaded.
struct FaultLibrary {
    // Arms the fault and resets the count. nullptr disarms the library and keeps the count.
    void (*arm)(const Fault* fault) = nullptr;
    // Number of calls of the armed kind since arm().
    long (*count)() = nullptr;

    static FaultLibrary find() {
        FaultLibrary library;
        library.arm =
            reinterpret_cast<void (*)(const Fault*)>(::dlsym(RTLD_DEFAULT, "kgen_fault_arm"));
        library.count = reinterpret_cast<long (*)()>(::dlsym(RTLD_DEFAULT, "kgen_fault_count"));
        return library;
    }
    bool is_loaded() const { return arm != nullptr && count != nullptr; }
};

}  // namespace kgen::test

// SPDX-License-Identifier: MIT
//
// What the fault library (fault_preload.cpp, for LD_PRELOAD) does to the C library's calls of the process that
// loads it. Armed by its own functions, or from the start by KGEN_FAULT="CALL N ACTION [ERRNO]":
//
//     KGEN_FAULT="write 3 fail 28"      the third write fails with ENOSPC
//     KGEN_FAULT="fcntl 1+ fail 37"     each fcntl fails with ENOLCK
//     KGEN_FAULT="any 12 kill_before"   the process is killed before its twelfth call
#pragma once

#include <dlfcn.h>

#include <cstdint>

namespace kgen::test {

enum class FaultCall : std::uint8_t {
    any,  // all but malloc
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
    none,    // only counts
    fail,    // with the given errno; a close is done all the same, as the kernel does it
    single,  // reads and writes are of one byte
    full,    // statvfs tells of a file system without free space
    kill_before,
    kill_after,
};

struct Fault {
    FaultCall call = FaultCall::any;
    long first = 1;  // the first call of that kind that is meant, from 1
    long last = 1;   // and the last; of 0 there is no end
    FaultAction action = FaultAction::none;
    int error = 0;
};

// The library of this process; all null where it is not loaded.
struct FaultLibrary {
    // Forgets what was counted. nullptr: calls are as usual.
    void (*arm)(const Fault* fault) = nullptr;
    // Calls of the armed kind since then.
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

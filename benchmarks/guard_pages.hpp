// SPDX-License-Identifier: MIT
//
// GuardPages: memory of the host's arrays between pages that nothing may touch.
#pragma once

namespace kgen::bench {

// While it exists, each new array of the host lies between two such pages, so an access before or behind it ends the
// process by SIGSEGV. In turn, one array begins where its first page does, and the next ends where its last page does,
// up to the 64 bytes to which arrays are aligned. One at a time.
class GuardPages {
public:
    GuardPages();
    ~GuardPages();
    GuardPages(const GuardPages&) = delete;
    GuardPages& operator=(const GuardPages&) = delete;
};

}  // namespace kgen::bench

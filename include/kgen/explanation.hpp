// SPDX-License-Identifier: MIT
//
// Explanation: the result of each stage between a call and its launch, as `kgen explain` prints it.
// nearest_entry: what differs from a call that the cache knows.
#pragma once

#include <kgen/device.hpp>
#include <kgen/export.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kgen {

// The device and architecture to explain a kernel for, if they differ from those of the call.
struct TargetOptions {
    std::optional<Device> device = {};     // only its kind matters; it need not be present
    std::optional<std::string> arch = {};  // "sm_90"
};

struct Explanation {
    // The last operation of the kernel in short, and why the kernel ends with it: "max(x0), because what follows needs
    // the complete reduction". Empty unless a statement has several kernels.
    std::string part;
    // How many kernels the statement has, and why: "one kernel, because it is predicted to take 12.3 us and 3 separate ones
    // 25.0 us". The same for all kernels of the statement; empty without reductions, or if there is one that what follows
    // uses alone.
    std::string statement;
    std::string kernel;              // the kernel's name
    std::string signature;           // the parsed parameters
    std::string types;               // "T = float32"
    std::string plan;                // the chosen loop and launch, with the reason for each choice
    std::vector<std::string> loops;  // the names of the loops that can run the call
    // The time that the plan expects on this device, if it predicts one.
    std::optional<double> predicted_ms = {};
    std::string source;                // the text that would be compiled
    std::string symbol;                // the kernel's name in the compiled code
    std::string target;                // "sm_90", "x86_64 (avx512f ...)"
    std::vector<std::string> options;  // compiler options, in order
    std::string request;               // the cache key, a hex digest
    std::vector<std::pair<std::string, std::string>> request_parts;  // name, short hex digest
    std::string producer;     // the compiler used on a cache miss, or why there is none
    bool cached = false;      // true if the cache has a valid entry
    std::string cache_entry;  // path of that entry, or of the entry that would be written
    std::string miss_reason;  // why the cache has no valid entry
    std::string
        present_loop;  // the loop that runs instead if nothing can be compiled, and the cache has it
    std::string log;   // the compiler's output when the cached entry was made, such as warnings
};

// The entry of the cache that shares the most request parts with an explained call.
struct NearestEntry {
    std::string path;  // empty if the cache has no entry of the same kernel, or cannot be read
    // The names of the parts that differ ("options"), or "producer" if only the compiler does.
    std::vector<std::string> differs;
};

// Returns the nearest entry for a call that missed the cache; nothing for one that hit it. If several entries are equally
// near, the first by path is returned. Reads the whole cache, which takes about 10 us an entry. Any thread may call it.
KGEN_EXPORT NearestEntry nearest_entry(const Explanation& explanation) noexcept;

}  // namespace kgen

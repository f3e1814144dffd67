// SPDX-License-Identifier: MIT
//
// CountingCompiler: makes images that look like host objects, and counts them. Shared: memory
// for counters that forked processes share.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <kgen/error.hpp>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "device/compiler.hpp"
#include "image/find_or_compile.hpp"

namespace kgen::test {

// A value in memory that this process and its forked children share. Value must not contain pointers.
template <typename Value>
class Shared {
public:
    Shared()
        : memory_(::mmap(
              nullptr, sizeof(Value), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
        if (memory_ == MAP_FAILED) throw std::runtime_error("mmap failed");
        value_ = ::new (memory_) Value();
    }
    ~Shared() { ::munmap(memory_, sizeof(Value)); }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;
    Value& operator*() const noexcept { return *value_; }
    Value* operator->() const noexcept { return value_; }

private:
    void* memory_;
    Value* value_;
};

// Rejects sources that begin with "bad".
class CountingCompiler : public Compiler {
public:
    const Producer& producer() const override {
        if (absent) throw DeviceError("no compiler");
        return producer_;
    }
    const Producer& linking_producer() const override { return linking_producer_; }
    std::vector<std::string> resolve_options(const CompileJob& job) const override {
        std::vector<std::string> options = job.options;
        options.push_back("-own");
        return options;
    }
    Image compile(const CompileJob& job) const override {
        ++compiles;
        if (during) during(job);
        if (job.source.starts_with("bad"))
            throw CompileError("kernel '" + job.kernel + "': refused", "log", job.source);
        std::vector<std::byte> bytes(100, std::byte{7});
        const unsigned char head[] = {0x7f, 'E', 'L', 'F', 2, 1};
        for (std::size_t k = 0; k < sizeof head; ++k) bytes[k] = std::byte{head[k]};
        return {.target = job.target,
                .symbol = job.symbol,
                .lowered_names = lowered_names,
                .sections = {{ImageKind::host_object, bytes}}};
    }

    Producer producer_{"counting 1", "/counting", "identity"};
    Producer linking_producer_{"counting 1 and linker", "/counting", "identity+linker"};
    std::vector<LoweredName> lowered_names;
    bool absent = false;
    std::function<void(const CompileJob&)> during;  // called in each compile
    mutable std::atomic<int> compiles{0};
};

// A job for CountingCompiler. Each source gives a different request.
inline CompileJob counting_job(const std::string& source) {
    return {.kernel = "k",
            .source = source,
            .symbol = "kgen_kernel_k",
            .options = {"-DA=1"},
            .target = {DeviceKind::host, "x86_64"},
            .accumulator_symbol = "kgen_accumulator_k"};
}

inline FoundImage find_counting(const std::string& source,
                                const CountingCompiler& compiler,
                                cache::Store& store) {
    const CompileJob job = counting_job(source);
    return find_or_compile(job, make_request(job, compiler), compiler, store);
}

}  // namespace kgen::test

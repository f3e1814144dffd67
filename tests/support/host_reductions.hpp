// SPDX-License-Identifier: MIT
//
// Compiles reductions for the host and calls their entry points directly, with any division of
// the work into ranges and any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <kgen/kgen.hpp>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "host/compile/host_compiler.hpp"
#include "host/compile/host_target.hpp"
#include "host/kernel/shared_object.hpp"
#include "host/run/host_calls.hpp"
#include "image/find_or_compile.hpp"
#include "image/process_store.hpp"
#include "plan/plan.hpp"
#include "source/source.hpp"
#include "support/catch.hpp"
#include "support/scoped_variable.hpp"
#include "types/accumulator.hpp"

namespace kgen::test {

// An operand in memory that the test owns. Outputs have extent 1 along reduced axes.
struct HostOperand {
    DType dtype = DType::float32;
    void* data = nullptr;
    Dims shape = {};
    Dims strides = {};  // bytes
    OperandKind kind = OperandKind::array;
    double number = 0;  // value of a scalar, which is a float64
};

template <typename T>
HostOperand dense_operand(std::vector<T>& values, const Dims& shape) {
    return {dtype_of<T>(), values.data(), shape, c_strides(shape, sizeof(T))};
}

enum class HostCxx : std::uint8_t { gnu, clang };

// clang++ is not installed on every machine.
inline bool has_clang() {
    static const bool found = std::system("command -v clang++ >/dev/null 2>&1") == 0;
    return found;
}

struct DivisionThrown {
    long long left;
};

// How the work is divided: ranges of `step` elements, of which the first has `first`, run by
// `threads` threads.
struct Cut {
    int threads = 1;
    std::int64_t step = 0;  // 0: one range
    std::int64_t first = 0;
};

class PlannedReduction {
public:
    PlannedReduction(const Definition& definition,
                     std::vector<HostOperand> arrays,
                     const Dims& loop,
                     AxisSet axes,
                     HostCxx cxx = HostCxx::gnu)
        : signature_(parse_signature(definition)) {
        std::vector<ArgumentType> types;
        for (std::size_t k = 0; k < arrays.size(); ++k) {
            const HostOperand& array = arrays[k];
            Operand operand{.kind = array.kind,
                            .dtype = array.dtype,
                            .written = signature_.parameters[k].written,
                            .shape = array.shape,
                            .strides = array.strides,
                            .address = reinterpret_cast<std::uintptr_t>(array.data)};
            std::memcpy(operand.scalar.data(), &array.number, sizeof array.number);
            operands_.push_back(operand);
            types.push_back({array.kind == OperandKind::scalar ? ArgumentType::Kind::scalar
                                                               : ArgumentType::Kind::array,
                             array.dtype});
        }
        types_ = resolve_types(signature_, types);
        const PlanRequest request{.signature = signature_,
                                  .types = types_,
                                  .operands = operands_,
                                  .loop = loop,
                                  .reduced_axes = axes,
                                  .target = host_target()};
        plan_ = make_plan(request);
        lines_ = explain_plan(request, plan_);
        source_ = generate_source(signature_, types_, plan_.baked);
        compiled_ = compiled(source_, definition.options, cxx);
    }

    const Plan& plan() const { return plan_; }
    const Source& source() const { return source_; }
    const std::vector<std::string>& lines() const { return lines_; }

    std::size_t accumulator_size() const {
        if (compiled_.accumulator_bytes > 0) return compiled_.accumulator_bytes;
        return accumulator_bytes(signature_, types_);
    }

    void run(const Cut& cut = {}) {
        const Runtime& runtime = plan_.runtime;
        if (runtime.count == 0) return;
        if (runtime.scratch.accumulators > 0) {
            // The partials are filled with garbage, so reading one that was not written shows.
            const auto bytes =
                static_cast<std::size_t>(runtime.scratch.accumulators) * accumulator_size();
            partials_.assign(bytes / 64 + 2, {});
            for (auto& line : partials_)
                std::fill(std::begin(line.bytes), std::end(line.bytes), 0xff);
            counters_.resize(static_cast<std::size_t>(runtime.scratch.counters), 0);
            const auto& dtypes = types_.dtypes;
            for (const BlockField& field : lay_out_block(plan_.baked, dtypes).fields) {
                if (field.kind != FieldKind::scratch) continue;
                void* pointers[] = {counters_.data(), partials_.data()};
                std::memcpy(plan_.runtime.block.data() + field.offset, pointers, sizeof pointers);
            }
        }
        const std::int64_t step = cut.step > 0 ? cut.step : runtime.work;
        const std::int64_t first = cut.first > 0 ? cut.first : step;
        std::atomic<std::int64_t> next{0};
        const auto work = [&] {
            for (std::int64_t k; (k = next++) * step - step + first < runtime.work;) {
                const std::int64_t begin = k == 0 ? 0 : (k - 1) * step + first;
                call(begin, std::min(k * step + first, runtime.work));
            }
        };
        std::vector<std::thread> threads;
        for (int k = 1; k < cut.threads; ++k) threads.emplace_back(work);
        work();
        for (std::thread& thread : threads) thread.join();
    }

    void call(std::int64_t begin, std::int64_t end) const {
        static constexpr HostCalls calls = {
            [](const char*, unsigned, unsigned, bool, unsigned long long left, unsigned long long) {
                throw DivisionThrown{static_cast<long long>(left)};
            }};
        compiled_.entry(plan_.runtime.block.data(), &calls, begin, end);
    }

    bool counters_are_zero() const {
        return std::all_of(
            counters_.begin(), counters_.end(), [](std::uint32_t count) { return count == 0; });
    }

private:
    struct Compiled {
        HostEntry entry = nullptr;
        std::size_t accumulator_bytes = 0;
    };

    static Compiled compiled(const Source& source,
                             const std::vector<std::string>& options,
                             HostCxx cxx) {
        static std::map<std::pair<std::string, HostCxx>, Compiled> known;
        const auto found = known.find({source.text, cxx});
        if (found != known.end() && options.empty()) return found->second;
        const ScopedVariable variable("KGEN_HOST_CXX", cxx == HostCxx::gnu ? "g++" : "clang++");
        const CompileJob job{.kernel = "reduction",
                             .source = source.text,
                             .symbol = source.symbol,
                             .options = options,
                             .target = host_target(),
                             .accumulator_symbol = source.accumulator_symbol};
        const HostCompiler compiler;
        // The sanitizers' run finds on disk what the tests before it have compiled.
        const Image image =
            find_or_compile(job, make_request(job, compiler), compiler, process_store()).image;
        const std::vector<std::byte>& bytes = image.find(ImageKind::host_object)->bytes;
        // The library stays loaded because its entry point is kept.
        static std::vector<std::unique_ptr<const SharedObject>> loaded;
        loaded.push_back(std::make_unique<const SharedObject>(bytes, "reduction"));
        const SharedObject& object = *loaded.back();
        Compiled made{reinterpret_cast<HostEntry>(object.find(source.symbol))};
        if (!source.accumulator_symbol.empty())
            made.accumulator_bytes =
                *static_cast<const unsigned long long*>(object.find(source.accumulator_symbol));
        known[{source.text, cxx}] = made;
        return made;
    }

    struct alignas(64) Line {
        unsigned char bytes[64];
    };

    Signature signature_;
    TypeBinding types_;
    std::vector<Operand> operands_;
    Plan plan_;
    std::vector<std::string> lines_;
    Source source_;
    Compiled compiled_;
    std::vector<Line> partials_;
    std::vector<std::uint32_t> counters_;
};

}  // namespace kgen::test

// SPDX-License-Identifier: MIT
//
// Runs the source that is generated for a GPU on the CPU, as a raw kernel. The host device
// emulates its thread blocks, warps and shared memory. This checks the arithmetic without a
// GPU. It also checks the accesses: each must lie within an array and be aligned, because the
// host's compiler assumes alignment as a GPU does. The sanitizers report violations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <kgen/kgen.hpp>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "source/source.hpp"
#include "support/exact_memory.hpp"
#include "support/reduction_trial.hpp"
#include "support/trial.hpp"
#include "types/accumulator.hpp"

namespace kgen::test {

inline std::string with_all_replaced(std::string text, std::string_view what, std::string_view by) {
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

// Renames kgen's own names, because raw kernels may not use them, and passes the parameter
// block by its address.
inline std::string emulated_text(const std::string& text) {
    std::string own = with_all_replaced(text, "kgen_", "emulated_");
    own =
        with_all_replaced(own,
                          "(const __grid_constant__ emulated_parameters emulated_p) {",
                          "(const emulated_parameters* emulated_block_of_parameters) {\n"
                          "const emulated_parameters& emulated_p = *emulated_block_of_parameters;");
    return own;
}

// Returns the text of a kernel whose launch is cooperative: each block is a launch of its own, which gets its number.
inline std::string emulated_block_text(const std::string& text) {
    std::string own =
        with_all_replaced(emulated_text(text), "return blockIdx.x;", "return emulated_number;");
    own = with_all_replaced(own,
                            "(const emulated_parameters* emulated_block_of_parameters) {",
                            "(const emulated_parameters* emulated_block_of_parameters, "
                            "unsigned emulated_given) {\nemulated_number = emulated_given;");
    return "__shared__ unsigned emulated_number;\n" + own;
}

// Compiles a text once in a process, because trials run it in several places and the disk cache takes no text with assembly.
// Kernels that run once need little optimisation. -fexpensive-optimizations is what fuses multiplications and additions.
inline const RawKernel& emulated_kernel(const std::string& text, const std::string& symbol) {
    static auto* const kernels = new std::map<std::string, RawKernel>;
    constexpr const char* options = "#pragma GCC optimize(\"O1,expensive-optimizations\")\n";
    return kernels->try_emplace(text, options + text, symbol).first->second;
}

// Runs a plan for a GPU. The addresses of its operands are of this process.
inline void run_emulated(const Planned& planned) {
    const Plan& plan = planned.plan;
    if (plan.runtime.count == 0) return;
    const Source source = generate_source(planned.signature, planned.types, plan.baked);
    const RawKernel& kernel = emulated_kernel(
        plan.runtime.cooperative ? emulated_block_text(source.text) : emulated_text(source.text),
        with_all_replaced(source.symbol, "kgen_", "emulated_"));
    Block block = plan.runtime.block;
    // Counters are zero before and after a launch. Only the kernel knows the size of accumulators
    // whose type the user defines.
    constexpr std::size_t most_accumulator_bytes = 128;
    std::size_t bytes =
        planned.signature.reduction ? accumulator_bytes(planned.signature, planned.types) : 0;
    if (bytes == 0) bytes = most_accumulator_bytes;
    const ScratchNeed& need = plan.runtime.scratch;
    const std::int64_t handed = need.handed * handed_words(static_cast<std::int64_t>(bytes));
    std::vector<std::uint64_t> counters(static_cast<std::size_t>(need.counters + handed + 1) / 2,
                                        0);
    const std::shared_ptr<std::byte> partials =
        exact_host_memory(static_cast<std::size_t>(need.accumulators) * bytes, Edge::end);
    for (const BlockField& field : lay_out_block(plan.baked, planned.types.dtypes).fields) {
        if (field.kind != FieldKind::scratch) continue;
        const void* const places[] = {counters.data(), partials.get()};
        std::memcpy(block.data() + field.offset, places, sizeof places);
    }
    const void* const address = block.data();
    const LaunchConfig config{.grid = {plan.runtime.cooperative ? 1 : plan.runtime.grid},
                              .block = {plan.runtime.threads},
                              .shared_bytes = plan.runtime.shared_bytes,
                              .stream = Stream::legacy(Device::host())};
    if (plan.runtime.cooperative) {
        // The blocks wait for each other, so each has a CPU thread.
        std::vector<std::thread> blocks;
        for (unsigned number = 0; number < plan.runtime.grid; ++number)
            blocks.emplace_back([&, number] { kernel.launch(config, address, number); });
        for (std::thread& each : blocks) each.join();
    } else {
        kernel.launch(config, address);
    }
    synchronize(Device::host());
    for (const std::uint64_t counter : counters) CHECK(counter == 0);
}

inline Places places_of(const std::vector<Array>& inputs, const std::vector<Array>& outputs) {
    Places places;
    for (const std::vector<Array>& list : {inputs, outputs}) {
        for (const Array& array : list)
            places.addresses.push_back(reinterpret_cast<std::uintptr_t>(array.data()));
    }
    return places;
}

// Limits of a very small GPU. A few elements fill it and are cut into pieces.
inline Limits small_limits() {
    return {.processor_count = 2,
            .max_threads_per_block = 1024,
            .max_grid_x = std::numeric_limits<std::int32_t>::max()};
}

// Runs the trial and returns its baked plan. If `exact` is given, the arrays end or begin at an
// inaccessible page.
template <typename AnyTrial>
Baked check_emulated(const AnyTrial& trial,
                     Fit fit = Fit::call,
                     std::optional<Edge> exact = {},
                     Limits limits = small_limits()) {
    Baked baked;
    const RunTrial run = [&](const auto& inputs, const auto& outputs) {
        const Planned planned = plan_of(trial, places_of(inputs, outputs), limits, fit);
        baked = planned.plan.baked;
        run_emulated(planned);
    };
    check_trial(Device::host(), trial, exact ? in_exact_memory(*exact, run) : run);
    return baked;
}

// Returns an array as an operand of a plan.
inline Operand operand_of(const Array& array, bool written) {
    return {.dtype = array.dtype(),
            .written = written,
            .shape = array.shape(),
            .strides = array.strides(),
            .address = reinterpret_cast<std::uintptr_t>(array.data())};
}

}  // namespace kgen::test

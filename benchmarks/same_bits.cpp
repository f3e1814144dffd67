// SPDX-License-Identifier: MIT
#include "benchmarks/same_bits.hpp"

#include <algorithm>

#include "benchmarks/prepared_case.hpp"

namespace kgen::bench {

namespace {

constexpr int run_count = 100;

constexpr std::string_view names[] = {
    "red_full_f32_2^28",
    "red_compensated_f32_2^28",
    "argmax_full_f32_2^28",
    "red_axis1_16x16777216",
    "red_axis1_4194304x63",
    "var_mean_rows_2^18x1024",
    "red_axis0_262144x1024",
    "red_axis0_67108864x3",
    "red_1024x1024x256_ax02",
    "red_permuted5d_ax13",
    "sumT_axis1_of_transposed_16k",
};

std::vector<std::byte> bytes_of_outputs(const PreparedCase& prepared) {
    for (const OperandMemory& output : prepared.outputs()) output.poison();
    prepared.call();
    std::vector<std::byte> all;
    for (const OperandMemory& output : prepared.outputs()) {
        const std::vector<std::byte> bytes = output.bytes();
        all.insert(all.end(), bytes.begin(), bytes.end());
    }
    return all;
}

SameBits run_often(const Case& row, Scale scale) {
    SameBits result{.name = row.name};
    try {
        const PreparedCase prepared(row, scale);
        const std::vector<std::byte> first = bytes_of_outputs(prepared);
        for (result.runs = 1; result.runs < run_count; ++result.runs) {
            if (bytes_of_outputs(prepared) != first) ++result.others;
        }
    } catch (const Error& error) {
        result.problem = error.what();
    }
    return result;
}

}  // namespace

std::vector<SameBits> measure_same_bits(Scale scale) {
    std::vector<SameBits> rows;
    for (const Case& row : all_cases()) {
        if (std::find(std::begin(names), std::end(names), row.name) != std::end(names)) {
            rows.push_back(run_often(row, scale));
        }
    }
    return rows;
}

}  // namespace kgen::bench

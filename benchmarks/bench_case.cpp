// SPDX-License-Identifier: MIT
#include "benchmarks/bench_case.hpp"

#include <iterator>

namespace kgen::bench {

Dims scaled(const Dims& shape, Scale scale) {
    if (scale == Scale::full) return shape;
    // For each rank: the longest extent that is kept, and the range over which longer ones are spread, so
    // that most extents that differ still differ.
    struct Cut {
        std::int64_t longest;
        std::int64_t spread;
    };
    constexpr Cut cuts[] = {{20000, 64}, {96, 31}, {12, 11}, {12, 7}};
    constexpr Cut high_rank = {5, 7};
    const int rank = shape.rank();
    const Cut cut = rank <= 4 ? cuts[std::max(rank, 1) - 1] : high_rank;
    Dims result = shape;
    for (std::int64_t& extent : result) {
        if (extent > cut.longest) extent = cut.longest + extent % cut.spread;
    }
    return result;
}

double Case::tolerance() const {
    return std::visit([](const auto& definition) { return definition.tolerance; }, kernel);
}

const std::vector<Case>& all_cases() {
    static const std::vector<Case> cases = [] {
        std::vector<Case> list;
        for (auto family : {contiguous_cases,
                            broadcast_cases,
                            transposed_cases,
                            view_cases,
                            full_reduction_cases,
                            axis_reduction_cases,
                            copy_cases,
                            joining_cases,
                            noise_cases}) {
            std::vector<Case> more = family();
            std::move(more.begin(), more.end(), std::back_inserter(list));
        }
        return list;
    }();
    return cases;
}

}  // namespace kgen::bench

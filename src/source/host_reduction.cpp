// SPDX-License-Identifier: MIT
#include <embedded/reduced_rows_cpp_in.hpp>

#include "source/reduction_source.hpp"

namespace kgen {

std::string_view fill_host_reduction(const ReductionText& /*text*/, Slots& /*slots*/) {
    return embedded::reduced_rows_cpp_in;
}

}  // namespace kgen

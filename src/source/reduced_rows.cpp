// SPDX-License-Identifier: MIT
#include <embedded/reduced_rows_cu_in.hpp>

#include "source/reduction_source.hpp"

namespace kgen {

std::string_view fill_reduced_rows(const ReductionText& /*text*/, Slots& /*slots*/) {
    return embedded::reduced_rows_cu_in;
}

}  // namespace kgen

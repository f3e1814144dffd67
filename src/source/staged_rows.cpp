// SPDX-License-Identifier: MIT
#include <embedded/staged_rows_cu_in.hpp>

#include "source/reduction_source.hpp"

namespace kgen {

std::string_view fill_staged_rows(const ReductionText& /*text*/, Slots& /*slots*/) {
    return embedded::staged_rows_cu_in;
}

}  // namespace kgen

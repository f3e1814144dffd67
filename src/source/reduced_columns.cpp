// SPDX-License-Identifier: MIT
#include <embedded/reduced_columns_cu_in.hpp>

#include "source/reduction_source.hpp"

namespace kgen {

std::string_view fill_reduced_columns(const ReductionText& /*text*/, Slots& /*slots*/) {
    return embedded::reduced_columns_cu_in;
}

}  // namespace kgen

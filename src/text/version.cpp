// SPDX-License-Identifier: MIT
#include <kgen/system.hpp>

namespace kgen {

std::string version() {
    return KGEN_VERSION;
}

}  // namespace kgen

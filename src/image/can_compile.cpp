// SPDX-License-Identifier: MIT
#include "image/can_compile.hpp"

#include <kgen/error.hpp>

#include "text/environment.hpp"

namespace kgen {

bool can_compile(const Compiler& compiler) {
    if (environment("KGEN_COMPILE") == "never") return false;
    try {
        static_cast<void>(compiler.producer());
        return true;
    } catch (const DeviceError&) {
        return false;
    }
}

}  // namespace kgen

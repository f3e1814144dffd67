// SPDX-License-Identifier: MIT
#include "image/can_compile.hpp"

#include <kgen/error.hpp>

#include "image/compile_settings.hpp"

namespace kgen {

bool can_compile(const Compiler& compiler) {
    if (compile_mode() == CompileMode::never) return false;
    try {
        static_cast<void>(compiler.producer());
        return true;
    } catch (const DeviceError&) {
        return false;
    }
}

}  // namespace kgen

// SPDX-License-Identifier: MIT
//
// stay_loaded: keeps the shared library that contains kgen loaded, even if the program closes it with
// dlclose. This is necessary because objects that kgen makes for a device are never destroyed: worker threads
// wait in its code, streams call it, and ending threads run its thread_local destructors.
#pragma once

#include <dlfcn.h>
#include <link.h>

namespace kgen {

// Does nothing if kgen is linked into the program itself. Costs one look-up in the loader. Never throws.
inline void stay_loaded() noexcept {
    Dl_info info;
    void* found = nullptr;
    const auto* here = reinterpret_cast<const void*>(&stay_loaded);
    if (::dladdr1(here, &info, &found, RTLD_DL_LINKMAP) == 0 || found == nullptr) return;
    // The loader has no name for the program itself, which is never unloaded.
    const char* name = static_cast<const link_map*>(found)->l_name;
    if (name == nullptr || *name == '\0') return;
    // This handle is never closed, so the loader's count never drops to zero.
    static_cast<void>(::dlopen(name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE));
}

}  // namespace kgen

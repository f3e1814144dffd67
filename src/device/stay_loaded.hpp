// SPDX-License-Identifier: MIT
//
// stay_loaded(): keeps the shared object that kgen is a part of in the process, whoever closes it. What kgen
// makes for a device is never destroyed: threads sleep in its code, streams call it, threads that end run it.
#pragma once

#include <dlfcn.h>
#include <link.h>

namespace kgen {

// Nothing to do in a program that kgen is linked into. Costs a look-up; never throws.
inline void stay_loaded() noexcept {
    Dl_info info;
    void* found = nullptr;
    const auto* here = reinterpret_cast<const void*>(&stay_loaded);
    if (::dladdr1(here, &info, &found, RTLD_DL_LINKMAP) == 0 || found == nullptr) return;
    // The program itself has no name, and stays anyway.
    const char* name = static_cast<const link_map*>(found)->l_name;
    if (name == nullptr || *name == '\0') return;
    // The loader counts this handle, which nobody closes.
    static_cast<void>(::dlopen(name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE));
}

}  // namespace kgen

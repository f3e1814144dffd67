// SPDX-License-Identifier: MIT
//
// stay_loaded(): keeps the shared object that kgen is a part of in the process, whoever closes it. What kgen
// makes for a device is never destroyed: threads sleep in its code, streams call it, threads that end run it.
#pragma once

namespace kgen {

// Nothing to do in a program that kgen is linked into. Costs a look-up; never throws.
void stay_loaded() noexcept;

}  // namespace kgen

// SPDX-License-Identifier: MIT
//
// Nothing: the library is there for its kernels.

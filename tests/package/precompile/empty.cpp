// SPDX-License-Identifier: MIT
//
// Intentionally empty: the library only contains kernels.

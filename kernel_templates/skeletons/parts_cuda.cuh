// SPDX-License-Identifier: MIT
// kgen: the value of an array that a part of a call leaves out. The body may read or assign it, but nothing that the part stores depends on it.
// It is a number that the compiler does not know, another one for each array: from a division by a known 0 it would conclude that other values are
// such that the division does not happen.
template <class T> __device__ __forceinline__ T& kgen_unneeded(long long number, T&& value = T()) {
    value = T((float)number);
    return value;
}

// SPDX-License-Identifier: MIT
//
// Types that parameters of raw kernels point to, declared as in CUDA and in a user's namespace; only the names matter.
// They stand in a header because the names are outside of all other namespaces.
#pragma once

struct float2;
struct float3;
struct float4;
struct double2;
struct int2;
struct int3;
struct uchar4;
struct longlong2;
struct ulong4;
struct double4_16a;
struct double4_32a;
struct __half;
struct __half2;
struct __nv_bfloat16;
struct __nv_bfloat162;
struct kgen_float16;
struct kgen_bfloat16;
template <class T>
struct kgen_complex;
namespace thrust {
template <class T>
struct complex;
}
namespace own {
struct float2;
struct Particle;
}  // namespace own

// SPDX-License-Identifier: MIT
//
// What NVRTC accepts in a body the host's compilers accept too, and the other way round.
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/prelude_program.hpp"

namespace {

// Statements over: float x, double d, int i, unsigned u, long long l, unsigned long long ul, float* p.
const char* const accepted = R"body(
size_t a; (void)a;
ptrdiff_t a; (void)a;
float4 a=make_float4(1, 2, 3, 4); (void)a;
float2 a; a.x=1;
int4 a; a.w=1;
double2 a=make_double2(1, 2);(void)a;
uchar4 a=make_uchar4(1, 2, 3, 4);(void)a;
dim3 a; (void)a;
printf("a");
assert(i);
printf("%d", i);
float a=__ldg(p);(void)a;
float4 a=__ldg((const float4*)p);(void)a;
__stcs(p, 1.0f);
float a=__ldcs(p);(void)a;
sqrt(x);
sqrt(d);
sin(x);
sinf(x);
pow(x, 2);
pow(x, 2.0f);
pow(d, i);
abs(x);
abs(i);
abs(l);
fabs(x);
max(i, i);
max(x, x);
max(d, x);
max(u, i);
max(l, ul);
fmax(x, x);
fmaxf(x, x);
erf(x);
erfinv(x);
normcdf(x);
rsqrt(x);
rsqrt(d);
rcbrt(d);
cbrt(x);
hypot(x, x);
rhypot(x, x);
norm3d(d, d, d);
norm3df(x, x, x);
norm4d(d, d, d, d);
float s, c; sincos(x, &s, &c);
float s, c; sincosf(x, &s, &c);
float s, c; sincospi(x, &s, &c);
float s, c; __sincosf(x, &s, &c);
sinpi(x);
cospi(d);
exp10(x);
exp10f(x);
exp2(x);
expm1(x);
log1p(x);
log2(x);
log10(x);
logb(x);
ilogb(x);
lgamma(x);
tgamma(d);
j0(x);
j0(d);
j1f(x);
jn(2, d);
jn(2, x);
y0(x);
y1(d);
yn(1, d);
cyl_bessel_i0(x);
cyl_bessel_i1f(x);
erfc(x);
erfcx(x);
erfcinv(x);
normcdfinv(x);
__expf(x);
__exp10f(x);
__sinf(x);
__cosf(x);
__tanf(x);
__logf(x);
__log2f(x);
__log10f(x);
__powf(x, x);
__fdividef(x, x);
fdividef(x, x);
fdivide(d, d);
__fmul_rn(x, x);
__fadd_rz(x, x);
__fsub_ru(x, x);
__fmaf_rn(x, x, x);
__fdiv_rn(x, x);
__frcp_rn(x);
__fsqrt_rn(x);
__frsqrt_rn(x);
__dadd_rn(d, d);
__dmul_rn(d, d);
__dsub_rn(d, d);
__fma_rn(d, d, d);
__ddiv_rn(d, d);
__drcp_rn(d);
__dsqrt_rn(d);
__popc(u);
__popcll(ul);
__clz(i);
__clzll(l);
__ffs(i);
__ffsll(l);
__brev(u);
__brevll(ul);
__mul24(i, i);
__umul24(u, u);
__mulhi(i, i);
__umulhi(u, u);
__mul64hi(l, l);
__umul64hi(ul, ul);
__hadd(i, i);
__rhadd(i, i);
__uhadd(u, u);
__urhadd(u, u);
__sad(i, i, u);
__usad(u, u, u);
__byte_perm(u, u, u);
__funnelshift_l(u, u, u);
__funnelshift_r(u, u, u);
__funnelshift_lc(u, u, u);
__float2int_rn(x);
__float2int_rz(x);
__float2uint_rn(x);
__float2ll_rn(x);
__double2int_rn(d);
__double2ll_rz(d);
__double2float_rn(d);
__double2hiint(d);
__double2loint(d);
__hiloint2double(i, i);
__int2float_rn(i);
__uint2float_rn(u);
__ll2float_rn(l);
__int2double_rn(i);
__ll2double_rn(l);
__float_as_int(x);
__int_as_float(i);
__float_as_uint(x);
__uint_as_float(u);
__double_as_longlong(d);
__longlong_as_double(l);
fma(x, x, x);
fma(d, d, d);
fmaf(x, x, x);
fmod(x, x);
fmod(d, i);
fmodf(x, x);
remainder(x, x);
remquo(x, x, &i);
modf(x, p);
modff(x, p);
frexp(x, &i);
ldexp(x, i);
scalbn(x, i);
scalbln(x, 1L);
nextafter(x, x);
copysign(x, x);
copysignf(x, x);
floor(x);
ceil(x);
trunc(x);
round(x);
rint(x);
nearbyint(x);
lrint(x);
llrint(d);
lround(x);
llround(d);
isnan(x);
isnan(d);
isinf(x);
isfinite(x);
signbit(x);
fdim(x, x);
atan2(x, x);
atan2(d, i);
acos(x);
asin(d);
atan(x);
cosh(x);
sinh(x);
tanh(x);
acosh(x);
asinh(x);
atanh(x);
tan(x);
cos(d);
exp(x);
log(x);
nan("");
nanf("");
llabs(l);
labs(1L);
fminf(x, x);
umin(u, u);
umax(u, u);
llmax(l, l);
ullmin(ul, ul);
rnorm3df(x, x, x);
::sqrt(x);
::max(i, i);
uint32_t a;(void)a;
int64_t a;(void)a;
uint8_t a;(void)a;
uintptr_t a;(void)a;
intptr_t a; (void)a;
double a=M_PI;(void)a;
float a=FLT_MAX;(void)a;
double a=CUDART_PI;(void)a;
float a=CUDART_INF_F;(void)a;
void*a=NULL;(void)a;
long double ld; (void)ld;
atomicAdd(p, x);
atomicAdd(&d, d);
atomicAdd(&i, i);
atomicAdd(&u, u);
atomicAdd(&ul, ul);
atomicAdd(&l, l);
atomicSub(&i, i);
atomicMax(&i, i);
atomicMax(&u, u);
atomicMax(&l, l);
atomicMax(&ul, ul);
atomicMin(&l, l);
atomicMax(p, x);
atomicMax(&d, d);
atomicExch(p, x);
atomicExch(&ul, ul);
atomicExch(&l, l);
atomicExch(&d, d);
atomicCAS(&i, i, i);
atomicCAS(&u, u, u);
atomicCAS(&ul, ul, ul);
atomicCAS(&l, l, l);
unsigned short s=0; atomicCAS(&s, s, s);
atomicInc(&u, u);
atomicDec(&u, u);
atomicAnd(&i, i);
atomicAnd(&ul, ul);
atomicAnd(&l, l);
atomicOr(&u, u);
atomicXor(&ul, ul);
atomicAdd_block(&i, i);
atomicAdd_system(p, x);
__threadfence();
clock();
clock64();
__nanosleep(10);
__builtin_assume(i>0);
__builtin_expect(i, 0);
__dp4a(i, i, i);
memcpy(p, p, 4);
memset(p, 0, 4);
malloc(4);
free(p);
clock_t a=clock(); (void)a;
__saturatef(x);
std::move(x);
for (auto v : {1, 2, 3}) (void)v;
new (&x) float;
__trap();
__fadd_ru(x, x);
__fmul_rd(x, x);
__fdiv_rz(x, x);
__frcp_ru(x);
__fsqrt_rd(x);
__dadd_ru(d, d);
__ddiv_rd(d, d);
__dsqrt_rz(d);
__drcp_ru(d);
__fmaf_rz(x, x, x);
__tanhf(x);
__float2int_ru(x);
__float2uint_rd(x);
__float2ull_rz(x);
__double2uint_rn(d);
__double2ull_ru(d);
__double2float_rz(d);
__uint2double_rn(u);
__ull2double_rn(ul);
__ull2float_rn(ul);
__int2float_rz(i);
llmin(l, l);
ullmax(ul, ul);
max(1L, 2L);
max(1UL, 2L);
min(ul, l);
max(x, d);
min(d, x);
abs(1L);
norm(2, &d);
rnorm(2, &d);
normf(2, p);
rnorm4d(d, d, d, d);
norm3d(x, x, x);
rnorm3d(d, d, d);
rhypot(d, d);
j0f(x);
erfinvf(x);
normcdfinvf(x);
erfcxf(x);
cyl_bessel_i0f(x);
cyl_bessel_i1(d);
sincospi(d, &d, &d);
sincospif(x, p, p);
rsqrtf(x);
rcbrtf(x);
exp10(d);
pow(x, i);
powf(x, x);
pow(d, 2);
ldexpf(x, i);
frexpf(x, &i);
lrintf(x);
__ldcg(p);
__ldca(p);
__ldlu(p);
__ldcv(p);
__stwb(p, x);
__stcg(p, x);
__stwt(p, x);
dim3 g(2, 3); (void)g.z;
double4 a=make_double4(1, 2, 3, 4); (void)a;
short2 a=make_short2(1, 2); (void)a;
ulonglong2 a=make_ulonglong2(1, 2); (void)a;
uint3 a=make_uint3(1, 2, 3); (void)a;
char4 a=make_char4(1, 2, 3, 4); (void)a;
long2 a=make_long2(1, 2); (void)a;
float a=FLT_MAX*FLT_EPSILON+FLT_MIN; (void)a;
double a=DBL_MAX*DBL_EPSILON+DBL_MIN+M_E+M_SQRT2; (void)a;
double a=CUDART_NAN+CUDART_INF+CUDART_LN2_HI+CUDART_MIN_DENORM; (void)a;
float a=CUDART_NAN_F+CUDART_SQRT_TWO_F+CUDART_MAX_NORMAL_F; (void)a;
atomicMin(&d, d);
atomicSub(&l, l);
atomicMax(p, 1);
__threadfence_block();
__threadfence_system();
float16 a=x; atomicAdd(&a, a); (void)a;
bfloat16 a=x; atomicMax(&a, a); (void)a;
complex<float> a=x; (void)a;
thrust::complex<double> a(1, 2); (void)a;
__dp4a(u, u, u);
__funnelshift_rc(u, u, u);
__builtin_unreachable();
__builtin_isnan(x);
__popc(i);
uintptr_t a=(uintptr_t)p; (void)a;
static_assert(sizeof(int64_t)==8,"");
struct __align__(8) A { float a, b; }; (void)sizeof(A);
isnan(x) && isinf(d);
bool b=isnan(x); (void)b;
assert(x>0 && i!=2);
)body";

// Ambiguous among CUDA's overloads, or not defined without an #include.
const char* const refused = R"body(
sqrt(i);
pow(i, i);
max(x, i);
max(i, l);
isnan(i);
exp(i);
int a = INT_MAX; (void)a;
float a = INFINITY; (void)a;
std::sqrt(x);
std::max(x, x);
__half a; (void)a;
mulhi(i, i);
unknown_function(x);
)body";

std::vector<std::string> statements(const std::string& text) {
    std::vector<std::string> lines;
    std::stringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        if (!line.empty()) lines.push_back(line);
    }
    return lines;
}

std::string function(const std::string& statement, std::size_t number) {
    return "__device__ void probe" + std::to_string(number) +
           "(float x, double d, int i, unsigned u, long long l, unsigned long long ul, float* p) "
           "{ " +
           statement + " }\n";
}

std::string program(const std::vector<std::string>& lines) {
    std::string text;
    for (std::size_t n = 0; n < lines.size(); ++n) text += function(lines[n], n);
    return text;
}

}  // namespace

TEST_CASE("every name that CUDA has built in compiles on each device", "[prelude]") {
    const std::string text = program(statements(accepted));
    if (const prelude::Nvrtc nvrtc; nvrtc) {
        for (const char* target : {"sm_75", "sm_90", "compute_90"}) {
            INFO(target);
            CHECK(nvrtc.refusal(prelude::all_cuda() + text, target) == "");
        }
    }
    for (const std::string& compiler : prelude::host_compilers()) {
        INFO(compiler);
        CHECK(prelude::HostProgram(compiler, prelude::all_host() + text).refusal() == "");
    }
}

TEST_CASE("what one device refuses the other does too", "[prelude]") {
    const prelude::Nvrtc nvrtc;
    for (const std::string& statement : statements(refused)) {
        INFO(statement);
        if (nvrtc)
            CHECK(nvrtc.refusal(prelude::all_cuda() + function(statement, 0), "sm_90") != "");
        for (const std::string& compiler : prelude::host_compilers()) {
            INFO(compiler);
            const prelude::HostProgram refused_program(
                compiler, prelude::all_host() + function(statement, 0));
            CHECK(refused_program.refusal() != "");
        }
    }
}

TEST_CASE("the prelude takes no name from the user but those of CUDA and CuPy", "[prelude]") {
    // A body or preamble may call its own things like this.
    const std::string text = R"(
        struct indexer {}; struct view {}; struct pair {}; template <class T> struct limits {};
        template <class T> __device__ T square(T x) { return x * x; }
        __device__ int add(int a, int b) { return a + b; }
        __device__ float sub, mul, size, index, value, kind, mixed, narrow, wide, data, shape, stride;
        #define T 1
        #define N 2
        #define i 3
        #define half 4
        #define INFINITY 5
        #define NAN 6
        #define INT_MAX 7
    )";
    if (const prelude::Nvrtc nvrtc; nvrtc) {
        CHECK(nvrtc.refusal(prelude::all_cuda() + text, "sm_90") == "");
    }
    for (const std::string& compiler : prelude::host_compilers()) {
        CHECK(prelude::HostProgram(compiler, prelude::all_host() + text).refusal() == "");
    }
}

TEST_CASE("each section compiles with only the sections that it needs", "[prelude]") {
    struct Row {
        std::vector<std::string_view> names;
        bool host;
    };
    const auto text = [](const std::vector<std::string_view>& names) {
        std::string joined;
        for (const std::string_view name : names) joined += prelude::sections({name});
        return joined;
    };
    const Row rows[] = {
        {{"base_cuda"}, false},
        {{"base_cuda", "math_constants"}, false},
        {{"base_cuda", "float16", "narrow_float", "atomics_cuda"}, false},
        {{"base_cuda", "bfloat16", "narrow_float"}, false},
        {{"base_cuda", "complex"}, false},
        {{"base_cuda", "complex", "complex_functions"}, false},
        {{"base_cuda", "atomics_cuda"}, false},
        {{"base_cuda", "raw_view"}, false},
        {{"base_host"}, true},
        {{"base_host", "math_constants"}, true},
        {{"base_host", "raw_view"}, true},
        {{"base_host", "vector_types_host"}, true},
        {{"base_host", "math_host", "special_host"}, true},
        {{"base_host", "math_host", "intrinsics_host"}, true},
        {{"base_host", "math_host", "float16", "narrow_float", "atomics_host"}, true},
        {{"base_host", "math_host", "bfloat16", "narrow_float", "complex"}, true},
        {{"base_host", "math_host", "complex", "complex_functions"}, true},
        {{"base_host", "math_host", "atomics_host"}, true},
    };
    const prelude::Nvrtc nvrtc;
    for (const Row& row : rows) {
        INFO(row.names.back());
        if (row.host) {
            for (const std::string& compiler : prelude::host_compilers()) {
                INFO(compiler);
                CHECK(prelude::HostProgram(compiler, text(row.names)).refusal() == "");
            }
        } else if (nvrtc) {
            CHECK(nvrtc.refusal(text(row.names), "sm_90") == "");
            CHECK(nvrtc.refusal(text(row.names), "sm_75") == "");
        }
    }
}

// SPDX-License-Identifier: MIT
//
// Other libraries on kgen's arrays. kgen has no linear algebra and no Fourier transforms, so this program calls
// cuBLAS and cuFFT for arrays on a GPU, and a BLAS and FFTW for arrays on the host. They need the address, the
// shape and the strides of an array, and on a GPU the stream: work in one stream runs in order, so no call has
// to wait for another.
#include <cblas.h>
#include <fftw3.h>
#include <fmt/format.h>

#include <kgen/kgen.hpp>
#include <numbers>
#include <stdexcept>
#ifdef HAS_CUDA_LIBRARIES
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cufft.h>
#endif

using namespace kgen;
using namespace kgen::indexing;

namespace {

// A float32 array as a BLAS sees it. A BLAS expects dense columns that are `stride` elements apart, so an array
// with dense rows is to it the transpose of that array.
struct Matrix {
    explicit Matrix(const Array& array)
        : data(static_cast<float*>(array.data())),
          rows(static_cast<int>(array.shape()[1])),
          columns(static_cast<int>(array.shape()[0])) {
        constexpr std::int64_t item = sizeof(float);  // strides are in bytes
        is_transposed = array.strides()[1] != item;
        if (is_transposed && array.strides()[0] != item)
            throw std::runtime_error("neither the rows nor the columns are dense: use copy()");
        stride = static_cast<int>(array.strides()[is_transposed ? 1 : 0] / item);
    }
    float* data;
    int rows;
    int columns;
    int stride;
    bool is_transposed;
};

namespace on_host {

void multiply(const Matrix& a, const Matrix& b, const Matrix& c) {
    const CBLAS_TRANSPOSE of_a = a.is_transposed ? CblasTrans : CblasNoTrans;
    const CBLAS_TRANSPOSE of_b = b.is_transposed ? CblasTrans : CblasNoTrans;
    // clang-format off
    cblas_sgemm(CblasColMajor, of_a, of_b, c.rows, c.columns, a.columns,
                1, a.data, a.stride, b.data, b.stride, 0, c.data, c.stride);
    // clang-format on
}

void transform(const Array& x, const Array& y, int sign) {
    fftwf_plan plan = fftwf_plan_dft_1d(static_cast<int>(x.size()),
                                        static_cast<fftwf_complex*>(x.data()),
                                        static_cast<fftwf_complex*>(y.data()),
                                        sign,
                                        FFTW_ESTIMATE);
    fftwf_execute(plan);
    fftwf_destroy_plan(plan);
}

}  // namespace on_host

#ifdef HAS_CUDA_LIBRARIES
namespace on_gpu {

void check(int status) {
    if (status != 0) throw std::runtime_error(fmt::format("a CUDA library returned {}", status));
}

void multiply(const Matrix& a, const Matrix& b, const Matrix& c) {
    const cublasOperation_t of_a = a.is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasOperation_t of_b = b.is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    const float one = 1;
    const float zero = 0;
    cublasHandle_t handle = nullptr;  // a larger program keeps it
    check(cublasCreate(&handle));
    check(cublasSetStream(handle, current_stream().handle()));
    // clang-format off
    check(cublasSgemm(handle, of_a, of_b, c.rows, c.columns, a.columns,
                      &one, a.data, a.stride, b.data, b.stride, &zero, c.data, c.stride));
    // clang-format on
    check(cublasDestroy(handle));
}

void transform(const Array& x, const Array& y, int sign) {
    cufftHandle plan = 0;
    check(cufftPlan1d(&plan, static_cast<int>(x.size()), CUFFT_C2C, 1));
    check(cufftSetStream(plan, current_stream().handle()));
    check(cufftExecC2C(
        plan, static_cast<cufftComplex*>(x.data()), static_cast<cufftComplex*>(y.data()), sign));
    check(cufftDestroy(plan));
}

}  // namespace on_gpu
#else
namespace on_gpu = on_host;  // all arrays are on the host, see main()
#endif

bool is_on_gpu(const Array& x) {
    return x.device().kind() == DeviceKind::cuda;
}

Array matmul(const Array& a, const Array& b) {
    const Array c = empty({a.shape()[0], b.shape()[1]}, float32);
    // A BLAS sees transposes, and the transpose of a product has its factors in reverse order.
    (is_on_gpu(a) ? on_gpu::multiply : on_host::multiply)(Matrix(b), Matrix(a), Matrix(c));
    return c;
}

// The discrete Fourier transform; sign is -1, or 1 for the inverse, which all these libraries leave unscaled.
Array fourier(const Array& x, int sign) {
    const Array y = empty_like(x);
    (is_on_gpu(x) ? on_gpu::transform : on_host::transform)(x, y, sign);
    return y;
}

}  // namespace

int main() {
#ifdef HAS_CUDA_LIBRARIES
    if (current_device().kind() == DeviceKind::cuda)
        on_gpu::check(cudaSetDevice(current_device().ordinal()));
#else
    const DeviceScope on_the_host(Device::host());
#endif

    // The transpose is a view, which the libraries read as it is.
    const Array a = arange(6, float32).reshape(2, 3);
    fmt::print("{}\n", matmul(a, a.transpose()));
    // The same by broadcasting: good enough for small matrices, but a library is faster for large ones.
    fmt::print("{}\n", sum(a[{all, newaxis}] * a, axis(2)));

    // A slow wave and a fast one. The transform tells how strong each frequency is.
    constexpr int n = 240;
    const Array angle = 2 * std::numbers::pi / n * arange(n, float32);
    const Array slow = 3 * sin(2 * angle);
    const Array signal = slow + cos(50 * angle);
    const Array spectrum = fourier(signal.astype(complex64), -1);
    const Array strength = 2 * abs(spectrum[s(0, n / 2)]) / n;
    fmt::print("waves of frequency {} and {}, together {:.3f} strong\n",
               argmax(strength),
               argmax(strength[s(10, {})]) + 10,
               sum(strength).as<double>());

    // Without the fast frequencies only the slow wave is left.
    spectrum[s(10, -9)] = 0;
    const Array smooth = fourier(spectrum, 1).real() / n;
    fmt::print("the slow wave is left: {}\n", allclose(smooth, slow, {.atol = 1e-5}));
}

// Output:
// [[ 5. 14.]
//  [14. 50.]]
// [[ 5. 14.]
//  [14. 50.]]
// waves of frequency 2 and 50, together 4.000 strong
// the slow wave is left: true

// SPDX-License-Identifier: MIT
//
// Textures and surfaces: invalid uses on any device, the driver calls on the fake driver, and
// the values that a GPU reads.
#include <cmath>
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"

#ifdef KGEN_FAKE_CUDA
#include <cuda.h>

#include "support/fake_cuda.hpp"
#include "support/fresh_driver.hpp"
#endif

using namespace kgen;

namespace {

template <typename Error, typename Call>
std::string message_of(Call call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing was thrown";
}

}  // namespace

TEST_CASE("the host has no textures and says so", "[texture]") {
    const DeviceScope host(Device::host());
    const Array image = arange(12, float32).reshape({3, 4});
    CHECK(message_of<DeviceError>([&] { Texture::create(image); }) ==
          "texture: host does not support textures: use a GPU (Device::cuda)");
    CHECK(message_of<DeviceError>([&] {
              Surface::create({3, 4}, float32);
          }) == "texture: host does not support textures: use a GPU (Device::cuda)");
    CHECK(message_of<ShapeError>([&] { Texture::create(Array()); }) ==
          "texture: the array is empty (has_value() is false)");
}

#ifdef KGEN_FAKE_CUDA
TEST_CASE("textures are what their options say and go with their last handle", "[texture][cuda]") {
    if (!in_new_process()) return;
    const Driver driver;
    const FakeCudaRecord& record = driver.fake.record();
    const Array image = zeros({2, 3, 5}, float32);
    {
        const Texture texture = Texture::create(image,
                                                {.address = TextureAddress::wrap,
                                                 .filter = TextureFilter::linear,
                                                 .coordinates = TextureCoordinates::normalized,
                                                 .border = {0, 0, 0, 0.5F}});
        CHECK(record.texture_address == CU_TR_ADDRESS_MODE_WRAP);
        CHECK(record.texture_filter == CU_TR_FILTER_MODE_LINEAR);
        CHECK(record.texture_flags == (CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES));
        CHECK(record.texture_border == 0.5F);
        const Texture copy = texture;
        CHECK(copy.handle() == texture.handle());
        texture.update(full({2, 3, 5}, 2.0, float32));
        CHECK(driver.fake.calls("cuMemcpy3DAsync") == 2);
        CHECK(driver.fake.calls("cuTexObjectDestroy") == 0);
        copy.record_use(current_stream());
    }
    CHECK(driver.fake.calls("cuTexObjectDestroy") == 1);
    CHECK(driver.fake.calls("cuArrayDestroy") == 1);
    CHECK(driver.fake.calls("cuEventSynchronize") == 1);
    CHECK(driver.fake.calls("cuCtxSynchronize") == 0);
    {
        const Texture texture = Texture::create(image);
        const Argument number = texture;
        CHECK(number.scalar()->unsigned_value() == texture.handle());
        texture.record_unknown_use();
    }
    CHECK(driver.fake.calls("cuCtxSynchronize") == 1);
    const Surface surface =
        Surface::from_array(from_vector<std::uint8_t>({1, 2, 3, 4, 5, 6, 7, 8}, {2, 4}), 4);
    CHECK(surface.to_array().to_vector<std::uint8_t>() ==
          std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8});
    CHECK(surface.to_array().shape() == Dims{2, 4});
    report("ok");
}

TEST_CASE("what no texture can be is refused", "[texture][cuda]") {
    if (!in_new_process()) return;
    const Driver driver;
    const auto create = [](const Array& image, const TextureOptions& options = {}) {
        return [=] { Texture::create(image, options); };
    };
    CHECK(message_of<TypeError>(create(zeros({4}, float64))) ==
          "texture: textures do not support float64: expected int8, int16, int32, uint8, uint16, "
          "uint32, float16 or float32");
    CHECK(message_of<ShapeError>(create(zeros({2, 2, 2, 2}, float32))) ==
          "texture: an image has 1 to 3 axes, not 4: the shape is (2, 2, 2, 2)");
    CHECK(message_of<ShapeError>(create(zeros({4}, float32), {.channels = 4})) ==
          "texture: an image has 1 to 3 axes before that of the channels, not 0: the shape is ()");
    CHECK(message_of<ShapeError>(create(zeros({4, 0}, float32))) ==
          "texture: an extent is 0: got shape (4, 0), expected at least 1");
    CHECK(message_of<ShapeError>(create(zeros({4, 3}, float32), {.channels = 3})) ==
          "texture: got 3 channels, expected 1, 2 or 4");
    CHECK(message_of<ShapeError>(create(zeros({4, 3}, float32), {.channels = 2})) ==
          "texture: the last axis holds the channels: got shape (4, 3), expected 2 channels");
    CHECK(message_of<TypeError>(create(zeros({4}, int32), {.filter = TextureFilter::linear})) ==
          "texture: int32 cannot be filtered: use TextureRead::normalized_float, or float16 or "
          "float32");
    CHECK(
        message_of<TypeError>(create(zeros({4}, int32), {.read = TextureRead::normalized_float})) ==
        "texture: int32 cannot be read as a normalized float: expected int8, int16, uint8 or "
        "uint16");
    CHECK(message_of<TypeError>(create(zeros({4}, float32), {.address = TextureAddress::wrap})) ==
          "texture: wrap and mirror need TextureCoordinates::normalized (without it CUDA clamps)");
    CHECK(message_of<DeviceError>(create(zeros({200000}, uint8))) ==
          "cuda:0: an image of width 200000, height 0, depth 0 with 1 channel of uint8: "
          "cuArray3DCreate failed: CUDA_ERROR_INVALID_VALUE (invalid argument)");
    const Texture texture = Texture::create(zeros({4}, float32));
    CHECK(message_of<ShapeError>([&] { texture.update(zeros({5}, float32)); }) ==
          "texture: the new elements are float32 of shape (5,), but the texture was created with "
          "another dtype or shape");
    report("ok");
}
#endif

TEST_CASE("an elementwise kernel reads a texture with the filtering of the GPU", "[texture][gpu]") {
    if (!test::has_gpu()) {
        WARN("SKIPPED: no CUDA device");
        return;
    }
    const DeviceScope gpu(Device::cuda(0));
    const int width = 37;
    const int height = 11;
    std::vector<float> pixels;
    for (int k = 0; k < width * height; ++k) pixels.push_back(static_cast<float>(k * k % 101));
    const Array image = from_vector(pixels, {height, width});
    const Texture smooth = Texture::create(image, {.filter = TextureFilter::linear});
    const ElementwiseKernel sample("U image, float32 x, float32 y",
                                   "float32 z",
                                   "z = tex2D<float>(image, x + 0.5f, y + 0.5f)",
                                   "sample");
    const Array x = arange(0.0, 36.0, 0.25, float32);
    const Array y = arange(0.0, 10.0, 0.25, float32).reshape({-1, 1});
    const std::vector<float> got = sample(smooth, x, y).to_vector<float>();
    std::size_t at = 0;
    for (double v = 0; v < 10; v += 0.25) {
        for (double u = 0; u < 36; u += 0.25, ++at) {
            const auto column = static_cast<std::size_t>(u);
            const auto row = static_cast<std::size_t>(v);
            const double a = u - std::floor(u);
            const double b = v - std::floor(v);
            const auto pixel = [&](std::size_t r, std::size_t c) {
                return static_cast<double>(pixels[r * width + c]);
            };
            const double expected =
                (1 - b) * ((1 - a) * pixel(row, column) + a * pixel(row, column + 1)) +
                b * ((1 - a) * pixel(row + 1, column) + a * pixel(row + 1, column + 1));
            // The filter's 8-bit fraction represents quarters exactly.
            REQUIRE(std::abs(static_cast<double>(got[at]) - expected) < 1e-3);
        }
    }
    CHECK(at == got.size());
}

TEST_CASE("textures address what lies outside as they are told", "[texture][gpu]") {
    if (!test::has_gpu()) {
        WARN("SKIPPED: no CUDA device");
        return;
    }
    const DeviceScope gpu(Device::cuda(0));
    const Array image = from_vector<float>({10, 20, 30, 40});
    const Array x = from_vector<float>({-1.5F, -0.5F, 0.5F, 3.5F, 4.5F, 5.5F});
    const ElementwiseKernel at("U image, float32 x, float32 scale",
                               "float32 z",
                               "z = tex1D<float>(image, x * scale)",
                               "at");
    const auto read = [&](TextureAddress address, TextureCoordinates coordinates, float scale) {
        const Texture texture = Texture::create(
            image, {.address = address, .coordinates = coordinates, .border = {7, 7, 7, 7}});
        return at(texture, x, scale).to_vector<float>();
    };
    CHECK(read(TextureAddress::clamp, TextureCoordinates::element, 1) ==
          std::vector<float>{10, 10, 10, 40, 40, 40});
    CHECK(read(TextureAddress::border, TextureCoordinates::element, 1) ==
          std::vector<float>{7, 7, 10, 40, 7, 7});
    CHECK(read(TextureAddress::wrap, TextureCoordinates::normalized, 0.25F) ==
          std::vector<float>{30, 40, 10, 40, 10, 20});
    CHECK(read(TextureAddress::mirror, TextureCoordinates::normalized, 0.25F) ==
          std::vector<float>{20, 10, 10, 40, 40, 30});
    // 8-bit integers are read as fractions of 255.
    const Texture bytes = Texture::create(from_vector<std::uint8_t>({0, 51, 255}),
                                          {.read = TextureRead::normalized_float});
    CHECK(at(bytes, from_vector<float>({0.5F, 1.5F, 2.5F}), 1).to_vector<float>() ==
          std::vector<float>{0, 0.2F, 1});
}

// SPDX-License-Identifier: MIT
//
// Every exception that leaves a function of the API is a kgen::Error.
#include "text/rethrow.hpp"

#include <filesystem>
#include <functional>
#include <kgen/kgen.hpp>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "support/allocation_count.hpp"
#include "support/catch.hpp"
#include "support/never_compiled.hpp"
#include "support/npy_files.hpp"
#include "support/rounds.hpp"
#include "support/scoped_variable.hpp"

using namespace kgen;

namespace {

template <typename Thrown>
void pass_on(const Thrown& thrown) {
    try {
        throw thrown;
    } catch (...) {
        rethrow_as_error();
    }
}

// Runs the work with each of its allocations failing in turn, until it succeeds. Returns what left it besides
// kgen's errors.
std::string leaks_of(const std::function<void()>& work) {
    std::string leaks;
    int failures = 0;
    constexpr std::int64_t stride = is_sanitized ? 1999 : 97;  // beyond the first 200
    for (std::int64_t others = 0; others < 100'000;
         others = others < 200 ? others + 1 : others + stride) {
        try {
            test::fail_allocation_after(others);
            work();
        } catch (const Error&) {
            ++failures;
        } catch (const std::exception& error) {
            leaks += std::to_string(others) + ": " + error.what() + "\n";
        }
        if (test::fail_allocation_after(-1)) return failures > 0 ? leaks : "nothing failed";
    }
    return leaks + "it never succeeds";
}

}  // namespace

TEST_CASE("exceptions of the C++ library become kgen's") {
    CHECK(KGEN_MESSAGE_OF(DeviceError, pass_on(std::bad_alloc())) == "out of memory");
    CHECK(KGEN_MESSAGE_OF(IoError,
                          pass_on(std::filesystem::filesystem_error(
                              "cannot get the path", "a", std::make_error_code(std::errc(2))))) ==
          "filesystem error: cannot get the path: No such file or directory [a]");
    CHECK(KGEN_MESSAGE_OF(
              DeviceError,
              pass_on(std::system_error(std::make_error_code(std::errc(11)), "thread"))) ==
          "thread: Resource temporarily unavailable");
    CHECK(KGEN_MESSAGE_OF(Error, pass_on(std::logic_error("no loop"))) ==
          "internal error: no loop");
    CHECK(KGEN_MESSAGE_OF(ShapeError, pass_on(ShapeError("as it is"))) == "as it is");
    CHECK_THROWS_AS(pass_on(5), int);
}

TEST_CASE("whichever allocation of a call fails, a kgen::Error leaves it") {
    const test::WorkFolder folder;
    const DeviceScope on_host(Device::host());
    const Array x = full({100}, 2, float32);
    const ElementwiseKernel twice("T x", "T z", "z = 2 * x", "twice");
    const ReductionKernel sum("T x", "T y", "x", "a + b", "y = a", "0", "sum");
    const std::vector<Argument> arguments = {x};
    static_cast<void>(twice(x));
    static_cast<void>(sum(x));
    save_npy("x.npy", x);
    CHECK(leaks_of([] { ElementwiseKernel("T x, T y", "T z", "z = x * y", "made"); }) == "");
    CHECK(leaks_of([&] { twice.call(arguments, {}); }) == "");
    CHECK(leaks_of([&] { sum(x, axis(0), keepdims); }) == "");
    CHECK(leaks_of([&] { static_cast<void>(sum.bind(x)); }) == "");
    CHECK(leaks_of([&] { static_cast<void>(twice.explain(arguments)); }) == "");
    CHECK(leaks_of([] { static_cast<void>(kernel_templates()); }) == "");
    // A text without escapes. (nlohmann-json's own values, which json() builds, allocate in their destructors.)
    const std::string text =
        R"({"kind":"elementwise","name":"own","description":"d","inputs":"T x",)"
        R"("outputs":"T y","operation":"y = x"})";
    CHECK(leaks_of([&] { static_cast<void>(KernelTemplate::from_json(text)); }) == "");
    CHECK(leaks_of([] { load_npy("x.npy", {.device = Device::host()}); }) == "");
    CHECK(leaks_of([&] { save_npy("y.npy", x); }) == "");
}

TEST_CASE("whichever allocation of a function of arrays fails, a kgen::Error leaves it") {
    const DeviceScope on_host(Device::host());
    const Array x = full({2, 1, 3}, 2, float32);
    const Array row = arange(6, float32);
    const Stream stream = Stream::create();
    const KernelTemplate add = kernel_template("add");
    const PrecompileOptions for_hopper{.archs = {"sm_90"}};
    using Work = std::function<void()>;
    const std::vector<std::pair<std::string, Work>> functions = {
        {"empty", [] { empty({3}, float32); }},
        {"zeros", [] { zeros({3}, float32); }},
        {"full", [] { full({3}, 1, float32); }},
        {"arange", [] { arange(5, int32); }},
        {"arange of a step", [] { arange(0.0, 1.0, 0.25, float64); }},
        {"linspace", [] { linspace(0, 1, 5, float64); }},
        {"eye", [] { eye(3, float32); }},
        {"zeros_like", [&] { zeros_like(x); }},
        {"meshgrid",
         [&] {
             meshgrid({row, row});
         }},
        {"concatenate",
         [&] {
             concatenate({row, row});
         }},
        {"stack",
         [&] {
             stack({row, row});
         }},
        {"copy", [&] { x.copy(); }},
        {"astype", [&] { x.astype(int64); }},
        {"to", [&] { x.to(Device::host()); }},
        {"assign", [&] { x.assign(x); }},
        {"transpose", [&] { x.transpose(); }},
        {"reshape",
         [&] {
             x.reshape({3, 2});
         }},
        {"broadcast_to",
         [&] {
             row.broadcast_to({4, 6});
         }},
        {"squeeze", [&] { squeeze(x); }},
        {"expand_dims", [&] { expand_dims(x, 0); }},
        {"moveaxis", [&] { moveaxis(x, 0, 1); }},
        {"flip", [&] { flip(x); }},
        {"ravel", [&] { ravel(x.transpose()); }},
        {"a view of a range", [&] { row[{indexing::s(1, 3)}]; }},
        {"array_equal", [&] { static_cast<void>(array_equal(x, x)); }},
        {"allclose", [&] { static_cast<void>(allclose(row, row)); }},
        {"to_text", [&] { to_text(x); }},
        {"DLPack", [&] { from_dlpack(to_dlpack(row)); }},
        {"Stream::create", [] { Stream::create(); }},
        {"Event", [&] { Event().record(stream); }},
        {"capture", [&] { static_cast<void>(capture(stream, [&] { x.assign(x); })); }},
        {"precompile",
         [&] {
             precompile({&add, 1}, for_hopper);
         }},
        {"reshape to another size", [&] { x.reshape({5}); }},
        {"broadcast_to another shape", [&] { x.broadcast_to({5}); }},
        {"an axis that is none", [&] { flip(x, 7); }},
        {"an index beyond the end",
         [&] {
             x[{5, 0}];
         }},
        {"join of other shapes",
         [&] {
             concatenate({x, row});
         }},
        {"parse_device of an unknown name", [] { parse_device("none"); }},
        {"parse_device", [] { parse_device("host"); }}};
    for (const auto& [name, work] : functions) {
        INFO(name);
        try {
            work();  // fills caches, so that the calls below allocate as often as each other
        } catch (const Error&) {
        }
        const std::string leaks = leaks_of(work);
        INFO(leaks);
        CHECK((leaks.empty() || leaks == "nothing failed"));
    }
}

TEST_CASE("what a function of the user throws leaves kgen as it is") {
    const DeviceScope on_host(Device::host());
    const auto fail = [] { throw std::out_of_range("the user's own"); };
    CHECK(KGEN_MESSAGE_OF(std::out_of_range, benchmark(fail)) == "the user's own");
    const Stream stream = Stream::create();
    CHECK(KGEN_MESSAGE_OF(std::out_of_range, capture(stream, fail)) == "the user's own");
    CHECK(KGEN_MESSAGE_OF(std::out_of_range, capture(stream, [&] { benchmark(fail); })) ==
          "the user's own");
    CHECK_THROWS_AS(benchmark([] { throw 5; }), int);
    const KernelTemplate own = KernelTemplate::from_json(
        R"({"kind":"elementwise","name":"own","description":"d","inputs":"T x",)"
        R"("outputs":"T y","operation":"y = x )" +
        never_compiled() + R"("})");
    CHECK(KGEN_MESSAGE_OF(std::out_of_range,
                          precompile({&own, 1},
                                     {.archs = {"host"},
                                      .types = {{.placeholder = 'T', .dtypes = {float32}}},
                                      .progress = [&](const PrecompileProgress&) { fail(); }})) ==
          "the user's own");
}

TEST_CASE("a working directory that was removed is an error of kgen") {
    const test::WorkFolder folder;
    std::filesystem::create_directory("gone");
    std::filesystem::current_path("gone");
    std::filesystem::remove("../gone");
    CHECK(KGEN_MESSAGE_OF(IoError, use_pack_file("x.kgp")) ==
          "'x.kgp' is relative to the working directory, which cannot be found: No such file or "
          "directory");
    CHECK(KGEN_MESSAGE_OF(IoError, list_cache("cache")) ==
          "'cache' is relative to the working directory, which cannot be found: No such file or "
          "directory");
    const ScopedVariable path("KGEN_TEMPLATE_PATH", "templates");
    CHECK(KGEN_MESSAGE_OF(IoError, kernel_template("add")) ==
          "KGEN_TEMPLATE_PATH: 'templates' cannot be found: No such file or directory");
}

// SPDX-License-Identifier: MIT
//
// The type of a raw kernel's parameter decides which arrays and numbers fit. All combinations are compared
// with this compiler's mangled names and numeric_limits.
#include <cstddef>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <limits>
#include <random>
#include <string>
#include <typeinfo>
#include <vector>

#include "program/declared_parameters.hpp"
#include "raw/raw_arguments.hpp"
#include "source/declared_names.hpp"
#include "support/catch.hpp"
#include "support/fake_raw.hpp"
#include "support/pointee_types.hpp"
#include "support/rounds.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

FakeRawDevice& device() {
    static auto* device = new FakeRawDevice;
    return *device;
}

std::vector<DType> all_dtypes() {
    std::vector<DType> dtypes;
    for (int k = 0; k < dtype_count; ++k) dtypes.push_back(static_cast<DType>(k));
    return dtypes;
}

// Returns a 32-byte array that begins `offset` bytes after a 64-byte boundary.
Array array_at(DType dtype, std::size_t offset, Mutability mutability = Mutability::writable) {
    alignas(64) static std::byte memory[128];
    const auto count = static_cast<std::int64_t>(32 / item_size(dtype));
    auto storage = Storage::allocate(device(), 1, Stream::legacy(device().device()));
    const Array array = ArrayAccess::make(
        std::move(storage), dtype, {count}, contiguous_strides({count}, dtype), memory + offset);
    return mutability == Mutability::read_only ? array.as_read_only() : array;
}

// Returns the message of a kernel with one parameter for an argument; empty if the argument is accepted.
std::string told(const std::string& symbol, std::size_t bytes, const RawArgument& argument) {
    const std::vector<KernelParameter> known = {{0, bytes}};
    const std::vector<ParameterType> types = types_in_code(known, symbol);
    REQUIRE(types.size() == 1);
    const std::vector<TypedParameter> list = type_parameters(known, types);
    std::array<std::byte, 128> block;
    try {
        pack_arguments("k", {list, bytes}, {&argument, 1}, device(), block.data());
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

struct Pointee {
    const char* name;
    std::string writable;   // the symbol of k(T*)
    std::string read_only;  // the symbol of k(const T*)
    std::vector<DType> dtypes;
    std::size_t alignment;
};

template <class T>
Pointee pointee(const char* name, std::vector<DType> dtypes, std::size_t alignment) {
    return {name,
            std::string("_Z1k") + typeid(T*).name(),
            std::string("_Z1k") + typeid(const T*).name(),
            std::move(dtypes),
            alignment};
}
template <class T>
Pointee number(const char* name) {
    return pointee<T>(name, {dtype_of<T>()}, sizeof(T));
}

std::vector<Pointee> pointees() {
    return {number<bool>("bool"),
            number<signed char>("signed char"),
            number<unsigned char>("unsigned char"),
            number<short>("short"),
            number<unsigned short>("unsigned short"),
            number<int>("int"),
            number<unsigned>("unsigned int"),
            number<long>("long"),
            number<unsigned long>("unsigned long"),
            number<long long>("long long"),
            number<unsigned long long>("unsigned long long"),
            number<float>("float"),
            number<double>("double"),
            pointee<char16_t>("char16_t", {uint16}, 2),
            pointee<char>("char", all_dtypes(), 1),
            pointee<void>("void", all_dtypes(), 1),
            pointee<std::byte>("std::byte", all_dtypes(), 1),
            pointee<own::Particle>("own::Particle", all_dtypes(), 1),
            pointee<own::float2>("own::float2", all_dtypes(), 1),
            pointee<float2>("float2", {float32, complex64}, 8),
            pointee<float3>("float3", {float32}, 4),
            pointee<float4>("float4", {float32, complex64}, 16),
            pointee<double2>("double2", {float64, complex128}, 16),
            pointee<int2>("int2", {int32}, 8),
            pointee<int3>("int3", {int32}, 4),
            pointee<uchar4>("uchar4", {uint8}, 4),
            pointee<longlong2>("longlong2", {int64}, 16),
            pointee<ulong4>("ulong4", {uint64}, 16),
            pointee<double4_16a>("double4_16a", {float64, complex128}, 16),
            pointee<double4_32a>("double4_32a", {float64, complex128}, 32),
            pointee<__half>("__half", {float16}, 2),
            pointee<__half2>("__half2", {float16}, 4),
            pointee<__nv_bfloat16>("__nv_bfloat16", {bfloat16}, 2),
            pointee<__nv_bfloat162>("__nv_bfloat162", {bfloat16}, 4),
            pointee<kgen_float16>("float16", {float16}, 2),
            pointee<kgen_bfloat16>("bfloat16", {bfloat16}, 2),
            pointee<kgen_complex<float>>("complex64", {complex64}, 8),
            pointee<thrust::complex<float>>("thrust::complex<float>", {complex64}, 8),
            pointee<thrust::complex<double>>("thrust::complex<double>", {complex128}, 16)};
}

std::string joined(const std::vector<DType>& dtypes) {
    std::string text;
    for (const DType each : dtypes)
        text += (text.empty() ? "" : " or ") + std::string(to_text(each));
    return text;
}

}  // namespace

TEST_CASE("an array fits a pointer if its dtype, its address and its constness do", "[raw]") {
    const std::string start = "kernel 'k': argument 1 of 1 is ";
    for (const Pointee& each : pointees()) {
        for (const bool is_const : {false, true}) {
            const std::string type = (is_const ? "const " : "") + std::string(each.name) + "*";
            const std::string& symbol = is_const ? each.read_only : each.writable;
            for (const DType dtype : all_dtypes()) {
                INFO(type << " given " << to_text(dtype));
                const bool fits = std::count(each.dtypes.begin(), each.dtypes.end(), dtype) != 0;
                const Array writable = array_at(dtype, 0);
                if (!fits) {
                    CHECK(told(symbol, 8, writable) ==
                          start + "an array of " + std::string(to_text(dtype)) +
                              ", the kernel expects " + joined(each.dtypes) + " (" + type +
                              ")\npass x.astype(" + std::string(to_text(each.dtypes.front())) +
                              "), or x.data() for the memory as it is");
                    continue;
                }
                CHECK(told(symbol, 8, writable) == "");
                CHECK(
                    told(symbol, 8, array_at(dtype, 0, Mutability::read_only)) ==
                    (is_const
                         ? ""
                         : start + "read-only, the kernel may write to it (" + type +
                               ")\npass a copy(), or declare the parameter as a pointer to const"));
                const std::size_t step = item_size(dtype);
                const bool is_aligned = step % each.alignment == 0;
                CHECK(told(symbol, 8, array_at(dtype, step)) ==
                      (is_aligned ? ""
                                  : start + "not aligned: its address is a multiple of " +
                                        std::to_string(step) + " bytes, the kernel expects " +
                                        std::to_string(each.alignment) + " (" + type +
                                        ")\npass a copy()"));
                CHECK(told(symbol, 8, array_at(dtype, each.alignment)) == "");
            }
        }
    }
}

TEST_CASE("an array of no elements is aligned wherever it is", "[raw]") {
    const Array nothing = array_at(float32, 4)[std::initializer_list<Index>{Range{0, 0}}];
    CHECK(told(std::string("_Z1k") + typeid(float2*).name(), 8, nothing) == "");
}

TEST_CASE("a kgen::array takes arrays of its dtype and its number of axes", "[raw]") {
    struct View {
        const char* symbol;
        const char* type;
        std::vector<DType> dtypes;
        int rank;
        bool is_const;
        std::size_t alignment;
    };
    const View views[] = {
        {"_Z1kN4kgen5arrayIfLi1EEE", "kgen::array<float, 1>", {float32}, 1, false, 4},
        {"_Z1kN4kgen5arrayIKfLi2EEE", "kgen::array<const float, 2>", {float32}, 2, true, 4},
        {"_Z1kN4kgen5arrayIyLi0EEE", "kgen::array<unsigned long long, 0>", {uint64}, 0, false, 8},
        {"_Z1kN4kgen5arrayI6float2Li1EEE", "kgen::array<float2, 1>", {complex64}, 1, false, 8},
        {"_Z1kN4kgen5arrayIKcLi3EEE",
         "kgen::array<const char, 3>",
         {bool_, int8, uint8},
         3,
         true,
         1},
        {"_Z1kN4kgen5arrayI8ParticleLi1EEE", "kgen::array<Particle, 1>", all_dtypes(), 1, false, 1},
        {"_Z1kN4kgen5arrayI6__halfLi1EEE", "kgen::array<__half, 1>", {float16}, 1, false, 2},
    };
    const std::string start = "kernel 'k': argument 1 of 1 is ";
    for (const View& view : views) {
        const auto bytes = static_cast<std::size_t>(8 + 16 * std::max(view.rank, 1));
        const std::string type = view.type;
        for (const DType dtype : all_dtypes()) {
            for (int rank = 0; rank <= 3; ++rank) {
                INFO(type << " given " << to_text(dtype) << " of " << rank << " axes");
                const std::vector<std::int64_t> ones(static_cast<std::size_t>(rank), 1);
                const Dims shape{std::span<const std::int64_t>(ones)};
                const Array x = array_at(dtype, 0).slice({Range{0, 1}}).reshape(shape);
                const std::string said = told(view.symbol, bytes, raw(x));
                const bool fits = std::count(view.dtypes.begin(), view.dtypes.end(), dtype) != 0;
                if (rank != view.rank) {
                    CHECK(said == start + "raw() of an array of " + std::to_string(rank) +
                                      (rank == 1 ? " axis" : " axes") + ", the kernel expects " +
                                      std::to_string(view.rank) + " (" + type + ")");
                } else if (!fits) {
                    CHECK(said == start + "raw() of an array of " + std::string(to_text(dtype)) +
                                      ", the kernel expects " + joined(view.dtypes) + " (" + type +
                                      ")\npass x.astype(" +
                                      std::string(to_text(view.dtypes.front())) +
                                      "), and raw() of that");
                } else {
                    CHECK(said == "");
                    const Array fixed = x.as_read_only();
                    CHECK(told(view.symbol, bytes, raw(fixed)) ==
                          (view.is_const
                               ? ""
                               : start + "read-only, the kernel may write to it (" + type +
                                     ")\npass a copy(), or declare the parameter as a kgen::array "
                                     "of const"));
                }
            }
        }
        const Array plain = array_at(float32, 0);
        CHECK(told(view.symbol, bytes, plain) ==
              start + "an array, the kernel expects " + type + "\npass raw(x)");
    }
    // Strides matter only along axes with more than one element.
    const auto steps = [](Dims shape, Dims strides) {
        const Array x = array_at(complex64, 0);
        const Array y = ArrayAccess::make(x.storage(), complex64, shape, strides, x.data());
        return told("_Z1kN4kgen5arrayI6float2Li1EEE", 24, raw(y));
    };
    CHECK(steps({2}, {16}) == "");
    CHECK(steps({1}, {4}) == "");
    CHECK(steps({2}, {-8}) == "");
    CHECK(steps({2}, {12}) ==
          start +
              "not aligned: its address or a stride is a multiple of 4 bytes, the kernel expects "
              "8 (kgen::array<float2, 1>)\npass a copy()");
}

TEST_CASE("where nothing tells the type, any array is taken that may be written", "[raw]") {
    const auto told_of = [](const char* symbol, const RawArgument& argument) {
        return told(symbol, 8, argument);
    };
    for (const DType dtype : all_dtypes()) {
        CHECK(told_of("_Z1kPFvvE", array_at(dtype, item_size(dtype))) == "");
        CHECK(told_of("_Z1ky", array_at(dtype, 0)) == "");  // an address as a number
        CHECK(told_of("_Z1kPPf", array_at(dtype, 0)).empty() ==
              (dtype == int64 || dtype == uint64));
        CHECK(told_of("_Z1kPPKf", array_at(dtype, 0)).empty() ==
              (dtype == int64 || dtype == uint64));
    }
    const Array fixed = array_at(uint64, 0, Mutability::read_only);
    CHECK(told_of("_Z1ky", fixed) ==
          "kernel 'k': argument 1 of 1 is read-only, and kgen cannot tell whether the kernel "
          "writes to it (unsigned long long)\n"
          "pass a copy(), or x.data() if it only reads");
    CHECK(told_of("_Z1kPKPf", fixed) == "");
    CHECK(told_of("_Z1kPPKf", fixed) ==
          "kernel 'k': argument 1 of 1 is read-only, the kernel may write to it (const float**)\n"
          "pass a copy(), or declare the parameter as a pointer to const");
    CHECK(told_of("_Z1kPKf", array_at(float64, 0).data()) == "");  // a pointer carries no dtype
}

namespace {

// Type that holds every 64-bit integer.
using Wide = long double;
static_assert(std::numeric_limits<Wide>::digits >= 64);

// An argument, its text, and its value as an integer if it is one.
struct Value {
    RawArgument argument;
    std::string text;
    bool is_integer;
    Wide value;
};

std::vector<Value> values() {
    std::vector<Value> list;
    const auto add_integer = [&](auto x) {
        list.push_back({RawArgument(x), to_text(Scalar(x)), true, static_cast<Wide>(x)});
    };
    for (const std::int64_t edge : {std::int64_t{0},
                                    std::int64_t{1} << 7,
                                    std::int64_t{1} << 8,
                                    std::int64_t{1} << 15,
                                    std::int64_t{1} << 16,
                                    std::int64_t{1} << 31,
                                    std::int64_t{1} << 32,
                                    std::int64_t{1} << 62,
                                    std::numeric_limits<std::int64_t>::max() - 2}) {
        for (int step = -1; step <= 2; ++step) {
            add_integer(edge + step);
            add_integer(-(edge + step));
            if (edge + step >= 0) add_integer(static_cast<std::uint64_t>(edge + step));
            if (edge < std::int64_t{1} << 40) {
                const auto real = static_cast<double>(edge + step);
                list.push_back({RawArgument(real), to_text(Scalar(real)), true, real});
                list.push_back({RawArgument(real + 0.5), to_text(Scalar(real + 0.5)), false, 0});
            }
        }
    }
    add_integer(std::numeric_limits<std::int64_t>::min());
    add_integer(std::uint64_t{1} << 63);
    add_integer(std::numeric_limits<std::uint64_t>::max());
    add_integer(true);
    add_integer(static_cast<signed char>(-128));
    add_integer(static_cast<unsigned char>(255));
    add_integer(static_cast<short>(-32768));
    add_integer(3000000000U);
    list.push_back({RawArgument(0x1p63), to_text(Scalar(0x1p63)), true, 0x1p63L});
    list.push_back({RawArgument(-0x1p63), to_text(Scalar(-0x1p63)), true, -(0x1p63L)});
    return list;
}

template <class T>
void check_numbers(const char* name) {
    const std::string symbol = std::string("_Z1k") + typeid(T).name();
    const std::vector<KernelParameter> known = {{0, sizeof(T)}};
    const std::vector<TypedParameter> list = type_parameters(known, types_in_code(known, symbol));
    const bool is_bool = std::is_same_v<T, bool>;
    const std::string range =
        is_bool ? "0 or 1"
                : fmt::format(
                      "{} to {}", +std::numeric_limits<T>::min(), +std::numeric_limits<T>::max());
    for (const Value& each : values()) {
        INFO(name << " given " << each.text);
        T block;
        const auto pack = [&] {
            pack_arguments("k",
                           {list, sizeof(T)},
                           {&each.argument, 1},
                           device(),
                           reinterpret_cast<std::byte*>(&block));
        };
        const std::string reason = each.is_integer ? range : "it is not an integer";
        if (each.is_integer && each.value >= static_cast<Wide>(std::numeric_limits<T>::min()) &&
            each.value <= static_cast<Wide>(std::numeric_limits<T>::max())) {
            pack();
            CHECK(static_cast<Wide>(block) == each.value);
        } else {
            CHECK(KGEN_MESSAGE_OF(TypeError, pack()) ==
                  "kernel 'k': argument 1 of 1: " + each.text + " does not fit " + name + " (" +
                      reason + ")");
        }
    }
}

}  // namespace

TEST_CASE("a number fits an integer if its value does, whatever type it comes in", "[raw]") {
    check_numbers<bool>("bool");
    check_numbers<char>("char");
    check_numbers<signed char>("signed char");
    check_numbers<unsigned char>("unsigned char");
    check_numbers<short>("short");
    check_numbers<unsigned short>("unsigned short");
    check_numbers<int>("int");
    check_numbers<unsigned>("unsigned int");
    check_numbers<long>("long");
    check_numbers<unsigned long>("unsigned long");
    check_numbers<long long>("long long");
    check_numbers<unsigned long long>("unsigned long long");
}

TEST_CASE("numbers convert to the floating-point types that a symbol tells", "[raw]") {
    const auto packed = [](const char* symbol, std::size_t bytes, const RawArgument& argument) {
        const std::vector<KernelParameter> known = {{0, bytes, ParameterKind::aggregate}};
        const std::vector<TypedParameter> list =
            type_parameters(known, types_in_code(known, symbol));
        std::array<float, 4> block = {};
        pack_arguments("k",
                       {list, bytes},
                       {&argument, 1},
                       device(),
                       reinterpret_cast<std::byte*>(block.data()));
        return block;
    };
    CHECK(packed("_Z1kf", 4, 3)[0] == 3.0F);
    std::uint32_t bits = 0;
    std::memcpy(&bits, packed("_Z1k6__half", 2, 1.5).data(), 2);
    CHECK(bits == 0x3e00);
    std::memcpy(&bits, packed("_Z1k13__nv_bfloat16", 2, 1.5).data(), 2);
    CHECK(bits == 0x3fc0);
    CHECK(packed("_Z1kN6thrust7complexIfEE", 8, 2)[0] == 2.0F);
    CHECK(packed("_Z1kN6thrust7complexIfEE", 8, std::complex<double>(1, 2))[1] == 2.0F);
    CHECK(told("_Z1kf", 4, 1e300) ==
          "kernel 'k': argument 1 of 1: 1e+300 does not fit float (largest 3.40282e+38)");
    CHECK(told("_Z1kd", 8, std::complex<float>(1, 2)) ==
          "kernel 'k': argument 1 of 1: (1+2j) does not fit double (it is complex)");
    CHECK(told("_Z1k6__half", 2, 1e6) ==
          "kernel 'k': argument 1 of 1: 1000000.0 does not fit __half (largest 65504)");
}

TEST_CASE("an enumeration may be signed or unsigned", "[raw]") {
    const std::vector<KernelParameter> known = {{0, 1, ParameterKind::integer}};
    const std::vector<TypedParameter> list =
        type_parameters(known, types_in_code(known, "_Z1k4Mode"));
    std::byte block;
    const auto pack = [&](const RawArgument& argument) {
        pack_arguments("k", {list, 1}, {&argument, 1}, device(), &block);
        return static_cast<int>(block);
    };
    CHECK(pack(255) == 255);
    CHECK(pack(-128) == 128);
    CHECK(KGEN_MESSAGE_OF(TypeError, pack(256)) ==
          "kernel 'k': argument 1 of 1: 256 does not fit Mode, an integer of 1 byte (-128 to 255)");
}

TEST_CASE("parameter lists are read as sources write them", "[raw]") {
    using Rows = std::vector<std::pair<std::string, std::string>>;
    const auto rows = [](std::string_view text) {
        Rows list;
        for (const DeclaredParameter& each : read_parameter_list(text)) {
            ParameterType type = read_parameter_type(each.type, TypeSpelling::source);
            list.emplace_back(each.name, type.text);
        }
        return list;
    };
    CHECK(rows("").empty());
    CHECK(rows("void").empty());
    CHECK(rows("const float* __restrict__ x, int n") == Rows{{"x", "const float*"}, {"n", "int"}});
    CHECK(rows("float const *const x, unsigned n") ==
          Rows{{"x", "const float*"}, {"n", "unsigned int"}});
    CHECK(rows("float*, int, const Params, ns::Mode, List<int>") == Rows{{"", "float*"},
                                                                         {"", "int"},
                                                                         {"", "const Params"},
                                                                         {"", "ns::Mode"},
                                                                         {"", "List<int>"}});
    CHECK(
        rows("const Params p, ns::Mode mode, List<int, 3> l, struct Own o, unsigned long long u") ==
        Rows{{"p", "const Params"},
             {"mode", "ns::Mode"},
             {"l", "List<int, 3>"},
             {"o", "Own"},
             {"u", "unsigned long long"}});
    CHECK(rows("float x[], const int y[16], float (*z)[4], const double (&w)[2]") ==
          Rows{{"x", "float*"},
               {"y", "const int*"},
               {"z", "float(*)[4]"},
               {"w", "const double(&)[2]"}});
    CHECK(rows("const __grid_constant__ Params p, [[maybe_unused]] int n, alignas(8) char c") ==
          Rows{{"p", "const Params"}, {"n", "int"}, {"c", "char"}});
    CHECK(rows("kgen::array<const float, 2> x, Pair<float, List<int>> p") ==
          Rows{{"x", "kgen::array<const float, 2>"}, {"p", "Pair<float, List<int>>"}});
    CHECK(rows("void (*f)(int, float), T* x") == Rows{{"f", "void(*)(int, float)"}, {"x", "T*"}});
}

TEST_CASE("what declarations are read from may be anything, and long", "[raw]") {
    const char* const pieces[] = {"<",
                                  ">",
                                  "{",
                                  "}",
                                  "(",
                                  ")",
                                  "[",
                                  "x[",
                                  "]",
                                  ",",
                                  "alignas(",
                                  "enum {",
                                  "x {}",
                                  "template <",
                                  "namespace a {",
                                  "typedef ",
                                  "using ",
                                  "a::b<",
                                  "kgen::array<",
                                  "float32 ",
                                  "const ",
                                  "* ",
                                  "=",
                                  "enum ",
                                  "[[",
                                  "struct ",
                                  "\"",
                                  "#if ",
                                  "operator",
                                  "x<x,"};
    for (const char* piece : pieces) {
        std::string text;
        while (text.size() < std::size_t{rounds(100000)}) text += piece;
        INFO(piece);
        static_cast<void>(find_declared_names({text}, {}, {"float32", "x"}));
        static_cast<void>(read_parameter_list(text));
        CHECK(read_parameter_type(text).form != ParameterType::Form::view);
    }
    // Random mixtures of the pieces.
    std::minstd_rand random(17);
    for (int round = 0; round < rounds(2000); ++round) {
        std::string text;
        const auto count = random() % 12;
        for (unsigned long k = 0; k < count; ++k) text += pieces[random() % std::size(pieces)];
        static_cast<void>(find_declared_names({text}, {}, {"float32", "x"}));
        for (const DeclaredParameter& each : read_parameter_list(text))
            static_cast<void>(read_parameter_type(each.type, TypeSpelling::source));
    }
}

TEST_CASE("types are read as compilers, demanglers and sources write them", "[raw]") {
    using enum ParameterType::Form;
    struct Row {
        const char* text;
        ParameterType::Form form;
        const char* canonical;
        MemoryUse use = MemoryUse::unknown;
    };
    const Row resolved[] = {
        {"float const*", pointer, "const float*", MemoryUse::reads},
        {"const float *", pointer, "const float*", MemoryUse::reads},
        {"float*", pointer, "float*", MemoryUse::writes},
        {"float volatile*", pointer, "volatile float*", MemoryUse::writes},
        {"float const* const*", pointer, "const float* const*", MemoryUse::reads},
        {"float const**", pointer, "const float**", MemoryUse::writes},
        {"float (*) [4]", pointer, "float(*)[4]", MemoryUse::writes},
        {"float const (*) [4][2]", pointer, "float const(*)[4][2]", MemoryUse::reads},
        {"const float&", pointer, "const float&", MemoryUse::reads},
        {"void (*)(int)", other, "void(*)(int)"},
        {"long unsigned int", number, "unsigned long"},
        {"long long int", number, "long long"},
        {"unsigned char", number, "unsigned char"},
        {"float4", other, "float4"},
        {"Pair<int, float const*>", other, "Pair<int, float const*>"},
        {"Pair<int, char const*> const*",
         pointer,
         "const Pair<int, char const*>*",
         MemoryUse::reads},
        {"(anonymous namespace)::P const*", pointer, "const P*", MemoryUse::reads},
        {"{anonymous}::P*", pointer, "P*", MemoryUse::writes},
        {"kgen::array<float const, 2>", view, "kgen::array<const float, 2>", MemoryUse::reads},
        {"kgen::array<const float,2>", view, "kgen::array<const float, 2>", MemoryUse::reads},
        {"kgen::array<float*, 1>", view, "kgen::array<float*, 1>", MemoryUse::writes},
        {"kgen::array<float, 2>*", pointer, "kgen::array<float, 2>*", MemoryUse::writes},
        {"cuda::std::__4::complex<float>", number, "cuda::std::__4::complex<float>"},
        {"half*", pointer, "half*", MemoryUse::writes},
        {"", other, ""},
        {"*", other, "*"},
        {"kgen::array<", other, "kgen::array<"},
        {"kgen::array<float>", other, "kgen::array<float>"},
    };
    for (const Row& row : resolved) {
        INFO(row.text);
        const ParameterType type = read_parameter_type(row.text);
        CHECK(type.form == row.form);
        CHECK(type.text == row.canonical);
        CHECK(type.use == row.use);
    }
    const Row source[] = {
        {"const float * __restrict__", pointer, "const float*", MemoryUse::reads},
        {"unsigned", number, "unsigned int"},
        {"std::size_t", number, "size_t"},
        {"const uint8_t*", pointer, "const uint8_t*", MemoryUse::reads},
        {"float32*", pointer, "float32*", MemoryUse::writes},
        {"half2*", pointer, "half2*", MemoryUse::writes},
        {"RO float*", other, "RO float*"},
        {"real*", pointer, "real*"},  // the source may define it as const
        {"const real*", pointer, "const real*", MemoryUse::reads},
        {"real", other, "real"},
        {"redefined*", pointer, "redefined*"},
        {"const Params", other, "const Params"},
    };
    for (const Row& row : source) {
        INFO(row.text);
        const ParameterType type = read_parameter_type(row.text, TypeSpelling::source);
        CHECK(type.form == row.form);
        CHECK(type.text == row.canonical);
        CHECK(type.use == row.use);
    }
    // Types that the source itself defines are unknown.
    for (const char* text : {"float*", "half*", "float32*", "size_t*", "float2*"}) {
        const ParameterType type =
            read_parameter_type(text, TypeSpelling::source, [](std::string_view) { return true; });
        CHECK(type.elements == DTypeSet::all());
        CHECK(type.use == MemoryUse::unknown);
    }
}

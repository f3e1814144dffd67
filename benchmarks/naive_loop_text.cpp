// SPDX-License-Identifier: MIT
//
// The text of a naive loop. The strings of the kernel are its body; the text before it defines the names that
// kgen gives them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "benchmarks/naive_loop.hpp"

namespace kgen::bench {

namespace {

constexpr const char* naive_prelude = R"(#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#define __device__
#define CUDART_INF_F __builtin_inff()
using std::max; using std::min; using std::sqrt; using std::exp;
typedef std::int8_t int8; typedef std::int16_t int16; typedef std::int32_t int32; typedef std::int64_t int64;
typedef std::uint8_t uint8; typedef std::uint16_t uint16; typedef std::uint32_t uint32; typedef std::uint64_t uint64;
typedef _Float16 float16; typedef float float32; typedef double float64;
typedef std::complex<float> complex64; typedef std::complex<double> complex128;
struct bfloat16 {
    std::uint16_t bits;
    bfloat16() = default;
    bfloat16(float value) {
        std::uint32_t all;
        std::memcpy(&all, &value, 4);
        bits = (all + 0x7fff + (all >> 16 & 1)) >> 16;
    }
    operator float() const {
        const std::uint32_t all = (std::uint32_t)bits << 16;
        float value;
        std::memcpy(&value, &all, 4);
        return value;
    }
};
template <class T> struct Raw {
    char* data;
    long stride, count;
    long size() const { return count; }
    T& operator[](long k) const { return *(T*)(data + k * stride); }
};
struct Indices {
    const long* values;
    const long* get() const { return values; }
};
)";

// One parameter of the kernel: "raw float32 r" is {"float32", "r", true}.
struct Parameter {
    std::string type;
    std::string name;
    bool is_raw;
};

std::vector<Parameter> parameters_of(const std::string& text,
                                     const std::vector<OperandMemory>& operands) {
    std::vector<Parameter> list;
    std::size_t begin = 0;
    for (const OperandMemory& operand : operands) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string one = text.substr(begin, end - begin);
        list.push_back({std::string(to_text(operand.view().dtype())),
                        one.substr(one.rfind(' ') + 1),
                        one.find("raw ") != std::string::npos});
        begin = end + 1;
    }
    return list;
}

std::vector<int> last_axes(int count, int rank) {
    std::vector<int> axes;
    for (int axis = rank - count; axis < rank; ++axis) axes.push_back(axis);
    return axes;
}

// Writes the declarations of the elements at the place of the loops' counters.
class LoopWriter {
public:
    LoopWriter(const Case& given, const PreparedCase& prepared, NaiveKnows knows)
        : given_(given),
          prepared_(prepared),
          knows_(knows),
          shape_(prepared.loop_shape()),
          rank_(shape_.rank()) {
        for (int axis = 0; axis < rank_; ++axis) {
            extents_.push_back(number(shape_[axis]));
            index_ = fmt::format("({} * {} + i{})", index_, extents_.back(), axis);
        }
    }

    std::string elementwise(const Kernel& kernel) {
        std::string text;
        const std::vector<Parameter> inputs = parameters_of(kernel.inputs, prepared_.inputs());
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            const Array& array = prepared_.inputs()[k].view();
            if (!inputs[k].is_raw) continue;
            text += fmt::format("const Raw<{}> {}{{(char*)p[{}], {}, {}}};\n",
                                inputs[k].type,
                                inputs[k].name,
                                k,
                                stride_text(array, 0),
                                number(array.size()));
        }
        text += loops_text(last_axes(rank_, rank_)) + "{\n";
        if (kernel.body.find("(i ") != std::string::npos)
            text += fmt::format("const long i = {};\n", index_);
        if (kernel.body.find("_ind") != std::string::npos) text += indices();
        text += elements(inputs);
        const std::vector<Parameter> outputs = parameters_of(kernel.outputs, prepared_.outputs());
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            const Array& array = prepared_.outputs()[k].view();
            text += fmt::format("{0}& {1} = *({0}*)((char*)p[{2}] + {3});\n",
                                outputs[k].type,
                                outputs[k].name,
                                inputs.size() + k,
                                place_text(array, last_axes(array.rank(), rank_)));
        }
        return naive_prelude + function(text + kernel.body + ";\n}\n");
    }

    std::string reduction(const Reduction& reduction) {
        std::vector<int> kept;
        std::vector<int> reduced;
        for (int axis = 0; axis < rank_; ++axis) {
            const bool folds =
                !given_.axes ||
                std::find(given_.axes->begin(), given_.axes->end(), axis) != given_.axes->end();
            (folds ? reduced : kept).push_back(axis);
        }
        std::string folded = "0";
        for (const int axis : reduced)
            folded = fmt::format("({} * {} + i{})", folded, extent(axis), axis);
        const std::vector<Parameter> inputs = parameters_of(reduction.inputs, prepared_.inputs());
        const std::vector<Parameter> outputs =
            parameters_of(reduction.outputs, prepared_.outputs());
        std::string before = naive_prelude + reduction.options.preamble + "\n";
        if (reduction.inputs.starts_with("T "))
            before += fmt::format("typedef {} T;\n", inputs[0].type);
        const std::string type = accumulator(reduction);
        before +=
            fmt::format("typedef {} Sum;\nstatic inline Sum fold(Sum a, Sum b) {{ return {}; }}\n",
                        type,
                        reduction.reduce);
        std::string text = loops_text(kept);
        text += reduction.identity.empty() ? "{\nSum a{}; bool first = true;\n"
                                           : fmt::format("{{\nSum a = {};\n", reduction.identity);
        text += loops_text(reduced) + "{\n" + elements(inputs);
        if (reduction.map.find("_J") != std::string::npos)
            text += fmt::format("const long _J = {};\n", folded);
        text += fmt::format("const Sum b = {};\n", reduction.map);
        text += reduction.identity.empty() ? "a = first ? b : fold(a, b); first = false;\n}\n"
                                           : "a = fold(a, b);\n}\n";
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            text += fmt::format("{0}& {1} = *({0}*)((char*)p[{2}] + {3});\n",
                                outputs[k].type,
                                outputs[k].name,
                                inputs.size() + k,
                                place_text(prepared_.outputs()[k].view(), kept));
        }
        return before + function(text + reduction.post_map + ";\n}\n");
    }

    std::vector<long> numbers() && { return std::move(numbers_); }

private:
    // Returns the text of a number, which is a variable if the compiler does not know it.
    std::string number(std::int64_t value) {
        if (knows_ == NaiveKnows::all) return fmt::format("{}L", value);
        numbers_.push_back(value);
        return fmt::format("n{}", numbers_.size() - 1);
    }
    const std::string& extent(int axis) const { return extents_[static_cast<std::size_t>(axis)]; }

    std::string function(const std::string& loops) const {
        std::string text = "extern \"C\" void run(void* const* p, const long* numbers) {\n";
        for (std::size_t k = 0; k < numbers_.size(); ++k)
            text += fmt::format("const long n{0} = numbers[{0}];\n", k);
        return text + loops + "}\n";
    }

    std::string loops_text(const std::vector<int>& axes) const {
        std::string text;
        for (const int axis : axes)
            text += fmt::format("for (long i{0} = 0; i{0} < {1}; ++i{0})\n", axis, extent(axis));
        return text;
    }

    // Returns the text of a stride in bytes.
    std::string stride_text(const Array& array, int axis) {
        const std::int64_t stride = array.strides()[axis];
        const bool are_neighbours =
            std::abs(stride) == static_cast<std::int64_t>(item_size(array.dtype()));
        return are_neighbours ? fmt::format("{}L", stride) : number(stride);
    }

    // Returns "0 + i1 * 8 + ..." for the operand's elements. axes[k] is the loop's axis of the operand's axis k.
    std::string place_text(const Array& array, const std::vector<int>& axes) {
        std::string text = "0";
        for (int axis = 0; axis < array.rank(); ++axis) {
            if (array.shape()[axis] == 1 || array.strides()[axis] == 0) continue;
            text += fmt::format(
                " + i{} * {}", axes[static_cast<std::size_t>(axis)], stride_text(array, axis));
        }
        return text;
    }

    std::string elements(const std::vector<Parameter>& inputs) {
        std::string text;
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            if (inputs[k].is_raw) continue;
            const Array& array = prepared_.inputs()[k].view();
            text += fmt::format("const {0} {1} = *(const {0}*)((char*)p[{2}] + {3});\n",
                                inputs[k].type,
                                inputs[k].name,
                                k,
                                place_text(array, last_axes(array.rank(), rank_)));
        }
        return text;
    }

    std::string indices() const {
        std::string list;
        for (int axis = 0; axis < rank_; ++axis)
            list += fmt::format("{}i{}", axis == 0 ? "" : ", ", axis);
        return fmt::format("const long indices[] = {{{}}};\nconst Indices _ind{{indices}};\n",
                           list);
    }

    // kgen's default accumulators, see ReductionOptions.
    static std::string accumulator(const Reduction& reduction) {
        if (!reduction.options.reduce_type.empty()) return reduction.options.reduce_type;
        const DType dtype = reduction.output_dtypes.front();
        if (item_size(dtype) == 2 && kind_of(dtype) == DTypeKind::real) return "float";
        if (kind_of(dtype) == DTypeKind::signed_integer) return "std::int64_t";
        if (kind_of(dtype) <= DTypeKind::unsigned_integer) return "std::uint64_t";
        return std::string(to_text(dtype));
    }

    const Case& given_;
    const PreparedCase& prepared_;
    NaiveKnows knows_;
    Dims shape_;
    int rank_;
    std::vector<std::string> extents_;
    std::vector<long> numbers_;
    std::string index_ = "0";
};

}  // namespace

NaiveText naive_loop_text(const Case& given, const PreparedCase& prepared, NaiveKnows knows) {
    LoopWriter writer(given, prepared, knows);
    const auto* kernel = std::get_if<Kernel>(&given.kernel);
    std::string text = kernel != nullptr ? writer.elementwise(*kernel)
                                         : writer.reduction(std::get<Reduction>(given.kernel));
    return {std::move(text), std::move(writer).numbers()};
}

}  // namespace kgen::bench

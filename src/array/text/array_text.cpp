// SPDX-License-Identifier: MIT
//
// Prints an Array like NumPy's str(): elements of equal width, in lines. Of a large array, only both ends of
// each axis are shown.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "array/text/float_text.hpp"
#include "dtype/conversion.hpp"
#include "memory/array_access.hpp"
#include "memory/host_order.hpp"
#include "memory/layout.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

constexpr int most_digits = 100;

void check_options(const PrintOptions& options) {
    if (options.precision < 0 || options.precision > most_digits) {
        refuse<TypeError>({ErrorKind::option,
                           "precision",
                           fmt::format("0 to {}", most_digits),
                           std::to_string(options.precision)},
                          "to_text: the precision is {}, expected 0 to {}",
                          options.precision,
                          most_digits);
    }
    if (options.edge_items < 1) {
        refuse<TypeError>(
            {ErrorKind::option, "edge_items", "at least 1", std::to_string(options.edge_items)},
            "to_text: edge_items is {}, expected at least 1",
            options.edge_items);
    }
}

// Whether an axis is longer than its two ends together.
bool is_longer(std::int64_t extent, std::int64_t edge) {
    return extent / 2 >= edge && extent - edge > edge;
}

// Returns a host copy of the elements to be shown. Of an axis longer than 2 * edge, these are its two ends.
Array corners_of(const Array& array, std::int64_t edge) {
    Dims shape = array.shape();
    for (std::int64_t& extent : shape) {
        if (is_longer(extent, edge)) extent = 2 * edge;
    }
    const Array corners = empty(shape, array.dtype(), {.device = Device::host()});
    std::vector<Range> from(shape.size());
    std::vector<Range> to(shape.size());
    const auto copy = [&](const auto& self, std::size_t axis) -> void {
        if (axis == shape.size()) {
            corners.slice(to).assign(array.slice(from));
        } else if (!is_longer(array.shape()[axis], edge)) {
            from[axis] = to[axis] = {};
            self(self, axis + 1);
        } else {
            from[axis] = to[axis] = {.start = {}, .stop = edge};
            self(self, axis + 1);
            from[axis] = to[axis] = {.start = -edge, .stop = {}};
            self(self, axis + 1);
        }
    };
    copy(copy, 0);
    return corners;
}

std::vector<std::string> format_floats(std::span<const double> values,
                                       DType dtype,
                                       const PrintOptions& options) {
    const FloatFormat format(values, dtype, options);
    std::vector<std::string> texts;
    texts.reserve(values.size());
    for (const double value : values) texts.push_back(format(value));
    return texts;
}

template <typename T>
std::vector<std::string> format_complex(std::span<const T> elements,
                                        DType part,
                                        PrintOptions options) {
    std::vector<double> real;
    std::vector<double> imag;
    for (const T& element : elements) {
        real.push_back(static_cast<double>(element.real()));
        imag.push_back(static_cast<double>(element.imag()));
    }
    std::vector<std::string> texts = format_floats(real, part, options);
    options.sign = PrintSign::plus;
    const std::vector<std::string> imag_texts = format_floats(imag, part, options);
    for (std::size_t k = 0; k < texts.size(); ++k) {
        std::string text = imag_texts[k];
        text.insert(text.find_last_not_of(' ') + 1, "j");
        texts[k] += text;
    }
    return texts;
}

template <typename T>
std::vector<std::string> format_integers(std::span<const T> elements, PrintSign sign) {
    const bool has_negative =
        std::any_of(elements.begin(), elements.end(), [](T element) { return element < T{0}; });
    std::vector<std::string> texts;
    std::size_t width = 0;
    for (const T element : elements) {
        const char* prefix = element < T{0} || sign == PrintSign::none ? ""
                             : sign == PrintSign::plus                 ? "+"
                             : has_negative                            ? ""
                                                                       : " ";
        texts.push_back(fmt::format("{}{}", prefix, element));
        width = std::max(width, texts.back().size());
    }
    for (std::string& text : texts) text.insert(0, width - text.size(), ' ');
    return texts;
}

// Returns the texts of all elements in equal width. The array is on the host and contiguous.
std::vector<std::string> format_elements(const Array& array, const PrintOptions& options) {
    const auto count = static_cast<std::size_t>(array.size());
    return visit_dtype(array.dtype(), [&]<typename T>() {
        std::vector<std::string> texts;
        if constexpr (std::is_same_v<T, bool>) {
            const auto* bytes = static_cast<const std::uint8_t*>(array.data());
            for (std::size_t k = 0; k < count; ++k) texts.push_back(bytes[k] ? " True" : "False");
        } else {
            const std::span<const T> elements(static_cast<const T*>(array.data()), count);
            if constexpr (std::is_integral_v<T>) {
                texts = format_integers(elements, options.sign);
            } else if constexpr (is_complex_type<T>) {
                texts = format_complex(elements, dtype_of<typename T::value_type>(), options);
            } else {
                std::vector<double> values;
                for (const T element : elements) values.push_back(static_cast<double>(element));
                texts = format_floats(values, array.dtype(), options);
            }
        }
        return texts;
    });
}

std::string format_complex_scalar(double real, double imag, DType part) {
    std::string text = bare_float_text(imag, part);
    if (real == 0 && !std::signbit(real)) return text + "j";
    if (text.front() != '-') text.insert(0, 1, '+');
    return fmt::format("({}{}j)", bare_float_text(real, part), text);
}

// An array of rank 0 prints as its element.
std::string format_scalar(const Array& array) {
    return visit_dtype(array.dtype(), [&]<typename T>() -> std::string {
        if constexpr (std::is_same_v<T, bool>) {
            return array.item<bool>() ? "True" : "False";
        } else {
            const T value = array.item<T>();
            if constexpr (std::is_integral_v<T>) {
                return fmt::format("{}", value);
            } else if constexpr (is_complex_type<T>) {
                return format_complex_scalar(static_cast<double>(value.real()),
                                             static_cast<double>(value.imag()),
                                             dtype_of<typename T::value_type>());
            } else {
                return float_text(static_cast<double>(value), array.dtype());
            }
        }
    });
}

// Arranges the texts of the elements in brackets.
class Layout {
public:
    Layout(const Dims& full_shape,
           const Dims& shown_shape,
           std::span<const std::string> texts,
           const PrintOptions& options)
        : full_shape_(full_shape),
          shown_shape_(shown_shape),
          texts_(texts),
          edge_(options.edge_items),
          line_width_(static_cast<std::size_t>(std::max(options.line_width, 0))) {}

    std::string text() { return block(0); }

private:
    std::string block(int axis) {
        return axis == shown_shape_.rank() - 1 ? row(axis) : blocks(axis);
    }

    bool is_cut(int axis) const { return full_shape_[axis] > shown_shape_[axis]; }

    // The blocks of one axis, each on its own lines.
    std::string blocks(int axis) {
        const std::string indent(static_cast<std::size_t>(axis) + 1, ' ');
        const std::string separator(static_cast<std::size_t>(shown_shape_.rank() - 1 - axis), '\n');
        std::string text = "[";
        for (std::int64_t k = 0; k < shown_shape_[axis]; ++k) {
            if (k > 0) text += separator + indent;
            if (k == edge_ && is_cut(axis)) text += "..." + separator + indent;
            text += block(axis + 1);
        }
        return text + "]";
    }

    // The elements of the last axis, broken into lines.
    std::string row(int axis) {
        const std::string indent(static_cast<std::size_t>(axis) + 1, ' ');
        // Each enclosing block may close with a bracket on this line.
        const auto brackets = static_cast<std::size_t>(axis) + 1;
        const std::size_t width = line_width_ > brackets ? line_width_ - brackets : 0;
        std::string text;
        std::string line = indent;
        const auto add = [&](std::string_view word) {
            if (line.size() + word.size() > width && line.size() > indent.size()) {
                line.erase(line.find_last_not_of(' ') + 1);
                text += line + "\n";
                line = indent;
            }
            line += word;
        };
        for (std::int64_t k = 0; k < shown_shape_[axis]; ++k) {
            if (k == edge_ && is_cut(axis)) {
                add("...");
                line += ' ';
            }
            add(texts_[next_++]);
            if (k + 1 < shown_shape_[axis]) line += ' ';
        }
        text += line;
        return "[" + text.substr(indent.size()) + "]";
    }

    const Dims& full_shape_;
    const Dims& shown_shape_;
    std::span<const std::string> texts_;
    std::int64_t edge_;
    std::size_t line_width_;
    std::size_t next_ = 0;
};

// Formats an array that has at least one element.
std::string format_array(const Array& array, const PrintOptions& options) {
    const Array shown = array.size() > options.threshold ? corners_of(array, options.edge_items)
                                                         : array.to(Device::host()).ascontiguous();
    const std::vector<std::string> texts = format_elements(shown, options);
    if (array.rank() == 0) return texts[0];
    return Layout(array.shape(), shown.shape(), texts, options).text();
}

}  // namespace

std::string to_text(const Array& array) try {
    require_value(array, "to_text");
    require_host_elements(array.device());
    if (array.size() == 0) return "[]";
    return array.rank() == 0 ? format_scalar(array) : format_array(array, {});
} catch (...) {
    rethrow_as_error();
}

std::string to_text(const Array& array, const PrintOptions& options) try {
    require_value(array, "to_text");
    check_options(options);
    require_host_elements(array.device());
    return array.size() == 0 ? "[]" : format_array(array, options);
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen

// SPDX-License-Identifier: MIT
#include "cli/text/list_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <kgen/promote_types.hpp>
#include <optional>
#include <string>

#include "cli/exit_status.hpp"
#include "cli/text/argument_text.hpp"

namespace kgen::cli {

namespace {

class ListReader {
public:
    ListReader(std::string_view argument, std::string_view text)
        : argument_(argument), rest_(text) {}

    ListValue read() {
        read_list(0);
        skip_blanks();
        if (!rest_.empty()) fail("unexpected '{}' after the list", rest_);
        for (std::size_t depth = 0; depth < lengths_.size(); ++depth)
            list_.shape.push_back(*lengths_[depth]);
        std::optional<DType> dtype;
        for (const Scalar& each : list_.elements)
            dtype = dtype ? promote_types(*dtype, each.dtype()) : each.dtype();
        list_.dtype = dtype.value_or(DType::float64);
        return std::move(list_);
    }

private:
    template <typename... Parts>
    [[noreturn]] void fail(fmt::format_string<Parts...> text, Parts&&... parts) const {
        throw UsageError(fmt::format("argument '{}': ", argument_) +
                         fmt::format(text, std::forward<Parts>(parts)...));
    }

    void skip_blanks() {
        const std::size_t blanks = rest_.find_first_not_of(" \t\n");
        rest_.remove_prefix(std::min(blanks, rest_.size()));
    }

    bool take(char letter) {
        skip_blanks();
        if (rest_.empty() || rest_.front() != letter) return false;
        rest_.remove_prefix(1);
        return true;
    }

    void read_list(std::size_t depth) {
        if (depth == static_cast<std::size_t>(max_rank))
            fail("the lists are nested deeper than {} axes, the most of an array", max_rank);
        static_cast<void>(take('['));
        if (lengths_.size() == depth) lengths_.emplace_back();
        std::int64_t length = 0;
        while (!take(']')) {
            if (length > 0 && !take(',')) {
                skip_blanks();
                if (rest_.empty()) fail("']' is missing at the end of the list");
                fail("expected ',' or ']' in the list before '{}'", rest_);
            }
            read_item(depth + 1);
            ++length;
        }
        std::optional<std::int64_t>& expected = lengths_[depth];
        if (expected && *expected != length) {
            fail("the lists along axis {} have {} and {} elements, expected equal numbers",
                 depth,
                 *expected,
                 length);
        }
        expected = length;
    }

    void read_item(std::size_t depth) {
        skip_blanks();
        const bool is_list = rest_.starts_with('[');
        // The first item at each depth decides whether lists or numbers stand there.
        const bool is_first = list_.elements.empty() && lengths_.size() == depth && !is_innermost_;
        if (!is_first && is_list != (depth < rank()))
            fail("a list and a number stand side by side in the list");
        if (is_list) return read_list(depth);
        is_innermost_ = true;
        const std::string_view item = rest_.substr(0, rest_.find_first_of(",]["));
        const std::size_t end = item.find_last_not_of(" \t\n") + 1;
        if (end == 0) {
            if (rest_.empty()) fail("']' is missing at the end of the list");
            fail("a number is missing in the list before '{}'", rest_);
        }
        list_.elements.push_back(parse_scalar(argument_, item.substr(0, end)));
        rest_.remove_prefix(item.size());
    }

    std::size_t rank() const { return lengths_.size(); }

    std::string_view argument_;
    std::string_view rest_;
    ListValue list_;
    std::vector<std::optional<std::int64_t>> lengths_;  // of the first complete list at each depth
    bool is_innermost_ = false;                         // a number was read
};

}  // namespace

Array ListValue::make_array(Device device) const {
    const std::size_t bytes = item_size(dtype);
    std::vector<std::byte> data(elements.size() * bytes);
    for (std::size_t k = 0; k < elements.size(); ++k) {
        const std::string problem = convert_scalar(elements[k], dtype, data.data() + k * bytes);
        if (!problem.empty()) throw UsageError(problem);
    }
    return from_host(data.data(), dtype, shape, {.device = device});
}

ListValue parse_list(std::string_view argument, std::string_view text) {
    return ListReader(argument, text).read();
}

}  // namespace kgen::cli

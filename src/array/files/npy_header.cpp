// SPDX-License-Identifier: MIT
#include "array/files/npy_header.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <optional>
#include <utility>

#include "dtype/dtype_table.hpp"
#include "text/ascii_text.hpp"

namespace kgen {

namespace {

static_assert(std::endian::native == std::endian::little, "files are written as memory is");

constexpr std::string_view magic = "\x93NUMPY";
// The limit of version 1.0. NumPy's own default limit is 10000.
constexpr std::size_t longest_header = 65535;

// Parses the dictionary from left to right.
class HeaderReader {
public:
    explicit HeaderReader(std::string_view text) : text_(text) {}

    NpyHeader read() {
        NpyHeader header;
        bool has_descr = false;
        bool has_order = false;
        bool has_shape = false;
        expect('{');
        while (!next_is('}')) {
            const std::string key = read_string("a key");
            expect(':');
            if (key == "descr") {
                once(has_descr, key);
                header.descr = read_descr();
            } else if (key == "fortran_order") {
                once(has_order, key);
                header.fortran_order = read_bool();
            } else if (key == "shape") {
                once(has_shape, key);
                header.shape = read_shape();
            } else {
                fail(fmt::format("has the unknown key '{}'", ascii_text(key)));
            }
            if (!next_is('}')) expect(',');
        }
        expect('}');
        skip_spaces();
        if (at_ < text_.size())
            fail(fmt::format("has extra text at byte {}, after the dictionary", at_));
        if (!has_descr) fail("has no key 'descr'");
        if (!has_order) fail("has no key 'fortran_order'");
        if (!has_shape) fail("has no key 'shape'");
        return header;
    }

private:
    [[noreturn]] static void fail(const std::string& what) { throw IoError("the header " + what); }

    [[noreturn]] void fail_expecting(std::string_view expected) {
        skip_spaces();
        if (at_ == text_.size()) fail(fmt::format("ends early: expected {}", expected));
        fail(fmt::format(
            "has '{}' at byte {}, expected {}", ascii_text(text_.substr(at_, 1)), at_, expected));
    }

    static void once(bool& seen, const std::string& key) {
        if (std::exchange(seen, true)) fail(fmt::format("has the key '{}' twice", key));
    }

    void skip_spaces() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' ||
                                      text_[at_] == '\t' || text_[at_] == '\r')) {
            ++at_;
        }
    }

    bool next_is(char c) {
        skip_spaces();
        return at_ < text_.size() && text_[at_] == c;
    }

    void expect(char c) {
        if (!next_is(c)) fail_expecting(fmt::format("'{}'", c));
        ++at_;
    }

    bool skip_word(std::string_view word) {
        skip_spaces();
        if (text_.substr(at_, word.size()) != word) return false;
        at_ += word.size();
        return true;
    }

    std::string read_string(std::string_view what) {
        skip_spaces();
        const char quote = at_ < text_.size() ? text_[at_] : '\0';
        if (quote != '\'' && quote != '"') fail_expecting(what);
        const std::size_t end = text_.find(quote, at_ + 1);
        if (end == std::string_view::npos)
            fail(fmt::format("has an unclosed quote at byte {}", at_));
        std::string result(text_.substr(at_ + 1, end - at_ - 1));
        at_ = end + 1;
        return result;
    }

    std::string read_descr() {
        if (next_is('[')) {
            throw IoError("has a structured dtype, which kgen does not support: save one field");
        }
        return read_string("the dtype in quotes");
    }

    bool read_bool() {
        if (skip_word("True")) return true;
        if (skip_word("False")) return false;
        fail_expecting("True or False");
    }

    Dims read_shape() {
        Dims shape;
        bool has_comma = false;
        expect('(');
        while (!next_is(')')) {
            if (shape.rank() > 0 && !has_comma) fail_expecting("','");
            if (shape.rank() == max_rank) {
                fail(fmt::format("has a shape of more than {} axes", max_rank));
            }
            shape.push_back(read_extent());
            has_comma = next_is(',');
            if (has_comma) ++at_;
        }
        expect(')');
        // "(3)" is a number in Python, not a tuple.
        if (shape.rank() == 1 && !has_comma) fail("has the shape (3), expected the tuple (3,)");
        return shape;
    }

    std::int64_t read_extent() {
        skip_spaces();
        std::int64_t extent = 0;
        const char* begin = text_.data() + at_;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), extent);
        if (error == std::errc::result_out_of_range) {
            fail(fmt::format(
                "has the extent {}, which does not fit in 64 bits",
                ascii_text(std::string_view(begin, static_cast<std::size_t>(end - begin)))));
        }
        if (error != std::errc()) fail_expecting("an extent or ')'");
        if (extent < 0) fail(fmt::format("has the negative extent {}", extent));
        at_ += static_cast<std::size_t>(end - begin);
        if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote long integers as 3L
        return extent;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

NpyPrefix parse_npy_prefix(std::string_view bytes) {
    if (bytes.substr(0, magic.size()) != magic || bytes.size() < 10) {
        throw IoError("not an .npy file: it does not begin with '\\x93NUMPY'");
    }
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(bytes[k]); };
    const unsigned major = byte(6);
    const unsigned minor = byte(7);
    if (major < 1 || major > 3 || minor != 0) {
        throw IoError(
            fmt::format("has .npy version {}.{}, expected 1.0, 2.0 or 3.0", major, minor));
    }
    NpyPrefix prefix;
    prefix.size_bytes = major == 1 ? 10 : 12;
    if (bytes.size() < prefix.size_bytes) throw IoError("truncated: it ends within the header");
    for (std::size_t k = prefix.size_bytes; k-- > 8;) {
        prefix.header_bytes = prefix.header_bytes << 8 | byte(k);
    }
    if (prefix.header_bytes > longest_header) {
        throw IoError(fmt::format(
            "the header has {} bytes, expected at most {}", prefix.header_bytes, longest_header));
    }
    return prefix;
}

NpyHeader parse_npy_header(std::string_view dictionary) {
    return HeaderReader(dictionary).read();
}

NpyType parse_npy_descr(std::string_view descr, std::optional<DType> expected) {
    const char mark = descr.empty() ? '\0' : descr.front();
    const bool has_mark = mark == '<' || mark == '>' || mark == '=' || mark == '|';
    const std::string_view name = has_mark ? descr.substr(1) : descr;
    const ByteOrder order = mark == '>' ? ByteOrder::big : ByteOrder::little;
    if (name == "?") return {DType::bool_, order};
    std::string candidates;
    for (const DType dtype : all_dtypes) {
        if (name != row_of(dtype).npy_code) continue;
        if (name.front() != 'V' || expected == dtype) return {dtype, order};
        candidates += fmt::format("{}{}", candidates.empty() ? "" : " or ", to_text(dtype));
    }
    if (!candidates.empty()) {
        throw IoError(fmt::format(
            "dtype '{}' is unknown: if the elements are {}, pass that dtype", descr, candidates));
    }
    if (!name.empty() && name.front() == 'O') {
        throw IoError(
            fmt::format("dtype '{}' means Python objects; kgen reads numbers only", descr));
    }
    throw IoError(fmt::format(
        "dtype '{}' is not supported: expected b1, i1 to i8, u1 to u8, f2 to f8, c8 or c16",
        ascii_text(descr)));
}

std::string npy_descr(DType dtype) {
    return fmt::format("{}{}", item_size(dtype) == 1 ? '|' : '<', row_of(dtype).npy_code);
}

std::string make_npy_header(DType dtype, Order order, const Dims& shape) {
    std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}",
                                         npy_descr(dtype),
                                         order == Order::f ? "True" : "False",
                                         to_text(shape));
    const std::size_t total = (10 + dictionary.size() + 1 + 63) / 64 * 64;
    dictionary.resize(total - 10 - 1, ' ');
    dictionary += '\n';
    std::string header(magic);
    header += {'\x01', '\x00'};
    header += static_cast<char>(dictionary.size() & 0xff);
    header += static_cast<char>(dictionary.size() >> 8);
    return header + dictionary;
}

}  // namespace kgen

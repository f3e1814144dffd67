// SPDX-License-Identifier: MIT
#include "cuda/nvrtc/ptx_parameters.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <unordered_map>

namespace kgen {

namespace {

// PtxTokens: splits PTX into tokens. A name, a number, a directive (".param") or an operation code with its
// types ("ld.param.u64") is one token. Any other character is a token by itself.
class PtxTokens {
public:
    explicit PtxTokens(std::string_view text) : text_(text) {}

    // Returns the next token; empty at the end. Skips comments and strings.
    std::string_view next() {
        while (at_ < text_.size()) {
            const std::size_t start = at_;
            if (is_word(text_[at_])) {
                while (at_ < text_.size() && is_word(text_[at_])) ++at_;
                return text_.substr(start, at_ - start);
            }
            const std::string_view rest = text_.substr(at_);
            if (rest.substr(0, 2) == "//") {
                skip_past(text_.find('\n', at_), 1);
            } else if (rest.substr(0, 2) == "/*") {
                skip_past(text_.find("*/", at_ + 2), 2);
            } else if (rest.front() == '"') {
                skip_past(text_.find('"', at_ + 1), 1);
            } else {
                ++at_;
                if (!is_blank(rest.front())) return rest.substr(0, 1);
            }
        }
        return {};
    }

private:
    static bool is_word(char c) noexcept {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '$' || c == '%' || c == '.';
    }
    static bool is_blank(char c) noexcept {
        return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0';
    }
    void skip_past(std::size_t end, std::size_t length) noexcept {
        at_ = end == std::string_view::npos ? text_.size() : end + length;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

bool is_name(std::string_view token) {
    if (token.empty() || token.front() == '.') return false;
    const char first = token.front();
    return (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '_' ||
           first == '$' || first == '%';
}

std::size_t number_of(std::string_view token) {
    std::size_t number = 0;
    std::from_chars(token.data(), token.data() + token.size(), number);
    return number;
}

// Returns the size in bytes of a type such as ".u64", ".f32", ".b8", ".f16x2" or ".b128"; 0 if it is not a
// type.
std::size_t type_bytes(std::string_view directive) {
    if (directive == ".f16x2" || directive == ".bf16x2") return 4;
    if (directive == ".bf16") return 2;
    if (directive.size() < 3 ||
        std::string_view("usfb").find(directive[1]) == std::string_view::npos)
        return 0;
    const std::size_t bits = number_of(directive.substr(2));
    return bits % 8 == 0 && bits <= 128 ? bits / 8 : 0;
}

// Limit of the number of array elements, larger than any kernel parameter. Larger declarations are cut to it.
constexpr std::size_t most_elements = 1 << 20;

struct Declaration {
    std::string_view name;
    PtxParameter parameter;
    bool may_point = false;  // 8 bytes, so it is an integer or an unmarked pointer
};

// Reads one declaration, without its ".param", up to the token that ends it.
Declaration read_declaration(PtxTokens& tokens, std::string_view& token, bool& marks_pointers) {
    Declaration read;
    std::string_view type;
    std::size_t elements = 1;
    bool is_array = false;
    bool is_pointer = false;
    for (; !token.empty() && token != "," && token != ")"; token = tokens.next()) {
        if (token == ".ptr") {
            is_pointer = marks_pointers = true;
        } else if (token == ".align") {
            // After .ptr it is the alignment of the memory.
            const std::size_t alignment = number_of(tokens.next());
            if (!is_pointer) read.parameter.alignment = alignment;
        } else if (type_bytes(token) != 0) {
            type = token;
        } else if (token == "[") {
            is_array = true;
            elements = std::min(elements * std::min(number_of(tokens.next()), most_elements),
                                most_elements);
        } else if (is_name(token)) {
            read.name = token;
        }
    }
    read.parameter.bytes = type_bytes(type) * elements;
    if (is_array) {
        read.parameter.kind = ParameterKind::aggregate;
    } else if (is_pointer) {
        read.parameter.kind = ParameterKind::pointer;
    } else if (type == ".f32" || type == ".f64") {
        read.parameter.kind = ParameterKind::floating;
    } else if (type.starts_with(".u") || type.starts_with(".s")) {
        read.parameter.kind = ParameterKind::integer;
        read.may_point = read.parameter.bytes == 8;
    } else {
        read.may_point = type == ".b64";  // untyped bits: a number or a pointer
    }
    return read;
}

// Returns true for texture and surface operations, whose operand in brackets is a handle and not an address.
bool takes_handle(std::string_view operation) {
    constexpr std::array<std::string_view, 7> starts = {
        "tex.", "tld4.", "txq.", "suld.", "sust.", "sured.", "suq."};
    return std::any_of(starts.begin(), starts.end(), [&](std::string_view start) {
        return operation.starts_with(start);
    });
}

// Marks the parameters that a body uses as addresses. Before a pointer is dereferenced, NVVM converts it to
// the global space: ld.param.u64 %rd1, [k_param_0]; cvta.to.global.u64 %rd4, %rd1.
void find_pointers(PtxTokens& tokens, std::vector<Declaration>& parameters) {
    std::unordered_map<std::string_view, Declaration*> named;
    for (Declaration& each : parameters) {
        if (each.may_point) named.emplace(each.name, &each);
    }
    std::unordered_map<std::string_view, Declaration*> held;  // the parameter in each register
    const auto mark = [&](std::string_view reg) {
        const auto found = held.find(reg);
        if (found != held.end()) found->second->parameter.kind = ParameterKind::pointer;
    };
    int depth = 1;
    std::string_view operation;  // empty if an operation may begin here
    for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
        if (token == "{") {
            ++depth;
        } else if (token == "}") {
            if (--depth == 0) return;
        }
        if (token == ";" || token == ":" || (operation.empty() && token == "{")) {
            operation = {};
        } else if (token == "@" && operation.empty()) {
            if (tokens.next() == "!") tokens.next();
        } else if (operation.empty() && token != "}") {
            operation = token;
            if (operation.starts_with("ld.param")) {
                const std::string_view reg = tokens.next();
                if (tokens.next() == "," && tokens.next() == "[") {
                    const auto found = named.find(tokens.next());
                    if (found != named.end()) held[reg] = found->second;
                }
            } else if (operation.starts_with("cvta.to.")) {
                tokens.next();
                tokens.next();
                mark(tokens.next());
            }
        } else if (token == "[" && !takes_handle(operation)) {
            mark(tokens.next());
        }
    }
}

}  // namespace

std::vector<PtxParameter> ptx_parameters(std::string_view ptx, std::string_view symbol) {
    PtxTokens tokens(ptx);
    std::string_view token = tokens.next();
    while (!token.empty() && !(token == ".entry" && (token = tokens.next()) == symbol)) {
        token = tokens.next();
    }
    std::vector<Declaration> parameters;
    bool marks_pointers = false;
    if (tokens.next() != "(") return {};  // the kernel has no parameters
    for (token = tokens.next(); token == ".param" || token == ",";) {
        if (token == ".param") {
            token = tokens.next();
            parameters.push_back(read_declaration(tokens, token, marks_pointers));
        } else {
            token = tokens.next();
        }
    }
    const bool may_point = std::any_of(parameters.begin(),
                                       parameters.end(),
                                       [](const Declaration& each) { return each.may_point; });
    if (may_point && !marks_pointers) {
        while (!token.empty() && token != "{") token = tokens.next();
        find_pointers(tokens, parameters);
    }
    std::vector<PtxParameter> found;
    for (const Declaration& each : parameters) found.push_back(each.parameter);
    return found;
}

std::vector<std::string> ptx_variables(std::string_view ptx) {
    std::vector<std::string> names;
    PtxTokens tokens(ptx);
    int depth = 0;  // nesting of braces and parentheses
    bool is_declared = false;
    for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
        if (token == "{" || token == "(") ++depth;
        if (token == "}" || token == ")") --depth;
        if (depth > 0) continue;
        if (token == ".global" || token == ".const") {
            is_declared = true;
        } else if (token == ";") {
            is_declared = false;
        } else if (is_declared && is_name(token)) {
            is_declared = false;  // the initializer follows
            // The compiler adds variables for strings and __func__: $str$1, __unnamed_1.
            if (token.front() != '$' && !token.starts_with("__unnamed_")) names.emplace_back(token);
        }
    }
    return names;
}

}  // namespace kgen

// SPDX-License-Identifier: MIT
//
// Signature: what the strings of a kernel say, checked, and which facts its bodies show. Stage 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/accuracy.hpp>
#include <kgen/dtype.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kgen {

// The strings of a reduction beside those that all kernels have; its map is Definition::operation.
struct ReductionTexts {
    std::string reduce;       // of `a` and `b`
    std::string post_map;     // of `a`
    std::string identity;     // empty: the first element starts the fold
    std::string reduce_type;  // of the accumulator; empty: default_accumulator of the first output
    Accuracy accuracy = Accuracy::plain;
};

// The strings that define a kernel, as the user wrote them. They are the excerpts of messages and
// the text between #line directives.
struct Definition {
    std::string name;
    std::string inputs;
    std::string outputs;
    std::string operation;
    std::string preamble;
    std::string loop_prep;
    std::string after_loop;
    std::vector<std::string> options;
    std::optional<ReductionTexts> reduction = {};
};

// A text of a definition that is C++, and what messages and #line directives call it: "map".
struct CodeText {
    std::string_view label;
    const std::string* text;  // of the definition
};

// All of them, empty ones too; the preamble last.
std::vector<CodeText> code_texts(const Definition& definition);

// Whether a text or an option includes a file.
bool includes_files(const Definition& definition);

// One parameter. Its type is a dtype or a placeholder.
struct Parameter {
    std::string name;
    std::optional<DType> dtype;  // none: the placeholder below names it
    char placeholder = 0;
    bool raw = false;
    bool output = false;
    bool written = false;  // an output, or an input that is `_non_const`

    // What the bodies do with the name (see find_body_facts).
    bool by_reference = false;  // `&name` or `_raw_name`: needs a true reference into memory
    bool viewed = false;        // `_raw_name`
    bool unnamed = false;       // an output that no text can write (find_output_uses)
    bool read_first = false;    // an output that is read before it is written (find_output_uses)
};

// What the bodies use beside the parameters. The first three are of elementwise kernels; see
// ReductionFacts.
struct BodyFacts {
    bool index = false;          // `i`
    bool count = false;          // `n`
    bool indexer = false;        // `_ind`
    int long_functions = 0;      // how often mathematical functions of many instructions are named
    bool shared_memory = false;  // `__shared__`: a block's shared memory is the user's
    bool keeps_state = false;    // elements may see what others left: their order matters
    // Of the operation, or of map and reduce: a measure of the code that a copy of it makes.
    std::size_t token_count = 0;
};

// Whether a text is one expression, or statements that return its value.
enum class TextForm : std::uint8_t { expression, statements };

// What a text of a reduction uses of its element's place.
struct PlaceFacts {
    bool index = false;           // `i`
    bool reduced_index = false;   // `_J`
    bool input_indexer = false;   // `_in_ind`
    bool output_indexer = false;  // `_out_ind`
};

// What the texts of a reduction show.
struct ReductionFacts {
    TextForm map = TextForm::expression;
    TextForm reduce = TextForm::expression;
    bool has_identity = false;
    bool has_own_accumulator = false;  // reduce_type is given
    Accuracy accuracy = Accuracy::plain;
    PlaceFacts map_place;
    PlaceFacts post_place;
};

struct Signature {
    std::string name;
    std::vector<Parameter> parameters;  // inputs, then outputs
    int input_count = 0;
    BodyFacts facts;
    std::optional<ReductionFacts> reduction = {};

    int output_count() const noexcept { return static_cast<int>(parameters.size()) - input_count; }
};

// Reads the strings. Grammar of a parameter list:
//
//     list      := "" | parameter ("," parameter)*
//     parameter := ("raw" | "const" | "_non_const")* TYPE NAME
//     TYPE      := a dtype's NumPy or C name | one letter (a placeholder)
//
// Of a reduction, map and reduce are expressions, or statements that return the value: a text is the
// latter if it has a ';' outside of all brackets, or begins as a statement does. Throws
// SignatureError, whose message shows the place with a caret.
Signature parse_signature(const Definition& definition);

// "argument 2 ('x')", "output 1 ('z')": how messages name a parameter.
std::string describe_argument(const Signature& signature, std::size_t position);

// "T x, raw float32 y -> T z".
std::string to_text(const Signature& signature);

}  // namespace kgen

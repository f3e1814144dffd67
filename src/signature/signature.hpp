// SPDX-License-Identifier: MIT
//
// Signature: the checked parameters of a kernel, and facts about its bodies. Made from the strings that
// define the kernel. Stage 1 of the pipeline (src/README.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/accuracy.hpp>
#include <kgen/dtype.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kgen {

// The strings that only reductions have. The map of a reduction is Definition::operation.
struct ReductionTexts {
    std::string reduce;       // folds `a` and `b`
    std::string post_map;     // writes the outputs from `a`
    std::string identity;     // if empty, the fold starts with the first element
    std::string reduce_type;  // of the accumulator; if empty, default_accumulator(first output)
    Accuracy accuracy = Accuracy::plain;
    // Expressions count what their reductions do, for predicted times. All are 0 in other reductions.
    int plain_folds = 0;          // accumulators of arithmetic types
    int struct_folds = 0;         // other accumulators
    int quotients = 0;            // in the texts that fold these
    std::size_t token_count = 0;  // without the text that connects the functions
};

// One pass over the elements of a row. Its texts are statements. `kgen_row_count` is the number of elements of a row, and `_J` in
// the map the index of the element in it.
struct RowPass {
    std::string type;    // of the accumulator; the preamble defines it
    std::string map;     // returns the value of one element
    std::string reduce;  // returns `a` and `b` as one
    std::string
        identity;  // returns where the fold starts; if empty, it starts with the first element
    std::string post_map;  // sets results of the row from `a`
    int folds = 1;         // reductions that the accumulator serves
};

// What a pass leaves for the row: the member `name` of `kgen_row` in all later texts.
struct RowResult {
    std::string type;
    std::string name;
};

// Random numbers, one for each element: the variable `name` of the texts of passes and of the operation.
struct RowDraw {
    DType dtype;
    std::string name;
};

// What an output of a row kernel has: the elements of the rows, or one element for each row, whose axes have extent 1
// or are gone.
enum class RowOutput : std::uint8_t { elements, kept, gone };

// The strings that only row kernels have. They fold each row several times: a pass reads what the passes before it left.
// Definition::operation then writes the outputs that have the elements of the rows.
struct RowTexts {
    std::vector<RowPass> passes;
    std::vector<RowResult> results;
    std::vector<RowDraw> draws;
    std::string draw;    // declares the draws and sets them for element `i`
    std::string finish;  // writes the outputs that have one element for each row
    std::vector<RowOutput> outputs;
};

// The strings that define a kernel, exactly as the user wrote them. Messages show excerpts of them, and the
// generated source contains them between #line directives.
struct Definition {
    std::string name;
    std::string inputs;
    std::string outputs;
    std::string operation;
    std::string preamble;
    std::string loop_prep;
    std::string after_loop;
    std::vector<std::string> options;
    std::vector<std::string> include_directories = {};
    std::optional<ReductionTexts> reduction = {};
    std::optional<RowTexts> rows = {};  // made from expressions only
    std::string loop = {};  // the name of the loop that runs all calls; empty: the plan chooses
};

// A C++ text of a definition, and its name in messages and #line directives ("map").
struct CodeText {
    std::string_view label;
    const std::string* text;  // points into the definition
};

// Returns all C++ texts of the definition, including empty ones. The preamble is last.
std::vector<CodeText> code_texts(const Definition& definition);

// The name of the type that wrapping_typedef() defines begins with this.
inline constexpr std::string_view wrapping_prefix = "kgen_wrapping_";

// Whether a text of the definition, or its reduce_type, has the word.
bool mentions(const Definition& definition, std::string_view word);

// Returns the definition of the type kgen_wrapping_T, for a placeholder T, and `end`; "" if no text mentions the type. Sums, differences
// and products of values that are converted to it wrap around. It is unsigned where those of T could overflow, which C++ does not define, and
// `own` for other dtypes. NVRTC has no option such as g++'s -fwrapv.
std::string wrapping_typedef(const Definition& definition,
                             char placeholder,
                             DType dtype,
                             std::string_view own,
                             std::string_view end);

// A parameter of a kernel. Its type is a dtype, or a placeholder: a letter that takes its dtype from the
// arguments of a call.
struct Parameter {
    std::string name;
    std::optional<DType> dtype;  // empty if the type is the placeholder below
    char placeholder = 0;
    bool raw = false;  // the bodies index the whole array
    bool output = false;
    bool written = false;  // an output, or an input that is `_non_const`

    // Uses of the name in the bodies (see find_body_facts).
    bool by_reference = false;  // `&name` or `_raw_name`: must be a reference into memory
    bool viewed = false;        // `_raw_name`
    bool wraps = false;    // raw: the number of elements serves only as in `name[k % name.size()]`
    bool unnamed = false;  // an output that no text can write (find_output_uses)
    bool read_first = false;   // an output that is read before it is written (find_output_uses)
    bool overwritten = false;  // an output whose old value no element uses (find_output_uses)
};

// Facts about the code of a kernel's bodies (its texts except the preamble). The first three are set for
// elementwise kernels only; reductions have PlaceFacts instead.
struct BodyFacts {
    bool index = false;          // `i`
    bool count = false;          // `n`
    bool indexer = false;        // `_ind`
    bool reduced_index = false;  // `_J` in the map of a row kernel
    bool index_wraps = false;    // `i` and `_ind` serve only as in `i % 7` and `_ind.get()[0] % 7`
    double work = 0;             // what quotients and functions take, in calls of exp
    // Whether the text of the elements of a row kernel calls functions, whose results take registers.
    bool calls_functions = false;
    bool shared_memory = false;  // `__shared__`: the user's code uses the block's shared memory
    bool draws = false;          // functions of random numbers, such as random_uniform
    bool index_draws = false;    // `i` serves only as an argument of these
    bool keeps_state = false;    // an element may depend on earlier ones, so their order matters
    // Number of tokens in the operation, or in map and reduce. Estimates how much code an unrolled copy adds.
    std::size_t token_count = 0;
};

// Form of a reduction's text: one expression, or statements that return the value.
enum class TextForm : std::uint8_t { expression, statements };

// Names for the element's position that a text of a reduction uses.
struct PlaceFacts {
    bool index = false;           // `i`
    bool reduced_index = false;   // `_J`
    bool joint_index = false;     // `_j`
    bool output_index = false;    // `_i`
    bool input_indexer = false;   // `_in_ind`
    bool output_indexer = false;  // `_out_ind`

    // Whether a text needs the index among the reduced elements, or that of the output.
    bool uses_reduced() const noexcept { return reduced_index || joint_index; }
    bool uses_output() const noexcept { return output_index || joint_index || output_indexer; }
};

// What a reduce expression does with two integers, if its tokens say so.
enum class FoldOperation : std::uint8_t {
    other,
    sum,
    largest,
    least,
    bits_or,
    bits_and,
    bits_xor,
    logical_or,
    logical_and,
};

// What a reduce expression does with a number and a NaN, in either order, if its tokens say so: it returns the NaN or the number.
enum class NanRule : std::uint8_t { other, kept, skipped };

// A part of a map: an input, or one that is cast.
struct PlainTerm {
    std::size_t parameter = 0;
    std::string cast;  // "long long"; empty without a cast
};

// A map that is an input or the sum of inputs, each with or without a cast, or that compares an input with 0.
// Without terms, it is another map.
struct PlainMap {
    std::vector<PlainTerm> terms;
    bool asks_truth = false;  // x != 0
};

// Facts about the texts of a reduction.
struct ReductionFacts {
    TextForm map = TextForm::expression;
    TextForm reduce = TextForm::expression;
    bool has_identity = false;
    bool has_own_accumulator = false;       // reduce_type is a type that only the compiler knows
    std::optional<DType> accumulator = {};  // reduce_type, if it is the name of a dtype
    bool is_plain_sum = false;              // the reduce is a + b
    FoldOperation operation = FoldOperation::other;
    NanRule nan_rule = NanRule::other;
    PlainMap plain_map;
    Accuracy accuracy = Accuracy::plain;
    PlaceFacts map_place;
    PlaceFacts post_place;
};

// A set of parameters: bit k is parameter k. Kernels of more parameters have no such sets.
using ParameterSet = std::uint64_t;
inline constexpr std::size_t most_in_set = 64;

// What an output is computed from, and what of BodyFacts the statements take that compute it.
struct OutputNeeds {
    ParameterSet parameters = 0;  // with the output, and other outputs that it reads
    std::size_t token_count = 0;
    double work = 0;
};

struct LexedDefinition;

struct Signature {
    std::string name;
    std::vector<Parameter> parameters;  // inputs, then outputs
    int input_count = 0;
    BodyFacts facts;
    std::optional<ReductionFacts> reduction = {};
    const std::vector<RowOutput>* row_outputs = nullptr;  // of a row kernel; part of the definition
    // One for each output, if a plan may compute outputs apart from each other (find_output_needs), else empty.
    std::vector<OutputNeeds> output_needs = {};
    // The definition and the tokens of its texts. Empty in templates that are read from files, because a file
    // may hold many long ones.
    std::shared_ptr<const LexedDefinition> lexed = {};

    // Needs `lexed`.
    const Definition& definition() const noexcept;
    // Whether axes are reduced: by a reduction, or by the passes of a row kernel.
    bool folds() const noexcept { return reduction.has_value() || row_outputs != nullptr; }
    // What output number k has.
    RowOutput output_form(std::size_t k, RowOutput of_reduction) const noexcept {
        return row_outputs != nullptr ? (*row_outputs)[k] : of_reduction;
    }
    int output_count() const noexcept { return static_cast<int>(parameters.size()) - input_count; }
};

// Parses the strings that define a kernel. Grammar of a parameter list:
//
//     list      := "" | parameter ("," parameter)*
//     parameter := ("raw" | "const" | "_non_const")* TYPE NAME
//     TYPE      := a dtype's NumPy or C name | one letter (a placeholder)
//
// The map and reduce of a reduction are expressions, or statements that return the value. A text counts as
// statements if it has a ';' outside of all brackets, or begins like a statement ("return", "if", "{").
// Throws SignatureError. If the mistake has a place in a string, the message shows it with a caret.
Signature parse_signature(Definition definition);

// Whether a text of the kernel tells the place of an element, or how many there are.
bool tells_places(const Signature& signature) noexcept;

// Whether a parameter has the name. It then means the parameter in the texts, also if kgen has the name too, as
// it has `_ind`.
bool is_parameter(const Signature& signature, std::string_view name) noexcept;

// Returns the name of a parameter in messages: "argument 2 ('x')", "output 1 ('z')".
std::string describe_argument(const Signature& signature, std::size_t position);

// Returns the parameters as text: "T x, raw float32 y -> T z".
std::string to_text(const Signature& signature);

}  // namespace kgen

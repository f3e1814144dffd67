// SPDX-License-Identifier: MIT
//
// Nodes: the operations of a tape with their dtypes. Equal operations are one node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/dims.hpp>
#include <kgen/dtype.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "template/template_definition.hpp"

namespace kgen {

struct Node {
    // A shape is what a draw of random numbers has for an array.
    enum class Kind : std::uint8_t { array, number, shape, function };

    Kind kind = Kind::function;
    DType dtype = DType::float32;
    std::size_t slot = 0;  // of an array, a number or a shape
    std::string
        constant;  // the C++ literal of a number that the text of the kernel contains, or of a shape's dtype

    // What follows describes functions.
    const TemplateDefinition* definition = nullptr;
    const TemplateOverload* form = nullptr;
    std::vector<std::size_t> operands;  // nodes
    std::vector<DType> dtypes;          // of the parameters
    std::vector<std::pair<char, DType>> placeholders;
    bool is_cast = false;  // a conversion that the dtypes ask for, or astype()
    bool all_axes = true;  // of a reduction
    bool keepdims = false;
    std::vector<int> axes;

    bool is_array() const noexcept { return kind == Kind::array; }
    bool is_number() const noexcept { return kind == Kind::number; }
    bool is_shape() const noexcept { return kind == Kind::shape; }
    bool is_function() const noexcept { return kind == Kind::function; }
    bool is_reduction() const noexcept {
        return is_function() && definition->kind == TemplateKind::reduction;
    }
};

// A comparison or a logical function of a number, which need not fit the dtype of the other operand.
struct ComparedNumber {
    std::size_t word = 0;    // the place of the function's word in the code
    std::size_t number = 0;  // its slot
    DType dtype = DType::int64;
    bool is_first = false;  // whether the number is the first operand
};

struct NodeList {
    std::vector<Node> nodes;  // operands come before the functions that use them
    std::vector<std::size_t> roots;
    std::vector<ComparedNumber> compared_numbers;

    // Whether the node is a function that draws random numbers for a shape.
    bool is_draw(std::size_t at) const {
        const Node& one = nodes[at];
        return one.is_function() && !one.operands.empty() && nodes[one.operands[0]].is_shape();
    }
};

// The code of a tape, the dtype of each array in it, and the slot of each array, number and shape. Arrays that are the same
// view share a slot; see Tape for the others.
struct TapeKey {
    std::span<const std::uint16_t> code;
    std::span<const DType> dtypes;
    std::span<const std::uint16_t> slots;
    std::span<const std::uint16_t> number_slots;
    std::span<const std::uint16_t> shape_slots;
};

// Chooses the form of each function by NumPy's rules: the dtypes of the arrays that share a placeholder promote, and
// numbers take the result if their kind allows it. If no form takes it, the form with the least dtype that holds it is
// chosen. Throws TypeError if there is none.
NodeList make_nodes(const TapeKey& key);

// Returns the shape of each node. `shapes` are those of the slots, `drawn` those of draws. Numbers have rank 0. Throws ShapeError that shows
// the operation whose operands do not broadcast, or whose axes do not exist.
std::vector<Dims> find_shapes(const NodeList& list,
                              std::span<const Dims> shapes,
                              std::span<const Dims> drawn);

inline constexpr std::size_t no_node = static_cast<std::size_t>(-1);

// Returns the expression of a node as text, "sqrt(x0 * x0 + x1)". Arrays and numbers are called x0, x1 and so on in their
// order in the whole expression. Operations below so many levels are "..."; -1 writes all.
std::string node_text(const NodeList& list, std::size_t root, int levels = -1);
// Returns the text of `root` on a line of its own, and a line that points to the function of the node `mark` in it.
std::string node_excerpt(const NodeList& list, std::size_t root, std::size_t mark);
// Returns "operator '+'" or "function 'sqrt'".
std::string describe_function(const TemplateDefinition& function);

}  // namespace kgen

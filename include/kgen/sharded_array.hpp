// SPDX-License-Identifier: MIT
//
// ShardedArray: an array that the ranks of a communicator share. Kernels take sharded arrays as they take arrays.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <kgen/array.hpp>
#include <kgen/call_options.hpp>
#include <kgen/communicator.hpp>
#include <kgen/compute.hpp>
#include <kgen/export.hpp>
#include <kgen/generated_kernel.hpp>
#include <kgen/indexing.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kgen {

// How an array is divided: split along an axis into one block for each rank, or replicated.
class KGEN_EXPORT Sharding {
public:
    // Splits along an axis; a negative one counts from the end. `blocks` are the extents of the blocks in the order of the
    // ranks, any of which may be 0. Without them the blocks are as even as possible: of n elements among s ranks, the
    // first n % s have one more than the others.
    static Sharding split(int axis, std::vector<std::int64_t> blocks = {});
    // Each rank has all elements.
    static Sharding replicated() noexcept { return {}; }

    bool is_replicated() const noexcept { return !axis_.has_value(); }
    // Returns the axis. Throws ShapeError if the array is replicated.
    int axis() const;
    std::span<const std::int64_t> blocks() const noexcept { return blocks_; }

    friend bool operator==(const Sharding&, const Sharding&) = default;

private:
    std::optional<int> axis_;
    std::vector<std::int64_t> blocks_;
};

// "split along axis 0 into (3, 3, 2)", "replicated".
KGEN_EXPORT std::string to_text(const Sharding& sharding);

// A handle: copies share the memory. Each rank has an Array with its block; a process holds those of its own ranks. All
// processes must do the same with a sharded array in the same order. No function exchanges data between ranks but those
// of this header and reductions along the split axis.
class KGEN_EXPORT ShardedArray {
public:
    ShardedArray() noexcept = default;  // no array
    // Computes an expression of sharded arrays, each rank with its block, by the rules of Expression and of calls with
    // sharded arrays.
    ShardedArray(Expression&& value);  // NOLINT: where the statement ends
    ShardedArray(const ShardedArray&) = default;
    ShardedArray(ShardedArray&&) noexcept = default;
    ShardedArray& operator=(const ShardedArray&) & = default;
    ShardedArray& operator=(ShardedArray&&) & noexcept = default;
    // Writing x[...] = y would change no element: write x[...].assign(y).
    void operator=(const ShardedArray&) && = delete;
    ~ShardedArray() = default;

    bool has_value() const noexcept { return stand_in_.has_value(); }
    DType dtype() const;
    const Dims& shape() const;         // of the whole array
    const Sharding& sharding() const;  // with the axis from 0 and the blocks of all ranks
    const Communicator& communicator() const;
    // Return where a rank's block begins along the split axis, and how many elements it has there. Throw ShapeError if the
    // array is replicated.
    std::int64_t block_start(int rank) const;
    std::int64_t block_extent(int rank) const;

    // Returns the block of a rank of this process, by default the first one: an array like any other, on the rank's
    // device. Throws ShapeError for a rank of another process.
    const Array& local(int rank) const;
    const Array& local() const;
    // Returns the block with the halo around it; see empty_sharded(). It shares the memory of local().
    const Array& local_with_halo(int rank) const;
    const Array& local_with_halo() const;
    std::int64_t halo() const;

    // Return a view, as Array's operator[] does, of which each rank has its part: x[{s(1, 4), all}]. It has no halo. Throw
    // ShapeError if the indices do not select all elements along the split axis in their order.
    ShardedArray operator[](std::span<const Index> indices) const;
    ShardedArray operator[](std::initializer_list<Index> indices) const {
        return (*this)[std::span<const Index>(indices.begin(), indices.size())];
    }
    ShardedArray operator[](const Index& index) const {
        return (*this)[std::span<const Index>(&index, 1)];
    }

    // Compute the expression or copy the array, which has the shape and the sharding of this one, into it, and convert to
    // its dtype.
    void assign(Expression&& value) const;
    void assign(const ShardedArray& value) const {
        assign(detail::as_expression(detail::OperandView(value)));
    }

private:
    friend struct ShardedArrayAccess;  // src/shard/sharded_array_access.hpp
    struct Parts;
    const Parts& parts() const;
    explicit ShardedArray(Array stand_in) noexcept : stand_in_(std::move(stand_in)) {}
    Array stand_in_;  // its address is that of the parts, which it keeps alive
};

// Makes a sharded array of an array that all processes have. Each rank copies its block; nothing is exchanged.
KGEN_EXPORT ShardedArray shard(const Array& whole,
                               const Sharding& sharding,
                               const Communicator& communicator);
// Makes a replicated array of an array that all processes have.
KGEN_EXPORT ShardedArray replicate(const Array& whole, const Communicator& communicator);
// Makes a sharded array without values. With a halo, which needs a split, each block has room for so many elements of its
// neighbours before and behind it along the split axis; exchange_halo() fills it.
KGEN_EXPORT ShardedArray empty_sharded(const Dims& shape,
                                       DType dtype,
                                       const Sharding& sharding,
                                       const Communicator& communicator,
                                       std::int64_t halo = 0);
// Makes a sharded array of the blocks of this process's ranks, in the order of local_ranks(), and shares their memory.
// The blocks of all ranks have the same dtype and the same shape but for the extent along `axis`. Exchanges the shapes.
KGEN_EXPORT ShardedArray join_blocks(std::span<const Array> blocks,
                                     int axis,
                                     const Communicator& communicator);

// Returns the whole array on the device of this process's first rank. With `root`, only the process of that rank gets it,
// and the others an empty Array.
KGEN_EXPORT Array gather(const ShardedArray& array, std::optional<int> root = {});
// Returns the array with another sharding, or the array itself if it has that sharding.
KGEN_EXPORT ShardedArray reshard(const ShardedArray& array, const Sharding& sharding);

enum class HaloEnds : std::uint8_t {
    open,      // before the first block and behind the last one the halo keeps its values
    periodic,  // the first and the last block are neighbours
};
// Copies the outermost elements of each block into the halo of its neighbours. Throws ShapeError if the array has no
// halo, or a block is shorter than it.
KGEN_EXPORT void exchange_halo(const ShardedArray& array, HaloEnds ends = HaloEnds::open);

// Reads an .npy file, which all processes see: each rank reads its block. Throws as load_npy() of a mapped file.
KGEN_EXPORT ShardedArray load_npy(const std::string& path,
                                  const Sharding& sharding,
                                  const Communicator& communicator);
// Writes an .npy file in C order, to which each rank writes its block. All processes see the same file. Until it is
// complete it has the name "PATH.partial". Throws IoError on all ranks if one of them fails.
KGEN_EXPORT void save_npy(const std::string& path, const ShardedArray& array);

// An output of a call, out(z).
struct ShardedOutput {
    const ShardedArray* array;
};
inline ShardedOutput out(const ShardedArray& array) noexcept {
    return {&array};
}

namespace detail {

// An argument or an option of a call with sharded arrays.
class ShardedPart {
public:
    ShardedPart(const ShardedArray& array) noexcept : array_(&array), part_(0) {}  // NOLINT
    ShardedPart(const ShardedOutput& output) noexcept                              // NOLINT
        : array_(output.array), is_output_(true), part_(0) {}
    ShardedPart(Expression&& expression)  // NOLINT
        : computed_(std::move(expression)), part_(0) {}
    template <typename T>
    requires std::constructible_from<CallPart, const T&> ShardedPart(const T& part)  // NOLINT
        : part_(part) {}

    // Returns nullptr for other parts.
    const ShardedArray* array() const noexcept {
        return computed_.has_value() ? &computed_ : array_;
    }
    bool is_output() const noexcept { return is_output_; }
    const CallPart& part() const noexcept { return part_; }

private:
    ShardedArray computed_;
    const ShardedArray* array_ = nullptr;
    bool is_output_ = false;
    CallPart part_;
};

// Computes the expressions of the parts. Throws as compute_sharded().
KGEN_EXPORT void compute_list(std::span<const StatementPart> parts,
                              std::span<ShardedArray> results);

}  // namespace detail

// Computes expressions of sharded arrays and returns their results: one as a ShardedArray, several as an array of them. It
// does what compute() does with arrays. A given output has the expression's shape and is divided like the result. A
// stream needs the device that all ranks of this process have; TypeError otherwise.
//
//     auto [lo, hi] = compute_sharded(minimum(x, y), maximum(x, y));
template <ArrayOperand X, typename... Parts>
requires((ArrayOperand<Parts> || std::same_as<std::remove_cvref_t<Parts>, ShardedOutput> ||
          std::same_as<std::remove_cvref_t<Parts>, StreamReference> ||
          std::same_as<std::remove_cvref_t<Parts>,
                       StreamArgument>)&&...) auto compute_sharded(X&& expression,
                                                                   Parts&&... rest) {
    const detail::StatementPart parts[] = {std::forward<X>(expression),
                                           std::forward<Parts>(rest)...};
    constexpr std::size_t count = (1 + ... + std::size_t{ArrayOperand<Parts>});
    std::array<ShardedArray, count> results;
    detail::compute_list(parts, std::span<ShardedArray>(results));
    if constexpr (count == 1) {
        return std::move(results[0]);
    } else {
        return results;
    }
}

// compute() with sharded outputs: compute(x * 2 + y, out(z)).
template <ArrayOperand X, typename... Parts>
requires(std::same_as<std::remove_cvref_t<Parts>, ShardedOutput> ||
         ...) auto compute(X&& expression, Parts&&... rest) {
    return compute_sharded(std::forward<X>(expression), std::forward<Parts>(rest)...);
}

}  // namespace kgen

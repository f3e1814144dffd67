// SPDX-License-Identifier: MIT
//
// ColumnText: what narrow and wide columns share, and the texts of the wide ones.
#pragma once

#include <string>

#include "source/reduction_cuda_text.hpp"

namespace kgen {

class ColumnText {
public:
    explicit ColumnText(const ReductionText& text);

protected:
    bool is_vector(std::size_t k) const { return cuda_.cuda().access(k) == Access::vector; }
    bool is_uniform(std::size_t k) const {
        return cuda_.cuda().access(k) == Access::uniform && !baked_.wide;
    }
    // Where the block's outputs begin in an input, as a pointer to bytes.
    std::string from(std::size_t k) const { return "kgen_from_" + text_.text().name(k); }
    std::string column_stride(std::size_t k) const { return cuda_.cuda().stride(k, column_axis_); }
    // What a thread reads of each input in one go.
    std::string declared(const std::string& indent) const;

    const ReductionText& text_;
    ReductionCudaText cuda_;
    const Baked& baked_;
    int column_axis_;
    bool has_vectors_ = false;   // some input is read by vectors
    bool needs_places_ = false;  // some input is not, or a text asks for its place
};

// Wide columns: a row of the block is several rows of the walk, one behind the other in memory, so that
// a thread's columns come again after as many elements as the walk has.
class WideColumns : ColumnText {
public:
    using ColumnText::ColumnText;

    // Which columns a thread has.
    std::string places() const;
    // The loop over wide rows.
    std::string rows() const;
};

}  // namespace kgen

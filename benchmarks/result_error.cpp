// SPDX-License-Identifier: MIT
#include "benchmarks/result_error.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace kgen::bench {

namespace {

constexpr std::int64_t least_places = 4096;
constexpr std::int64_t run_length = 16;  // neighbours that are checked together
// Most elements that one check folds in total, unless two outputs fold more.
constexpr std::int64_t most_folded = std::int64_t{1} << 27;
constexpr std::int64_t chunk_length = 4096;  // elements that a Fold gets at once

// Returns the larger of two errors. NaN counts as the largest.
double worse(double a, double b) {
    return std::isnan(a) || a > b ? a : b;
}

// `magnitude` is the least number to which the error is relative.
double error_of(const Number& found, const Number& expected, double magnitude = 1) {
    return std::abs(found - expected) / std::max({1.0, std::abs(expected), magnitude});
}

// Returns the worst error that `check(index, count)` finds in all runs of neighbours along the last axis.
template <typename Check>
double worst_of_all(const Dims& shape, const Check& check) {
    const int last = shape.rank() - 1;
    Dims index = Dims::filled(shape.rank(), 0);
    double worst = 0;
    for (;;) {
        for (index[last] = 0; index[last] < shape[last]; index[last] += run_length) {
            worst = worse(check(index, std::min(run_length, shape[last] - index[last])), worst);
        }
        int axis = last - 1;
        while (axis >= 0 && ++index[axis] == shape[axis]) index[axis--] = 0;
        if (axis < 0) return worst;
    }
}

// Returns the worst error in the first run, the last run, and random runs up to a total of `places` elements.
template <typename Check>
double worst_of_places(const Array& output, std::int64_t places, const Check& check) {
    const Dims& shape = output.shape();
    if (shape.empty()) return check(shape, 1);
    if (places >= output.size()) return worst_of_all(shape, check);
    const int last = shape.rank() - 1;
    const std::int64_t length = std::min({shape[last], run_length, places});
    const std::int64_t runs = (places + length - 1) / length;
    std::mt19937_64 random(runs);
    const auto below = [&](std::int64_t end) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
    };
    const Dims first = Dims::filled(shape.rank(), 0);
    Dims end = first;
    for (int axis = 0; axis < last; ++axis) end[axis] = shape[axis] - 1;
    end[last] = shape[last] - length;
    double worst = worse(check(first, length), check(end, length));
    for (std::int64_t run = 2; run < runs; ++run) {
        Dims index = first;
        for (int axis = 0; axis < last; ++axis) index[axis] = below(shape[axis]);
        index[last] = below(shape[last] - length + 1);
        worst = worse(check(index, length), worst);
    }
    return worst;
}

// Passes the elements that fold into one output to a reference, chunk by chunk.
class FoldWalk {
public:
    FoldWalk(const std::vector<OperandMemory>& inputs, const std::vector<int>& reduced)
        : inputs_(inputs), reduced_(reduced), shape_(broadcast_shape(inputs)) {
        for (const bool imaginary : {false, true}) {
            for (const OperandMemory& input : inputs) {
                const bool complex = kind_of(input.view().dtype()) == DTypeKind::complex;
                values_.emplace_back(!imaginary || complex ? chunk_length : 0);
            }
        }
        for (const std::vector<double>& each : values_) {
            pointers_.push_back(each.empty() ? nullptr : each.data());
        }
    }

    std::int64_t folded() const {
        std::int64_t count = 1;
        for (const int axis : reduced_) count *= shape_[axis];
        return count;
    }

    std::unique_ptr<Fold> folded_at(const FoldReference& reference, const Dims& output_index) {
        std::unique_ptr<Fold> fold = reference();
        Dims index = first_of(output_index);
        if (reduced_.empty()) {
            add_chunk(*fold, index, shape_.rank() - 1, 1);
            return fold;
        }
        const int inner = reduced_.back();
        do {
            for (std::int64_t at = 0; at < shape_[inner]; at += chunk_length) {
                index[inner] = at;
                add_chunk(*fold, index, inner, std::min(chunk_length, shape_[inner] - at));
            }
        } while (advance(index));
        return fold;
    }

private:
    Dims first_of(const Dims& output_index) const {
        Dims index = Dims::filled(shape_.rank(), 0);
        int next = 0;
        for (int axis = 0; axis < shape_.rank(); ++axis) {
            if (!std::binary_search(reduced_.begin(), reduced_.end(), axis)) {
                index[axis] = output_index[next++];
            }
        }
        return index;
    }

    void add_chunk(Fold& fold, const Dims& index, int axis, std::int64_t count) {
        for (std::size_t k = 0; k < inputs_.size(); ++k) {
            std::vector<double>& imaginary = values_[k + inputs_.size()];
            inputs_[k].gather(index,
                              axis,
                              count,
                              values_[k].data(),
                              imaginary.empty() ? nullptr : imaginary.data());
        }
        fold.add(pointers_.data(), count);
    }

    // Advances to the next index along the reduced axes except the last one. Returns false at the end.
    bool advance(Dims& index) const {
        for (std::size_t k = reduced_.size() - 1; k-- > 0;) {
            const int axis = reduced_[k];
            if (++index[axis] < shape_[axis]) return true;
            index[axis] = 0;
        }
        return false;
    }

    const std::vector<OperandMemory>& inputs_;
    const std::vector<int>& reduced_;
    Dims shape_;
    std::vector<std::vector<double>> values_;  // real parts, then imaginary ones
    std::vector<const double*> pointers_;
};

}  // namespace

double element_error(const std::function<Number(const Dims& index)>& expected,
                     const OperandMemory& output) {
    const std::int64_t places = std::min(output.view().size(), least_places);
    return worst_of_places(output.view(), places, [&](Dims index, std::int64_t count) {
        double worst = 0;
        for (const Number& found : output.read(index, count)) {
            worst = worse(error_of(found, expected(index)), worst);
            ++index[index.rank() - 1];
        }
        return worst;
    });
}

double fold_error(const FoldReference& reference,
                  const std::vector<OperandMemory>& inputs,
                  const std::vector<int>& reduced,
                  const std::vector<OperandMemory>& outputs) {
    FoldWalk walk(inputs, reduced);
    const Array& first = outputs.front().view();
    const std::int64_t affordable = std::max(most_folded / walk.folded(), std::int64_t{2});
    const std::int64_t places = std::min({first.size(), least_places, affordable});
    return worst_of_places(first, places, [&](Dims index, std::int64_t count) {
        std::vector<std::vector<Number>> found;
        for (const OperandMemory& output : outputs) found.push_back(output.read(index, count));
        double worst = 0;
        for (std::int64_t place = 0; place < count; ++place) {
            const std::unique_ptr<Fold> fold = walk.folded_at(reference, index);
            const std::vector<Number> expected = fold->outputs();
            for (std::size_t k = 0; k < outputs.size(); ++k) {
                worst = worse(error_of(found[k][static_cast<std::size_t>(place)],
                                       expected.at(k),
                                       fold->magnitude()),
                              worst);
            }
            if (!index.empty()) ++index[index.rank() - 1];
        }
        return worst;
    });
}

}  // namespace kgen::bench

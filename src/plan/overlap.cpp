// SPDX-License-Identifier: MIT
#include "plan/overlap.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "plan/broadcast.hpp"

namespace kgen {

namespace {

__extension__ typedef __int128 Wide;  // wide enough for sums of 64-bit products

// A term c * x of a sum, with 0 <= x <= most and c > 0.
struct Term {
    std::int64_t coefficient;
    std::int64_t most;
};

// Decides whether the sum of c_k * x_k = target has a solution. The search is depth first over the terms in
// descending order of coefficients. It gives up a branch if the remaining terms cannot reach the remainder,
// or if their greatest common divisor does not divide it. If `excluded` is given, the solution x = excluded
// does not count.
class Search {
public:
    Search(std::vector<Term> terms, std::vector<std::int64_t> excluded)
        : terms_(std::move(terms)), excluded_(std::move(excluded)) {
        const std::size_t count = terms_.size();
        left_.assign(count + 1, 0);
        divisor_.assign(count + 1, 0);
        for (std::size_t k = count; k-- > 0;) {
            left_[k] = left_[k + 1] + static_cast<Wide>(terms_[k].coefficient) * terms_[k].most;
            divisor_[k] = std::gcd(divisor_[k + 1], terms_[k].coefficient);
        }
    }

    bool has_solution(std::int64_t target) { return visit(0, target, !excluded_.empty()); }

private:
    static constexpr int most_steps = 200000;

    bool visit(std::size_t k, Wide target, bool all_excluded) {
        if (++steps_ > most_steps) return true;
        if (target < 0 || target > left_[k]) return false;
        if (k == terms_.size()) return !all_excluded;
        if (target % divisor_[k] != 0) return false;
        const Term& term = terms_[k];
        // The following terms can add 0 to left_[k + 1], so x must leave a remainder in that range.
        const Wide surplus = target - left_[k + 1];
        const Wide lowest = surplus <= 0 ? 0 : (surplus + term.coefficient - 1) / term.coefficient;
        const Wide highest = std::min<Wide>(term.most, target / term.coefficient);
        for (Wide x = lowest; x <= highest; ++x) {
            const bool still = all_excluded && x == excluded_[k];
            if (visit(k + 1, target - x * term.coefficient, still)) return true;
        }
        return false;
    }

    std::vector<Term> terms_;
    std::vector<std::int64_t> excluded_;
    std::vector<Wide> left_;
    std::vector<std::int64_t> divisor_;
    int steps_ = 0;
};

void add_terms(const Operand& operand, std::vector<Term>& terms) {
    for (int axis = 0; axis < operand.shape.rank(); ++axis) {
        if (operand.shape[axis] > 1 && operand.strides[axis] != 0) {
            terms.push_back({std::abs(operand.strides[axis]), operand.shape[axis] - 1});
        }
    }
    const auto item = static_cast<std::int64_t>(item_size(operand.dtype));
    if (item > 1) terms.push_back({1, item - 1});
}

bool larger(const Term& a, const Term& b) {
    return a.coefficient > b.coefficient;
}

}  // namespace

bool have_common_bytes(const Operand& a, const Operand& b) {
    const AddressSpan first = address_span(a);
    const AddressSpan second = address_span(b);
    if (!first.intersects(second)) return false;
    // Each byte of a is at first.begin + sum_a, each byte of b at second.end - 1 - sum_b. They meet if
    // sum_a + sum_b equals the distance.
    std::vector<Term> terms;
    add_terms(a, terms);
    add_terms(b, terms);
    std::sort(terms.begin(), terms.end(), larger);
    // Terms with equal coefficients are merged. This keeps the search short if both arrays have the same
    // strides.
    std::vector<Term> merged;
    for (const Term& term : terms) {
        if (!merged.empty() && merged.back().coefficient == term.coefficient) {
            merged.back().most += term.most;
        } else {
            merged.push_back(term);
        }
    }
    const auto distance = static_cast<std::int64_t>(second.end - 1 - first.begin);
    return Search(std::move(merged), {}).has_solution(distance);
}

bool overlaps_itself(const Operand& operand) {
    if (extent_product(operand.shape) < 2) return false;
    const auto item = static_cast<std::int64_t>(item_size(operand.dtype));
    if (is_c_contiguous(operand.shape, operand.strides, static_cast<std::size_t>(item)))
        return false;
    std::vector<Term> axes;
    for (int axis = 0; axis < operand.shape.rank(); ++axis) {
        if (operand.shape[axis] < 2) continue;
        if (operand.strides[axis] == 0) return true;
        axes.push_back({std::abs(operand.strides[axis]), operand.shape[axis] - 1});
    }
    std::sort(axes.begin(), axes.end(), larger);
    std::int64_t reach = item;
    bool nested = true;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        nested = nested && axis->coefficient >= reach;
        reach += axis->coefficient * axis->most;
    }
    if (nested) return false;
    // Two elements share a byte if the sum of stride * difference is less than one item from 0, for index
    // differences that are not all zero. The differences are shifted by `most` so that they count from 0.
    std::vector<std::int64_t> excluded;
    std::int64_t centre = 0;
    for (Term& axis : axes) {
        excluded.push_back(axis.most);
        centre += axis.coefficient * axis.most;
        axis.most *= 2;
    }
    for (std::int64_t byte = 0; byte < item; ++byte) {
        if (Search(axes, excluded).has_solution(centre + byte)) return true;
    }
    return false;
}

bool is_same_walk(const Operand& a, const Operand& b, const Dims& loop) {
    return a.address == b.address && item_size(a.dtype) == item_size(b.dtype) &&
           broadcast_strides(a.shape, a.strides, loop) ==
               broadcast_strides(b.shape, b.strides, loop);
}

}  // namespace kgen

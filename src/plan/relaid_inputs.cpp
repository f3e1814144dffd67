// SPDX-License-Identifier: MIT
#include "plan/relaid_inputs.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

namespace kgen {

namespace {

// Axes of the loop, from the one with the closest elements to the one with the farthest.
using StrideOrder = InlineVector<int, 8>;

// The axes along which the elements of an array differ, and whether any of them runs backwards.
struct InputOrder {
    StrideOrder axes;
    bool is_reversed = false;
};

InputOrder order_of(const Operand& array, int loop_rank) {
    const int before = loop_rank - array.shape.rank();
    InputOrder order;
    for (int axis = 0; axis < array.shape.rank(); ++axis) {
        if (array.shape[axis] <= 1 || array.strides[axis] == 0) continue;
        order.axes.push_back(before + axis);
        order.is_reversed = order.is_reversed || array.strides[axis] < 0;
    }
    std::stable_sort(order.axes.begin(), order.axes.end(), [&](int a, int b) {
        return std::abs(array.strides[a - before]) < std::abs(array.strides[b - before]);
    });
    return order;
}

bool has(const StrideOrder& order, int axis) {
    return std::find(order.begin(), order.end(), axis) != order.end();
}

bool begins_with(const StrideOrder& order, const StrideOrder& first) {
    return first.size() <= order.size() && std::equal(first.begin(), first.end(), order.begin());
}

// Whether the texts see only the values of an input, not where they are.
bool may_be_copied(const PlanRequest& request, std::size_t k) {
    const Parameter& parameter = request.signature.parameters[k];
    return request.operands[k].kind == OperandKind::array && !parameter.by_reference &&
           !parameter.viewed;
}

// Returns the strides along the loop's axes of a copy that lies in memory as `order` asks, without gaps: along the axes of the order, then
// along its own other axes. `longest` is the extent of the longest axis of the order along which equal elements are repeated.
Dims strides_in(const StrideOrder& order,
                const StrideOrder& own,
                std::int64_t item,
                const Dims& loop,
                std::int64_t longest) {
    Dims strides = Dims::filled(loop.rank(), 0);
    const auto place = [&](int axis) {
        strides[axis] = item;
        item *= loop[axis];
    };
    std::size_t count = order.size();
    while (count > 0 && !has(own, order[count - 1])) --count;
    for (std::size_t k = 0; k < count; ++k)
        if (has(own, order[k]) || loop[order[k]] <= longest) place(order[k]);
    for (const int axis : own)
        if (strides[axis] == 0) place(axis);
    return strides;
}

// Returns the axes along which elements with these strides differ.
StrideOrder order_in(const Dims& strides) {
    StrideOrder order;
    for (int axis = 0; axis < strides.rank(); ++axis)
        if (strides[axis] != 0) order.push_back(axis);
    std::sort(order.begin(), order.end(), [&](int a, int b) { return strides[a] < strides[b]; });
    return order;
}

std::int64_t bytes_of(std::int64_t item, const Dims& strides, const Dims& loop) {
    for (int axis = 0; axis < loop.rank(); ++axis)
        if (strides[axis] != 0) item *= loop[axis];
    return item;
}

constexpr std::uintptr_t imagined_address(std::size_t k) {
    return (std::uintptr_t{1} << 62) + (std::uintptr_t{k} << 48);
}

// Returns less time than any launch takes to access so many bytes, in the L2 cache, or in memory if they do not fit there.
double moving_ns(double bytes) {
    constexpr double most_cached = 60e6, cache_speed = 10000, memory_speed = 4900;
    return bytes / (bytes < most_cached ? cache_speed : memory_speed);
}

// Returns the predicted time of copying an input into these strides, by the kernel that copies arrays.
double copy_ns(const PlanRequest& request, const Operand& input, const Dims& strides) {
    // Never destroyed, because static destructors of the user may still call kernels.
    static const Signature& signature = *new Signature(
        parse_signature({.name = "copy", .inputs = "T x", .outputs = "T y", .operation = "y = x"}));
    TypeBinding types;
    types.dtypes = {input.dtype, input.dtype};
    types.placeholders.push_back({'T', input.dtype});
    Dims shape = request.loop;
    for (int axis = 0; axis < shape.rank(); ++axis)
        if (strides[axis] == 0) shape[axis] = 1;
    Operand source = input;
    for (int axis = 0; axis < input.shape.rank(); ++axis)
        source.shape[axis] =
            std::min(input.shape[axis], shape[shape.rank() - input.shape.rank() + axis]);
    Operand copy = input;
    copy.written = true;
    copy.shape = shape;
    copy.strides = strides;
    copy.address = imagined_address(0);
    const Operand operands[] = {source, copy};
    const auto forecast = make_forecast({.signature = signature,
                                         .types = types,
                                         .operands = operands,
                                         .loop = shape,
                                         .target = request.target,
                                         .limits = request.limits});
    return forecast ? forecast->ns : std::numeric_limits<double>::infinity();
}

// An input that a copy may replace, so that it lies in memory as the leader does.
struct Candidate {
    RelaidInput input;
    std::int64_t bytes;
    bool is_turned;  // it runs fastest along another axis than the leader
    double ns = 0;   // of the copy, set by predict_copies()
};

// Returns the inputs that lie otherwise than the leader.
std::vector<Candidate> candidates_like(const PlanRequest& request,
                                       const std::vector<InputOrder>& orders,
                                       std::size_t leader) {
    const StrideOrder& wanted = orders[leader].axes;
    std::int64_t leader_bytes =
        static_cast<std::int64_t>(item_size(request.operands[leader].dtype));
    for (const int axis : wanted) leader_bytes *= request.loop[axis];
    std::vector<Candidate> list;
    for (std::size_t k = 0; k < orders.size(); ++k) {
        const StrideOrder& own = orders[k].axes;
        if (k == leader || own.empty() || request.operands[k].written || !may_be_copied(request, k))
            continue;
        const Operand& input = request.operands[k];
        const auto item = static_cast<std::int64_t>(item_size(input.dtype));
        // Elements that are repeated can be read by vectors. That is worth little memory, and long axes need it less.
        constexpr std::int64_t longest = 64, share = 8;
        Dims strides = strides_in(wanted, own, item, request.loop, longest);
        if (bytes_of(item, strides, request.loop) > leader_bytes / share)
            strides = strides_in(wanted, own, item, request.loop, 0);
        if (!orders[k].is_reversed && order_in(strides) == own) continue;
        const std::int64_t bytes = bytes_of(item, strides, request.loop);
        list.push_back({{k, request.loop, strides}, bytes, own[0] != wanted[0]});
    }
    return list;
}

// Predicts the times of the copies, and removes those that cannot be part of a call that is quicker than best_ns.
void predict_copies(const PlanRequest& request,
                    double least_ns,
                    double best_ns,
                    std::vector<Candidate>& list) {
    std::erase_if(list, [&](Candidate& each) {
        if (least_ns + moving_ns(2 * static_cast<double>(each.bytes)) >= best_ns) return true;
        each.ns = copy_ns(request, request.operands[each.input.operand], each.input.strides);
        return each.ns >= best_ns;
    });
}

class RelaySearch {
public:
    RelaySearch(const PlanRequest& request, double without_ns, double least_ns)
        : request_(request),
          without_ns_(without_ns),
          least_ns_(least_ns),
          best_ns_(share * without_ns) {
        if (request.limits.memory_bytes > 0)
            most_bytes_ = request.limits.memory_bytes / memory_share;
    }

    double best_ns() const { return best_ns_; }
    Relaying& best() { return best_; }

    // Keeps these copies if they are predicted to be quicker than the best ones.
    template <typename Takes>
    void offer(const std::vector<Candidate>& candidates, Takes takes) {
        Relaying relaying{.without_ns = without_ns_};
        std::int64_t bytes = 0;
        ParameterSet taken = 0;
        for (const Candidate& candidate : candidates) {
            if (!takes(candidate)) continue;
            taken |= ParameterSet{1} << candidate.input.operand;
            relaying.inputs.push_back(candidate.input);
            relaying.copies_ns += candidate.ns + turn_ns;
            bytes += candidate.bytes;
        }
        if (taken == 0 || taken == tried_ || relaying.copies_ns + least_ns_ >= best_ns_ ||
            bytes > most_bytes_)
            return;
        tried_ = taken;
        PerParameter<Operand> operands;
        for (const Operand& operand : request_.operands) operands.push_back(operand);
        imagine_copies(relaying.inputs, {operands.data(), operands.size()});
        PlanRequest relaid = request_;
        relaid.operands = {operands.data(), operands.size()};
        const auto forecast = make_forecast(relaid);
        if (!forecast || relaying.copies_ns + forecast->ns >= best_ns_) return;
        relaying.call_ns = forecast->ns;
        best_ns_ = relaying.copies_ns + relaying.call_ns;
        best_ = std::move(relaying);
    }
    void start_leader() { tried_ = 0; }

private:
    // Copies take memory and launches, so they have to save more than predictions usually miss.
    static constexpr double share = 0.8;
    static constexpr std::int64_t memory_share = 128;  // of the memory of the device
    static constexpr double turn_ns = 1000;            // from the end of a copy to the next launch

    const PlanRequest& request_;
    double without_ns_;
    double least_ns_;  // no launch is quicker
    double best_ns_;
    std::int64_t most_bytes_ = std::numeric_limits<std::int64_t>::max();
    ParameterSet tried_ = 0;  // the inputs of the last offer
    Relaying best_;
};

// Returns less time than any launch takes to access all elements once.
double least_ns(const PlanRequest& request, const std::vector<InputOrder>& orders) {
    double bytes = 0;
    for (std::size_t k = 0; k < orders.size(); ++k) {
        double own =
            orders[k].axes.empty() ? 0 : static_cast<double>(item_size(request.operands[k].dtype));
        for (const int axis : orders[k].axes) own *= static_cast<double>(request.loop[axis]);
        bytes += own;
    }
    return moving_ns(bytes);
}

}  // namespace

void imagine_copies(std::span<const RelaidInput> inputs, std::span<Operand> operands) {
    for (const auto& [k, shape, strides] : inputs) {
        operands[k].shape = shape;
        operands[k].strides = strides;
        operands[k].address = imagined_address(k);
    }
}

Relaying find_relaid_inputs(const PlanRequest& request) {
    constexpr std::int64_t many_elements = 1 << 20, most_elements = std::int64_t{1} << 42;
    const std::int64_t elements = extent_product(request.loop);
    if (request.signature.row_outputs != nullptr || !predicts_times(request.target.kind) ||
        request.fit != Fit::call || request.section || !request.loop_name.empty() ||
        elements < many_elements || elements > most_elements)
        return {};
    // What a reduction writes is small, so that its inputs alone are compared.
    std::vector<InputOrder> orders(request.signature.reduction
                                       ? static_cast<std::size_t>(request.signature.input_count)
                                       : request.operands.size());
    if (orders.size() > most_in_set) return {};
    StrideOrder longest;
    for (std::size_t k = 0; k < orders.size(); ++k) {
        if (request.operands[k].kind != OperandKind::array) continue;
        orders[k] = order_of(request.operands[k], request.loop.rank());
        if (orders[k].axes.size() > longest.size()) longest = orders[k].axes;
    }
    if (std::all_of(orders.begin(), orders.end(), [&](const InputOrder& order) {
            return !order.is_reversed && begins_with(longest, order.axes);
        }))
        return {};
    std::vector<std::vector<Candidate>> lists;  // one for each order that leads
    for (std::size_t k = 0; k < orders.size(); ++k) {
        bool is_new = !orders[k].axes.empty();
        for (std::size_t j = 0; j < k; ++j) is_new = is_new && orders[j].axes != orders[k].axes;
        if (!is_new) continue;
        std::vector<Candidate> list = candidates_like(request, orders, k);
        if (!list.empty()) lists.push_back(std::move(list));
    }
    if (lists.empty()) return {};
    const auto without = make_forecast(request);
    if (!without) return {};
    const double least = least_ns(request, orders);
    RelaySearch search(request, without->ns, least);
    for (std::vector<Candidate>& list : lists) {
        if (least >= search.best_ns()) break;
        predict_copies(request, least, search.best_ns(), list);
        const auto is_small = [&](const Candidate& each) { return each.ns < 0.1 * without->ns; };
        search.start_leader();
        search.offer(list, [](const Candidate&) { return true; });
        search.offer(list, [&](const Candidate& each) { return each.is_turned || is_small(each); });
        search.offer(list, [](const Candidate& each) { return each.is_turned; });
        search.offer(list, is_small);
    }
    return std::move(search.best());
}

}  // namespace kgen

// SPDX-License-Identifier: MIT
#include "benchmarks/prepared_case.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <random>

namespace kgen::bench {

namespace {

constexpr std::int64_t least_places = 4096;
constexpr std::int64_t run_length = 16;  // neighbours that are checked together

// "axpb_f32_2^28" as an identifier, which profilers show.
std::string kernel_name(std::string name) {
    std::replace_if(
        name.begin(),
        name.end(),
        [](unsigned char letter) { return std::isalnum(letter) == 0; },
        '_');
    return "bench_" + name;
}

std::vector<OperandMemory> random_inputs(const Case& row, Scale scale) {
    std::vector<OperandMemory> inputs;
    unsigned seed = 1;
    for (const Operand& input : row.inputs) {
        inputs.push_back(OperandMemory::random(input, scale, seed++));
    }
    return inputs;
}

// The larger of two errors, where NaN is larger than all.
double worse(double a, double b) {
    return std::isnan(a) || a > b ? a : b;
}

}  // namespace

PreparedCase::PreparedCase(const Case& row, Scale scale)
    : reference_(row.kernel.reference),
      kernel_(row.kernel.inputs, row.kernel.outputs, row.kernel.body, kernel_name(row.name)),
      inputs_(random_inputs(row, scale)),
      output_(OperandMemory::poisoned(row.output, scale)) {
    for (const OperandMemory& input : inputs_) arguments_.emplace_back(input.view());
    options_.outputs = {output_.view()};
}

void PreparedCase::call() const {
    kernel_.call(arguments_, options_);
}

Traffic PreparedCase::traffic() const {
    Traffic traffic{.read_bytes = 0, .written_bytes = static_cast<double>(output().size_bytes())};
    for (const OperandMemory& input : inputs_) {
        if (input.view().size() == output().size()) {
            traffic.read_bytes += static_cast<double>(input.view().size_bytes());
        }
    }
    return traffic;
}

double PreparedCase::error_along(Dims index, std::int64_t count) const {
    double worst = 0;
    std::vector<Number> values(inputs_.size());
    for (const Number& found : output_.read(index, count)) {
        for (std::size_t k = 0; k < inputs_.size(); ++k) values[k] = inputs_[k].value_at(index);
        const Number expected = reference_(values.data());
        worst = worse(std::abs(found - expected) / std::max(1.0, std::abs(expected)), worst);
        ++index[index.rank() - 1];
    }
    return worst;
}

double PreparedCase::largest_error() const {
    call();
    synchronize();
    if (!output_.is_intact_outside()) return std::numeric_limits<double>::quiet_NaN();
    const Dims& shape = output().shape();
    const int last = shape.rank() - 1;
    const std::int64_t length = std::min(shape[last], run_length);
    const std::int64_t runs = (std::min(output().size(), least_places) + length - 1) / length;
    std::mt19937_64 random(runs);
    const auto below = [&](std::int64_t end) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
    };
    Dims first = Dims::filled(shape.rank(), 0);
    Dims end = first;
    for (int axis = 0; axis < last; ++axis) end[axis] = shape[axis] - 1;
    end[last] = shape[last] - length;
    double worst = worse(error_along(first, length), error_along(end, length));
    for (std::int64_t run = 0; run < runs; ++run) {
        Dims index = first;
        for (int axis = 0; axis < last; ++axis) index[axis] = below(shape[axis]);
        index[last] = below(shape[last] - length + 1);
        worst = worse(error_along(index, length), worst);
    }
    return worst;
}

}  // namespace kgen::bench

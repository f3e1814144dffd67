// SPDX-License-Identifier: MIT
#include "benchmarks/statements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "benchmarks/random_calls.hpp"
#include "benchmarks/touched_memory.hpp"

namespace kgen::bench {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::int64_t sample_count = 64;

// Element k of the memory of array `number` is (k * 2654435761 + number * 40503) % 2^24 / 2^22 - 2, which float32 holds
// exactly; of integers, the low 7 bits of the remainder. statement_peers.py computes the same.
Array filled_memory(std::int64_t elements, DType dtype, std::int64_t number) {
    const Array hash = (arange(elements, int64) * std::int64_t{2654435761} + number * 40503) %
                       (std::int64_t{1} << 24);
    if (kind_of(dtype) <= DTypeKind::unsigned_integer) return astype(hash & 127, dtype);
    return astype(astype(hash, float32) * 0x1p-22 - 2, dtype);
}

Array array_of(const StatementArray& given, std::int64_t number) {
    const auto item = static_cast<std::int64_t>(item_size(given.dtype));
    std::int64_t elements = 1;
    for (int axis = 0; axis < given.shape.rank(); ++axis)
        elements += (given.shape[axis] - 1) * (given.strides[axis] / item);
    const auto memory = std::make_shared<Array>(filled_memory(elements, given.dtype, number));
    return Array::view(memory->data(),
                       given.dtype,
                       given.shape,
                       {.device = memory->device(), .strides = given.strides, .owner = memory});
}

// The elements that are sampled: the first, the last, and others evenly spread.
void take_samples(const Array& result, StatementRow& row) {
    const std::int64_t count = std::min(result.size(), sample_count);
    std::vector<std::int64_t> places;
    for (std::int64_t k = 0; k < count; ++k)
        places.push_back(count == 1 ? 0 : k * (result.size() - 1) / (count - 1));
    const Array taken = take(result, from_vector(places));
    const std::vector<double> values = taken.astype(float64).to_vector<double>();
    for (std::size_t k = 0; k < places.size(); ++k) row.samples.emplace_back(places[k], values[k]);
}

StatementRow measure_statement(const StatementCase& given, Scale scale, const Limits& limits) {
    StatementRow row{.given = given};
    try {
        std::vector<std::pair<std::string, Argument>> variables;
        Traffic touched;
        const std::int64_t unit = memory_unit_bytes(current_device().kind());
        for (std::size_t k = 0; k < given.arrays.size(); ++k) {
            const Array array = array_of(given.arrays[k], static_cast<std::int64_t>(k));
            touched.read_bytes += touched_bytes(array, unit);
            variables.emplace_back(fmt::format("x{}", k), array);
        }
        const auto statement = [&] { return parse_expression(given.expression, variables); };
        const std::vector<Explanation> kernels = explain(statement());
        row.kernels = kernels.size();
        row.loop = loop_words(kernels.back().plan);
        const Array result = statement();
        row.dtype = result.dtype();
        row.shape = result.shape();
        touched.written_bytes = touched_bytes(result, unit);
        row.floor_ms = limits.floor_ms(touched);
        take_samples(result, row);
        row.ms = call_time_ms([&] { compute(statement(), out(result)); }, scale);
    } catch (const Error& error) {
        row.problem = error.what();
    }
    return row;
}

std::string row_text(const StatementRow& row) {
    if (!row.problem.empty())
        return fmt::format(
            "{:<10} {:<12} failed: {}\n", row.given.name, row.given.kind, row.problem);
    return fmt::format("{:<10} {:<12} {:>10.5f} {:>10.5f} {:>6.3f} {:>7}  {}\n",
                       row.given.name,
                       row.given.kind,
                       row.ms.median,
                       row.floor_ms,
                       row.floor_ms / row.ms.median,
                       row.kernels,
                       row.loop);
}

}  // namespace

std::vector<StatementCase> read_statements(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw IoError(fmt::format("{}: cannot be read", path));
    try {
        const json object = json::parse(file);
        std::vector<StatementCase> cases;
        for (const json& each : object.at("statements")) {
            StatementCase given{each.at("name").get<std::string>(),
                                each.at("kind").get<std::string>(),
                                each.at("expression").get<std::string>(),
                                {},
                                each.value("torch", "")};
            for (const json& array : each.at("arrays")) {
                const auto shape = array.at("shape").get<std::vector<std::int64_t>>();
                const auto strides = array.at("strides").get<std::vector<std::int64_t>>();
                const auto dtype = parse_dtype(array.at("dtype").get<std::string>());
                if (!dtype)
                    throw IoError(fmt::format("{}: unknown dtype in {}", path, array.dump()));
                given.arrays.push_back({*dtype, Dims(shape), Dims(strides)});
            }
            cases.push_back(std::move(given));
        }
        return cases;
    } catch (const json::exception& error) {
        throw IoError(fmt::format("{}: is no file of statements: {}", path, error.what()));
    }
}

std::vector<StatementRow> measure_statements(
    const std::vector<StatementCase>& cases,
    Scale scale,
    const Limits& limits,
    const std::function<void(const std::string&)>& progress) {
    progress(fmt::format("{:<10} {:<12} {:>10} {:>10} {:>6} {:>7}  {}\n",
                         "statement",
                         "kind",
                         "median ms",
                         "floor ms",
                         "share",
                         "kernels",
                         "loop"));
    std::vector<StatementRow> rows;
    for (const StatementCase& given : cases) {
        rows.push_back(measure_statement(given, scale, limits));
        progress(row_text(rows.back()));
    }
    return rows;
}

ordered_json statement_rows_json(const std::vector<StatementRow>& rows) {
    ordered_json list = ordered_json::array();
    for (const StatementRow& row : rows) {
        ordered_json object = {{"name", row.given.name},
                               {"kind", row.given.kind},
                               {"expression", row.given.expression},
                               {"arrays", ordered_json::array()}};
        if (!row.given.torch.empty()) object["torch"] = row.given.torch;
        for (const StatementArray& array : row.given.arrays) {
            object["arrays"].push_back(
                {{"dtype", to_text(array.dtype)},
                 {"shape", std::vector(array.shape.begin(), array.shape.end())},
                 {"strides", std::vector(array.strides.begin(), array.strides.end())}});
        }
        if (!row.problem.empty()) {
            object["problem"] = row.problem;
        } else {
            object["kernels"] = row.kernels;
            object["loop"] = row.loop;
            object["dtype"] = to_text(row.dtype);
            object["shape"] = std::vector(row.shape.begin(), row.shape.end());
            object["median_ms"] = row.ms.median;
            object["floor_ms"] = row.floor_ms;
            for (const auto& [place, value] : row.samples) {
                object["samples"].push_back({place,
                                             std::isfinite(value)
                                                 ? ordered_json(value)
                                                 : ordered_json(fmt::to_string(value))});
            }
        }
        list.push_back(std::move(object));
    }
    return list;
}

}  // namespace kgen::bench

// SPDX-License-Identifier: MIT
//
// Times statements from a file, `sqrt(x0 * x0 + x1)`, beside a copy of the same bytes. statement_peers.py writes such
// files, and runs the same statements in PyTorch and CuPy.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "benchmarks/limits.hpp"
#include "benchmarks/measurement.hpp"

namespace kgen::bench {

// The array x0, x1, ... of a statement. The values depend on its number alone, see statements.cpp.
struct StatementArray {
    DType dtype;
    Dims shape;
    Dims strides;  // in bytes, not negative
};

struct StatementCase {
    std::string name;
    std::string kind;        // for the table
    std::string expression;  // see parse_expression()
    std::vector<StatementArray> arrays;
    std::string torch = {};  // what PyTorch runs instead, if it differs
};

struct StatementRow {
    StatementCase given;
    Quartiles ms = {};
    double floor_ms = 0;
    std::size_t kernels = 0;
    std::string loop;  // of the last kernel
    DType dtype = float32;
    Dims shape = {};
    // Elements of the result by their number in C order, for other programs to compare.
    std::vector<std::pair<std::int64_t, double>> samples = {};
    std::string problem = {};  // why there is no time, else empty
};

// Reads {"statements": [{"name", "kind", "expression", "arrays": [{"dtype", "shape", "strides"}]}]}. Throws IoError
// if the file is not such JSON.
std::vector<StatementCase> read_statements(const std::string& path);

// Calls `progress` with a line for each statement.
std::vector<StatementRow> measure_statements(
    const std::vector<StatementCase>& cases,
    Scale scale,
    const Limits& limits,
    const std::function<void(const std::string&)>& progress);

nlohmann::ordered_json statement_rows_json(const std::vector<StatementRow>& rows);

}  // namespace kgen::bench

// SPDX-License-Identifier: MIT
//
// TakenNames: names of the prelude that a definition uses for things of its own, so that the texts mean these.
// kgen's types then have their names with the prefix kgen_, and kgen's macros are undefined.
#pragma once

#include <kgen/dtype.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dtype/dtype_set.hpp"
#include "signature/active_code.hpp"
#include "signature/signature.hpp"
#include "source/source.hpp"

namespace kgen {

struct TakenNames {
    std::set<std::string_view> types;   // float16, complex, int8_t ..
    std::set<std::string_view> macros;  // M_PI, FLT_MAX ..
    // The types whose names only parameters have. The preamble may still mention kgen's type.
    std::set<std::string_view> parameters;
    std::vector<MacroOption> options;  // the options that define a macro of such a name

    bool has(std::string_view type) const { return types.count(type) != 0; }
    bool is_parameter(std::string_view type) const { return parameters.count(type) != 0; }
    // Returns the name of a dtype's C++ type in generated text: "float", "float16", "kgen_complex<float>".
    std::string type_name(DType dtype) const;
    // Returns the sections of the prelude with the names changed. `dtypes` are those whose sections are there.
    std::string rename(const std::string& sections, DTypeSet dtypes) const;
};

// Finds the names that the preamble, `headers` or an option declares, and those of parameters. An integer type
// that is declared as kgen declares it is not taken.
TakenNames find_taken_names(const Signature& signature, const std::vector<UserText>& headers);

}  // namespace kgen

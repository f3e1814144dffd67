// SPDX-License-Identifier: MIT
//
// Source: the text that the compiler receives. Stage 4.
#pragma once

#include <string>
#include <vector>

#include "plan/baked.hpp"
#include "signature/signature.hpp"
#include "types/type_binding.hpp"

namespace kgen {

// A piece of the user's own text in a source, and its name in #line directives: "squared_diff (operation)".
struct UserText {
    std::string label;
    std::string text;
};

struct Source {
    std::string text;
    std::string symbol;                // name of the entry point
    std::string accumulator_symbol;    // see Image::accumulator_symbol
    std::vector<UserText> user_texts;  // the texts that compile errors may refer to
};

// Returns the source of a kernel. A pure function: equal arguments give equal bytes. All properties of the
// call that it uses are in `baked`. `headers` holds the user's headers that the kernel includes. They may
// declare or use names of the prelude.
Source generate_source(const Signature& signature,
                       const TypeBinding& types,
                       const Baked& baked,
                       const std::vector<UserText>& headers = {});

}  // namespace kgen

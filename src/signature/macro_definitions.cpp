// SPDX-License-Identifier: MIT
#include "signature/macro_definitions.hpp"

namespace kgen {

std::vector<MacroDefinition> find_macros(TokenSpan tokens) {
    std::vector<MacroDefinition> found;
    for (std::size_t k = 0; k + 2 < tokens.size(); ++k) {
        if (!begins_directive(tokens[k]) || tokens[k + 1].text != "define" ||
            tokens[k + 2].starts_line) {
            continue;
        }
        MacroDefinition macro;
        macro.name = k + 2;
        macro.end = k + 3;
        while (macro.end < tokens.size() && !tokens[macro.end].starts_line) ++macro.end;
        macro.replacement = k + 3;
        const Token& name = tokens[macro.name];
        macro.takes_arguments = macro.replacement < macro.end &&
                                tokens[macro.replacement].text == "(" &&
                                tokens[macro.replacement].offset == name.offset + name.text.size();
        if (macro.takes_arguments) {
            while (macro.replacement < macro.end && tokens[macro.replacement].text != ")")
                ++macro.replacement;
            if (macro.replacement < macro.end) ++macro.replacement;
        }
        found.push_back(macro);
    }
    return found;
}

}  // namespace kgen

// SPDX-License-Identifier: MIT
//
// Calls parse_signature with any bytes. It returns a signature or throws SignatureError. The
// printed signature must parse as the same signature.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <kgen/error.hpp>
#include <string>

#include "signature/signature.hpp"
#include "signature/token.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    // '|' separates the parts: inputs, outputs, operation, preamble, and for a reduction
    // reduce, post-map and identity.
    std::string parts[7];
    std::size_t at = 0;
    for (std::string& part : parts) {
        const std::size_t end = std::min(text.find('|', at), text.size());
        part = text.substr(at, end - at);
        at = std::min(end + 1, text.size());
    }
    kgen::Definition definition{.name = "k",
                                .inputs = parts[0],
                                .outputs = parts[1],
                                .operation = parts[2],
                                .preamble = parts[3]};
    if (!parts[4].empty()) {
        definition.reduction =
            kgen::ReductionTexts{.reduce = parts[4], .post_map = parts[5], .identity = parts[6]};
    }
    try {
        const kgen::Signature signature = kgen::parse_signature(definition);
        const std::string printed = kgen::to_text(signature);
        const std::size_t arrow = printed.find("->");
        const std::string outputs = printed.substr(arrow + 2);
        const kgen::Signature again =
            kgen::parse_signature({.name = "k",
                                   .inputs = printed.substr(0, arrow),
                                   .outputs = outputs == " ()" ? "" : outputs});
        if (kgen::to_text(again) != printed) std::abort();
    } catch (const kgen::SignatureError&) {
        // Most bytes are rejected in this way.
    }
    return 0;
}

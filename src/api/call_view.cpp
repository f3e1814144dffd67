// SPDX-License-Identifier: MIT
#include "api/call_view.hpp"

#include <algorithm>

namespace kgen {

CallView::CallView(std::span<const CallPart> parts) {
    std::size_t leading = 0;
    while (leading < parts.size() && parts[leading].is_argument()) ++leading;
    arguments_ = parts.first(leading);
    for (std::size_t k = leading; k < parts.size(); ++k) {
        if (!parts[k].is_argument()) {
            add_option(parts[k]);
            continue;
        }
        if (collected_.empty()) collected_.assign(arguments_.begin(), arguments_.end());
        collected_.push_back(parts[k]);
        arguments_ = collected_;
    }
}

CallView::CallView(std::span<const Argument> arguments, const CallOptions& options)
    : size(options.size),
      block_size(options.block_size),
      device(options.device),
      stream(options.stream ? &*options.stream : nullptr) {
    collected_.assign(arguments.begin(), arguments.end());
    arguments_ = collected_;
    for (const Array& array : options.outputs) add_output(&array);
}

void CallView::add_output(const Array* array) {
    if (output_count_ < few_outputs_.size()) {
        few_outputs_[output_count_] = array;
    } else {
        if (many_outputs_.empty()) many_outputs_.assign(few_outputs_.begin(), few_outputs_.end());
        many_outputs_.push_back(array);
    }
    ++output_count_;
}

void CallView::add_option(const CallPart& part) {
    switch (part.kind()) {
        case CallPart::Kind::output:
            add_output(part.output());
            break;
        case CallPart::Kind::stream:
            stream = part.stream();
            break;
        case CallPart::Kind::size:
            size = part.count();
            break;
        case CallPart::Kind::block_size:
            block_size = static_cast<int>(part.count());
            break;
        case CallPart::Kind::array:
        case CallPart::Kind::spec:
        case CallPart::Kind::number:
            break;  // no options
    }
}

}  // namespace kgen

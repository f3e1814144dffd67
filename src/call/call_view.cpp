// SPDX-License-Identifier: MIT
#include "call/call_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <kgen/error.hpp>
#include <string_view>

#include "memory/texture_memory.hpp"
#include "text/error_parts.hpp"

namespace kgen {

AxesArgument::AxesArgument(std::span<const int> axes) : count_(axes.size()) {
    if (count_ > axes_.size()) {
        refuse<ShapeError>({ErrorKind::option,
                            "axis",
                            fmt::format("at most {} axes", max_rank),
                            std::to_string(count_)},
                           "axis: {} axes were given, but an array has at most {}",
                           count_,
                           max_rank);
    }
    std::copy(axes.begin(), axes.end(), axes_.begin());
}

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
    look_for_images();
}

CallView::CallView(std::span<const Argument> arguments, const CallOptions& options)
    : size(options.size),
      block_size(options.block_size),
      device(options.device),
      axes(options.axes),
      keepdims(options.keepdims),
      stream(options.stream ? &*options.stream : nullptr) {
    collected_.assign(arguments.begin(), arguments.end());
    arguments_ = collected_;
    look_for_images();
    for (const Array& array : options.outputs) add_output(&array);
}

std::vector<std::shared_ptr<TextureMemory>> CallView::images() const {
    std::vector<std::shared_ptr<TextureMemory>> images;
    for (const CallPart& part : arguments_) {
        if (part.image() != nullptr) images.push_back(part.image()->shared_from_this());
    }
    return images;
}

void CallView::mark_images(const Stream& used_on) const {
    for (const CallPart& part : arguments_) {
        if (part.image() != nullptr) part.image()->used_on(used_on);
    }
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

void CallView::check_once(const std::string& kernel) const {
    if (repeated == nullptr) return;
    const std::string_view option = repeated;
    refuse<TypeError>({ErrorKind::option, std::string(option), "once", "twice"},
                      "kernel '{}': {} is given twice{}",
                      kernel,
                      option,
                      option == "axis" ? "; give all axes at once, as in axis({0, 1})" : "");
}

void CallView::add_option(const CallPart& part) {
    const auto once = [this](bool is_given, const char* name) {
        if (is_given) [[unlikely]]
            repeated = name;
    };
    switch (part.kind()) {
        case CallPart::Kind::output:
            add_output(part.output());
            break;
        case CallPart::Kind::outputs:
            for (const Array& array : part.outputs()->arrays) add_output(&array);
            break;
        case CallPart::Kind::stream:
            once(stream != nullptr, "on");
            stream = part.stream();
            break;
        case CallPart::Kind::size:
            once(size.has_value(), "size");
            size = part.count();
            break;
        case CallPart::Kind::block_size:
            once(block_size.has_value(), "block_size");
            block_size = static_cast<int>(part.count());
            break;
        case CallPart::Kind::axes:
            once(axes.has_value(), "axis");
            axes = part.axes()->axes();
            break;
        case CallPart::Kind::kept_axes:
            once(keepdims, "keepdims");
            keepdims = true;
            break;
        case CallPart::Kind::loop_shape:
            loop_shape = part.loop_shape();
            break;
        case CallPart::Kind::array:
        case CallPart::Kind::spec:
        case CallPart::Kind::number:
            break;  // no options
    }
}

}  // namespace kgen

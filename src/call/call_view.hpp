// SPDX-License-Identifier: MIT
//
// CallView: one call with its arguments separated from its options. Borrows all parts of the call, which must
// outlive it. The constructor from parts allocates nothing if the arguments precede the options and at most
// 8 outputs are given.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <kgen/call_options.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/section.hpp"

namespace kgen {

class CallView {
public:
    explicit CallView(std::span<const CallPart> parts);
    CallView(std::span<const Argument> arguments, const CallOptions& options);
    CallView(const CallView&) = delete;
    CallView& operator=(const CallView&) = delete;

    std::span<const CallPart> arguments() const noexcept { return arguments_; }
    // Outputs given by out() or CallOptions::outputs. If empty, they are among the arguments or new.
    std::span<const Array* const> outputs() const noexcept {
        return {many_outputs_.empty() ? few_outputs_.data() : many_outputs_.data(), output_count_};
    }

    // Throws TypeError if an option other than out() is given twice.
    void check_once(const std::string& kernel) const;

    // Returns the images: the textures and surfaces among the arguments.
    std::vector<std::shared_ptr<TextureMemory>> images() const;
    // Marks the images as used on the stream. Must be called before the work that uses them is submitted.
    void use_images(const Stream& used_on) const {
        if (has_images_) [[unlikely]]
            mark_images(used_on);
    }

    std::optional<std::int64_t> size;
    std::optional<int> block_size;
    std::optional<Device> device;
    std::optional<std::span<const int>> axes;
    bool keepdims = false;
    const Dims* loop_shape = nullptr;  // that the loop broadcasts to
    std::optional<Section> section;    // of a loop that several devices share
    const Stream* stream = nullptr;    // nullptr for the current stream
    // The option that the parts give twice, for check_once(); nullptr if there is none.
    const char* repeated = nullptr;

private:
    void mark_images(const Stream& used_on) const;
    void look_for_images() noexcept {
        for (const CallPart& part : arguments_) has_images_ |= part.image() != nullptr;
    }
    void add_output(const Array* array);
    void add_option(const CallPart& part);

    std::span<const CallPart> arguments_;
    std::vector<CallPart> collected_;  // the arguments, if options stand between them
    bool has_images_ = false;
    std::size_t output_count_ = 0;
    std::array<const Array*, 8> few_outputs_;  // used if output_count_ fits
    std::vector<const Array*> many_outputs_;
};

}  // namespace kgen

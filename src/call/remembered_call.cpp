// SPDX-License-Identifier: MIT
#include "call/remembered_call.hpp"

#include <algorithm>
#include <cstring>

#include "device/chosen_stream.hpp"
#include "kernel/loaded_kernel.hpp"
#include "memory/array_access.hpp"
#include "memory/storage.hpp"

namespace kgen {

namespace {

enum class HeadKind : std::uint8_t { absent, array, number };

// Size in bytes of the largest single access of device code. A plan depends on an address only modulo this
// size.
constexpr std::uintptr_t alignment = 16;

std::uint64_t head_of(const Array& array) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(array.data());
    return static_cast<std::uint64_t>(HeadKind::array) |
           static_cast<std::uint64_t>(array.dtype()) << 8 |
           static_cast<std::uint64_t>(array.is_read_only()) << 16 |
           static_cast<std::uint64_t>(array.rank()) << 24 | (address % alignment) << 32;
}

std::uint64_t head_of(const Scalar& number) noexcept {
    return static_cast<std::uint64_t>(HeadKind::number) | static_cast<std::uint64_t>(number.dtype())
                                                              << 8;
}

// A loop is faster than memcmp for such short lists.
bool equal(const std::int64_t* a, const std::int64_t* b, int count) noexcept {
    for (int k = 0; k < count; ++k) {
        if (a[k] != b[k]) return false;
    }
    return true;
}

bool is_array(std::uint64_t head) noexcept {
    return static_cast<HeadKind>(head & 0xff) == HeadKind::array;
}

}  // namespace

bool CallOperands::read(const Signature& signature, const CallView& call) noexcept {
    const std::span<const CallPart> arguments = call.arguments();
    const std::span<const Array* const> outputs = call.outputs();
    const auto inputs = static_cast<std::size_t>(signature.input_count);
    count = signature.parameters.size();
    if (count > most) return false;
    if (outputs.empty() ? arguments.size() != inputs && arguments.size() != count
                        : arguments.size() != inputs || outputs.size() != count - inputs) {
        return false;
    }
    const auto set = [&](std::size_t k, const Array* array) {
        if (array == nullptr || !array->has_value()) return false;
        arrays[k] = array;
        numbers[k] = nullptr;
        addresses[k] = reinterpret_cast<std::uintptr_t>(array->data());
        heads[k] = head_of(*array);
        return true;
    };
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        if (const Scalar* number = arguments[k].scalar(); number != nullptr && k < inputs) {
            arrays[k] = nullptr;
            numbers[k] = number;
            addresses[k] = 0;
            heads[k] = head_of(*number);
        } else if (!set(k, arguments[k].array())) {
            return false;
        }
    }
    for (std::size_t k = 0; k < outputs.size(); ++k) {
        if (!set(inputs + k, outputs[k])) return false;
    }
    for (std::size_t k = arguments.size() + outputs.size(); k < count; ++k) {
        arrays[k] = nullptr;
        numbers[k] = nullptr;
        addresses[k] = 0;
        heads[k] = static_cast<std::uint64_t>(HeadKind::absent);
    }
    return true;
}

// --- Recording ----------------------------------------------------------------------------------

bool RememberedCall::record(const Signature& signature,
                            const CallView& view,
                            const CallOperands& operands,
                            const BoundCall& call,
                            const Plan& plan,
                            const Variant& variant,
                            const Backend& backend) {
    if (call.has_temporaries || plan.runtime.count == 0) return false;
    is_complete_ = false;  // stays false if an allocation below throws
    count_ = operands.count;
    std::copy_n(operands.heads.begin(), count_, heads_.begin());
    dims_.clear();
    has_array_ = false;
    for (std::size_t k = 0; k < count_; ++k) {
        if (operands.arrays[k] == nullptr) continue;
        has_array_ = true;
        for (const std::int64_t extent : operands.arrays[k]->shape()) dims_.push_back(extent);
        for (const std::int64_t stride : operands.arrays[k]->strides()) dims_.push_back(stride);
    }
    backend_ = &backend;
    legacy_ = Stream::legacy(call.device);
    size_ = view.size;
    block_size_ = view.block_size;
    axes_.reset();
    if (view.axes) axes_.emplace(*view.axes);
    keepdims_ = view.keepdims;
    loop_shape_.reset();
    if (view.loop_shape != nullptr) loop_shape_ = *view.loop_shape;
    kernel_ = variant.code.kernel.get();
    scratch_ = scratch_use(variant, plan.runtime);
    shape_ = launch_shape(plan.runtime);
    input_count_ = static_cast<std::size_t>(signature.input_count);
    relaid_ = call.relaid;
    new_outputs_.clear();
    for (const NewOutput& output : call.new_outputs) {
        const Array& array = *call.arrays[output.parameter];
        new_outputs_.push_back({output, array.dtype(), array.storage()->size_bytes()});
    }
    record_pairs(call);
    record_patches(call, plan, variant.layout);
    is_complete_ = true;
    return true;
}

void RememberedCall::record_pairs(const BoundCall& call) {
    const auto may_write = [](const Operand& operand) {
        return operand.written || operand.kind == OperandKind::raw;
    };
    std::array<bool, CallOperands::most> is_new = {};
    for (const Allocation& each : new_outputs_) is_new[each.output.parameter] = true;
    for (const RelaidInput& each : relaid_) is_new[each.operand] = true;
    PerParameter<AddressSpan> spans;
    for (const Operand& operand : call.operands) spans.push_back(address_span(operand));
    pairs_.clear();
    for (std::size_t a = 0; a < count_; ++a) {
        const Operand& first = call.operands[a];
        if (first.kind == OperandKind::scalar || !may_write(first)) continue;
        if (is_new[a] || spans[a].is_empty()) continue;  // overlaps nothing
        for (std::size_t b = 0; b < count_; ++b) {
            const Operand& second = call.operands[b];
            if (second.kind == OperandKind::scalar || is_new[b] || spans[b].is_empty()) continue;
            if (b == a || (b < a && may_write(second))) continue;  // each pair once
            const std::uintptr_t distance = second.address - first.address;
            Pair& pair = pairs_.emplace_back();
            pair.first = static_cast<std::uint32_t>(a);
            pair.second = static_cast<std::uint32_t>(b);
            pair.is_apart = !spans[a].intersects(spans[b]);
            pair.low = static_cast<std::int64_t>(
                pair.is_apart ? distance + spans[a].begin - spans[b].end : distance);
            pair.high = static_cast<std::int64_t>(distance + spans[a].end - spans[b].begin);
        }
    }
}

void RememberedCall::record_patches(const BoundCall& call,
                                    const Plan& plan,
                                    const BlockLayout& layout) {
    block_.assign(plan.runtime.block.begin(), plan.runtime.block.end());
    addresses_.clear();
    numbers_.clear();
    for (const BlockField& field : layout.fields) {
        const auto k = static_cast<std::uint32_t>(field.operand);
        const auto offset = static_cast<std::uint32_t>(field.offset);
        if (field.kind == FieldKind::data || field.kind == FieldKind::view) {
            std::uintptr_t value = 0;
            std::memcpy(&value, block_.data() + field.offset, sizeof value);
            addresses_.push_back({k, offset, value - call.operands[k].address});
        } else if (field.kind == FieldKind::scalar) {
            numbers_.push_back({k, offset, call.operands[k].dtype});
        }
    }
}

// --- Comparing ----------------------------------------------------------------------------------

bool RememberedCall::matches(const CallView& view, const CallOperands& operands) const {
    if (!is_complete_) return false;
    for (std::size_t k = 0; k < count_; ++k) {
        if (operands.heads[k] != heads_[k]) return false;
    }
    if (view.block_size != block_size_ || view.size != size_) return false;
    if (view.keepdims != keepdims_ || view.axes.has_value() != axes_.has_value()) return false;
    if ((view.loop_shape != nullptr) != loop_shape_.has_value()) return false;
    if (loop_shape_ && *loop_shape_ != *view.loop_shape) return false;
    if (view.axes && !std::ranges::equal(*view.axes, axes_->axes())) return false;
    const Device device = legacy_->device();
    if (view.device && *view.device != device) return false;
    if (view.stream != nullptr && view.stream->device() != device) return false;
    if (!has_array_ && !view.device && view.stream == nullptr && current_device() != device)
        return false;
    const std::int64_t* dims = dims_.data();
    for (std::size_t k = 0; k < count_; ++k) {
        if (!is_array(heads_[k])) continue;
        const Array& array = *operands.arrays[k];
        const int rank = array.rank();
        if (!equal(dims, array.shape().data(), rank)) return false;
        if (!equal(dims + rank, array.strides().data(), rank)) return false;
        if (&array.storage()->backend() != backend_) return false;
        dims += 2 * rank;
    }
    for (const Pair& pair : pairs_) {
        const auto distance = static_cast<std::int64_t>(operands.addresses[pair.second] -
                                                        operands.addresses[pair.first]);
        const bool differs =
            pair.is_apart ? distance > pair.low && distance < pair.high : distance != pair.low;
        if (differs) return false;
    }
    return true;
}

// --- Running ------------------------------------------------------------------------------------

const Stream& RememberedCall::stream_of(const CallView& view) const {
    const Stream* chosen = view.stream;
    if (chosen == nullptr) chosen = chosen_stream(legacy_->device());
    return chosen != nullptr ? *chosen : *legacy_;
}

bool RememberedCall::run(const CallView& view,
                         const CallOperands& operands,
                         const std::string& kernel_name,
                         std::span<Array> results,
                         std::span<const Array> copies) {
    for (const NumberPatch& patch : numbers_) {
        const std::string problem = convert_scalar(
            *operands.numbers[patch.operand], patch.dtype, block_.data() + patch.offset);
        if (!problem.empty()) return false;
    }
    const Stream& stream = stream_of(view);

    std::array<std::uintptr_t, CallOperands::most> fresh;
    const std::uintptr_t* addresses = operands.addresses.data();
    if (!new_outputs_.empty() || !relaid_.empty()) {
        std::copy_n(operands.addresses.begin(), count_, fresh.begin());
        addresses = fresh.data();
    }
    for (std::size_t n = 0; n < relaid_.size(); ++n)
        fresh[relaid_[n].operand] = reinterpret_cast<std::uintptr_t>(copies[n].data());
    for (const auto& [output, dtype, size_bytes] : new_outputs_) {
        auto storage = Storage::allocate(*backend_, size_bytes, stream);
        void* data = storage->data();
        fresh[output.parameter] = reinterpret_cast<std::uintptr_t>(data);
        results[output.parameter - input_count_] =
            ArrayAccess::make(std::move(storage), dtype, output.shape, output.strides, data);
    }
    for (const AddressPatch& patch : addresses_) {
        const std::uintptr_t value = addresses[patch.operand] + patch.addend;
        std::memcpy(block_.data() + patch.offset, &value, sizeof value);
    }
    for (std::size_t k = 0; k < count_; ++k) {
        if (operands.arrays[k] != nullptr) operands.arrays[k]->storage()->used_on(stream);
    }
    view.use_images(stream);
    if (scratch_)
        scratch_.fill(block_,
                      backend_->scratch(scratch_.counters, scratch_.bytes, stream.handle()));
    backend_->launch(*kernel_, shape_, block_.data(), block_.size(), stream.handle(), kernel_name);
    for (std::size_t k = input_count_; k < count_; ++k) {
        if (operands.arrays[k] != nullptr) results[k - input_count_] = *operands.arrays[k];
    }
    return true;
}

// --- The calls of a thread ----------------------------------------------------------------------

RememberedCall* RememberedCalls::find(const CallView& view, const CallOperands& operands) {
    for (std::size_t k = 0; k < used_; ++k) {
        if (calls_[k].matches(view, operands)) return &calls_[k];
    }
    return nullptr;
}

}  // namespace kgen

// SPDX-License-Identifier: MIT
#include "binding.h"

#include <kgen/kgen.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace kgen;

struct BindingObject {
    Array array = {};
    std::optional<GeneratedKernel> kernel = {};
    std::optional<RawKernel> raw = {};
    std::vector<RawParameter> parameters = {};  // what binding_parameters() listed
    std::string log = {};
};

namespace {

struct LastError {
    std::string type;
    ErrorParts parts;
    std::string message;
};
thread_local LastError last_error;

const char* class_of(const Error& error) {
    if (dynamic_cast<const SignatureError*>(&error) != nullptr) return "SignatureError";
    if (dynamic_cast<const TypeError*>(&error) != nullptr) return "TypeError";
    if (dynamic_cast<const ShapeError*>(&error) != nullptr) return "ShapeError";
    if (dynamic_cast<const CompileError*>(&error) != nullptr) return "CompileError";
    if (dynamic_cast<const DeviceError*>(&error) != nullptr) return "DeviceError";
    if (dynamic_cast<const IoError*>(&error) != nullptr) return "IoError";
    return "Error";
}

// Returns what `work` returns. If it throws, remembers the error and returns `failed`.
template <typename Result, typename Work>
Result guarded(Result failed, Work work) noexcept {
    try {
        return work();
    } catch (const Error& error) {
        last_error = {class_of(error), error.parts(), error.what()};
    } catch (const std::exception& error) {
        last_error = {"Error", {}, error.what()};
    }
    return failed;
}

DType dtype_named(const char* name) {
    if (const std::optional<DType> dtype = parse_dtype(name)) return *dtype;
    TypeError error(std::string("unknown dtype '") + name + "'");
    error.set_parts({ErrorKind::name, {}, {}, name});
    throw error;
}

Scalar number_of(const BindingArgument& argument) {
    const DType dtype = dtype_named(argument.dtype);
    if (argument.byte_count != item_size(dtype)) throw TypeError("the number has another size");
    return read_scalar(dtype, argument.bytes);
}

std::span<const std::byte> bytes_of(const BindingArgument& argument) {
    return {static_cast<const std::byte*>(argument.bytes), argument.byte_count};
}

const char* kind_name(RawParameter::Kind kind) {
    switch (kind) {
        case RawParameter::Kind::pointer:
            return "pointer";
        case RawParameter::Kind::number:
            return "number";
        case RawParameter::Kind::value:
            return "value";
        case RawParameter::Kind::array:
            return "array";
        case RawParameter::Kind::unknown:
            break;
    }
    return "unknown";
}

}  // namespace

BindingObject* binding_array(void* data, const char* dtype, int rank, const int64_t* shape) {
    return guarded<BindingObject*>(nullptr, [&] {
        Dims extents;
        for (int axis = 0; axis < rank; ++axis) extents.push_back(shape[axis]);
        const ViewOptions options{.device = Device::host()};
        return new BindingObject{Array::view(data, dtype_named(dtype), extents, options)};
    });
}

BindingObject* binding_elementwise(const char* inputs,
                                   const char* outputs,
                                   const char* operation,
                                   const char* name) {
    return guarded<BindingObject*>(nullptr, [&] {
        return new BindingObject{.kernel = ElementwiseKernel(inputs, outputs, operation, name)};
    });
}

BindingObject* binding_raw(const char* code, const char* name) {
    return guarded<BindingObject*>(nullptr,
                                   [&] { return new BindingObject{.raw = RawKernel(code, name)}; });
}

void binding_free(BindingObject* object) {
    delete object;
}

int binding_call(const BindingObject* kernel,
                 const BindingArgument* arguments,
                 size_t count,
                 const BindingObject* const* outputs,
                 size_t output_count) {
    return guarded(0, [&] {
        std::vector<OutputReference> given;
        for (size_t k = 0; k < output_count; ++k) given.push_back(out(outputs[k]->array));
        std::vector<CallPart> parts;
        for (size_t k = 0; k < count; ++k) {
            if (arguments[k].kind == BINDING_ARRAY) {
                parts.emplace_back(arguments[k].array->array);
            } else {
                parts.emplace_back(number_of(arguments[k]));
            }
        }
        for (const OutputReference& each : given) parts.emplace_back(each);
        std::vector<Array> results(static_cast<size_t>(kernel->kernel->output_count()));
        kernel->kernel->call_parts(parts, results);
        return 1;
    });
}

int binding_launch(const BindingObject* raw,
                   int64_t grid,
                   int64_t block,
                   const BindingArgument* arguments,
                   size_t count) {
    return guarded(0, [&] {
        std::vector<RawArgument> given;
        for (size_t k = 0; k < count; ++k) {
            if (arguments[k].kind == BINDING_ARRAY) {
                given.emplace_back(arguments[k].array->array);
            } else if (arguments[k].kind == BINDING_NUMBER) {
                given.emplace_back(number_of(arguments[k]));
            } else {
                given.emplace_back(RawBytes{bytes_of(arguments[k]), arguments[k].alignment});
            }
        }
        raw->raw->launch_arguments({.grid = {grid}, .block = {block}},
                                   std::span<const RawArgument>(given));
        return 1;
    });
}

int binding_parameters(BindingObject* raw, BindingParameter* parameters, int limit) {
    return guarded(-1, [&] {
        raw->parameters = raw->raw->parameters(Device::host());
        const int count = static_cast<int>(raw->parameters.size());
        for (int k = 0; k < count && k < limit; ++k) {
            const RawParameter& each = raw->parameters[static_cast<size_t>(k)];
            parameters[k] = {.name = each.name.c_str(),
                             .type = each.type.c_str(),
                             .kind = kind_name(each.kind),
                             .dtype = each.dtype ? to_text(*each.dtype).data() : "",
                             .size_bytes = each.size_bytes,
                             .alignment = each.alignment};
        }
        return count;
    });
}

const char* binding_log(BindingObject* raw) {
    return guarded<const char*>(nullptr, [&] {
        raw->log = raw->raw->log(Device::host());
        return raw->log.c_str();
    });
}

int binding_set_allocator(void* (*allocate)(size_t bytes, void* stream),
                          void (*free)(void* pointer, size_t bytes, void* stream)) {
    return guarded(0, [&] {
        MemoryAllocator allocator;
        if (allocate != nullptr) allocator.allocate = allocate;
        if (free != nullptr) allocator.free = free;
        set_memory_allocator(std::move(allocator), Device::host());
        return 1;
    });
}

BindingError binding_error(void) {
    return {.type = last_error.type.c_str(),
            .kind = to_text(last_error.parts.kind),
            .parameter = last_error.parts.parameter.c_str(),
            .expected = last_error.parts.expected.c_str(),
            .got = last_error.parts.got.c_str(),
            .message = last_error.message.c_str()};
}

// SPDX-License-Identifier: MIT
#include <kgen/error.hpp>

namespace kgen {

namespace {

const ErrorParts& no_parts() {
    static const auto* const none = new ErrorParts;  // outlives every static destructor
    return *none;
}

}  // namespace

const ErrorParts& Error::parts() const noexcept {
    return parts_ != nullptr ? *parts_ : no_parts();
}

const char* to_text(ErrorKind kind) noexcept {
    switch (kind) {
        case ErrorKind::other:
            break;
        case ErrorKind::argument_count:
            return "argument_count";
        case ErrorKind::argument_type:
            return "argument_type";
        case ErrorKind::dtype:
            return "dtype";
        case ErrorKind::value:
            return "value";
        case ErrorKind::shape:
            return "shape";
        case ErrorKind::layout:
            return "layout";
        case ErrorKind::read_only:
            return "read_only";
        case ErrorKind::device:
            return "device";
        case ErrorKind::option:
            return "option";
        case ErrorKind::name:
            return "name";
        case ErrorKind::syntax:
            return "syntax";
    }
    return "other";
}

}  // namespace kgen

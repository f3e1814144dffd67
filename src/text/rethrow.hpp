// SPDX-License-Identifier: MIT
//
// rethrow_as_error: every exception that leaves a function of the API is a kgen::Error, unless the user threw it.
#pragma once

#include <exception>

namespace kgen {

// Called in the catch (...) of an API function's try block. Rethrows a kgen::Error as it is, and exceptions of the
// C++ library as one: std::bad_alloc as a DeviceError "out of memory", std::system_error as an IoError or
// DeviceError with its code, others as an Error. What call_user() caught is thrown again as it was. Exceptions of
// other types, such as the unwinding of pthread_exit(), pass through.
[[noreturn]] void rethrow_as_error();

// Holds what a function of the user threw, on its way to rethrow_as_error().
struct UserException {
    std::exception_ptr thrown;
};

// Calls a function of the user, so that its exceptions of the C++ library do not become kgen's.
template <typename Function, typename... Arguments>
void call_user(const Function& function, const Arguments&... arguments) {
    try {
        function(arguments...);
    } catch (const std::exception&) {
        throw UserException{std::current_exception()};
    }
}

}  // namespace kgen

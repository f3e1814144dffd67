// SPDX-License-Identifier: MIT
//
// rethrow_as_error: every exception that leaves a function of the API is a kgen::Error.
#pragma once

namespace kgen {

// Called in the catch (...) of an API function's try block. Rethrows a kgen::Error as it is, and exceptions of the
// C++ library as one: std::bad_alloc as a DeviceError "out of memory", std::system_error as an IoError or
// DeviceError with its code, others as an Error. Exceptions of other types, such as the unwinding of
// pthread_exit(), pass through.
[[noreturn]] void rethrow_as_error();

}  // namespace kgen

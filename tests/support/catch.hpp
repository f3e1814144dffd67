// SPDX-License-Identifier: MIT
//
// Includes Catch2 of either version: v2 is one header, v3 is a library.
#pragma once

#ifdef KGEN_CATCH2_V3
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

#include <string>

// Runs the statement and returns what() of the exception. The statement must throw that type.
#define KGEN_MESSAGE_OF(exception_type, ...)                   \
    [&]() -> std::string {                                     \
        try {                                                  \
            static_cast<void>(__VA_ARGS__);                    \
        } catch (const exception_type& error) {                \
            return error.what();                               \
        }                                                      \
        return "(nothing of type " #exception_type " thrown)"; \
    }()

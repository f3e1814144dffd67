// SPDX-License-Identifier: MIT
#include "text/rethrow.hpp"

#include <filesystem>
#include <kgen/error.hpp>
#include <new>
#include <string>
#include <system_error>

namespace kgen {

void rethrow_as_error() {
    try {
        throw;
    } catch (const Error&) {
        throw;
    } catch (const UserException& of_user) {
        std::rethrow_exception(of_user.thrown);
    } catch (const std::bad_alloc&) {
        throw DeviceError("out of memory");
    } catch (const std::filesystem::filesystem_error& error) {
        throw IoError(error.what());
    } catch (const std::system_error& error) {
        throw DeviceError(error.what(), {}, error.code().value());
    } catch (const std::exception& error) {
        throw Error(std::string("internal error: ") + error.what());
    }
}

}  // namespace kgen

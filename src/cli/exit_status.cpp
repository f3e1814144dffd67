// SPDX-License-Identifier: MIT
#include "cli/exit_status.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <kgen/cache.hpp>
#include <kgen/error.hpp>
#include <kgen/pack.hpp>
#include <kgen/terminal_text.hpp>
#include <string>

namespace kgen::cli {

namespace {

// Results of the driver that leave a CUDA context unusable (cuda.h): uncorrectable ECC and NVLink errors, a
// contained error, illegal address, launch timeout, assert, 714 to 719 from a hardware stack error to a
// failed launch, a tensor memory leak, a terminated MPS client.
constexpr std::array<int, 14> fault_codes = {
    214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810};

bool is_fault(const DeviceError& error) {
    // Only the driver's calls ("cuLaunchKernel") have such codes. Codes of other calls are errno values.
    return error.call().substr(0, 2) == "cu" &&
           std::find(fault_codes.begin(), fault_codes.end(), error.code()) != fault_codes.end();
}

template <typename Kind>
bool is(const std::exception& error) {
    return dynamic_cast<const Kind*>(&error) != nullptr;
}

// prepare_standard_output ignores the signal, so that a write fails before.
[[noreturn]] void end_by_sigpipe() {
    std::signal(SIGPIPE, SIG_DFL);
    ::sigset_t pipe;
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_UNBLOCK, &pipe, nullptr);
    ::raise(SIGPIPE);
    std::_Exit(128 + SIGPIPE);
}

}  // namespace

ExitStatus status_of(const std::exception& error) noexcept {
    if (is<UsageError>(error) || is<SignatureError>(error) || is<TypeError>(error) ||
        is<ShapeError>(error) || is<LaunchError>(error) || is<CacheError>(error) ||
        is<PackError>(error)) {
        return ExitStatus::usage;
    }
    if (is<IoError>(error)) return ExitStatus::io;
    if (is<CompileError>(error)) return ExitStatus::compile;
    if (const auto* device_error = dynamic_cast<const DeviceError*>(&error)) {
        return is_fault(*device_error) ? ExitStatus::device_fault : ExitStatus::device;
    }
    if (is<CommunicationError>(error)) return ExitStatus::device;
    return ExitStatus::problems;
}

int run_guarded(const std::function<ExitStatus()>& action) {
    try {
        return static_cast<int>(action());
    } catch (const ClosedPipe&) {
        end_by_sigpipe();
    } catch (const std::exception& error) {
        const std::string message = terminal_text(error.what(), LineBreaks::kept);
        std::fprintf(stderr, "kgen: %s\n", message.c_str());
        return static_cast<int>(status_of(error));
    }
}

}  // namespace kgen::cli

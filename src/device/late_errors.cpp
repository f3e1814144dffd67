// SPDX-License-Identifier: MIT
#include "device/late_errors.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace kgen {

namespace {

struct Late {
    std::mutex mutex;
    std::vector<std::pair<Device, std::exception_ptr>> errors;
};

Late& late() {
    static auto* const made = new Late;  // never destroyed
    return *made;
}

}  // namespace

std::atomic<int> LateErrors::count_ = 0;

void LateErrors::add(Device device, std::exception_ptr error) {
    const std::lock_guard lock(late().mutex);
    late().errors.emplace_back(device, std::move(error));
    ++count_;
}

void LateErrors::rethrow_first(Device device) {
    std::exception_ptr error;
    {
        const std::lock_guard lock(late().mutex);
        auto& errors = late().errors;
        const auto found = std::find_if(
            errors.begin(), errors.end(), [&](const auto& each) { return each.first == device; });
        if (found == errors.end()) return;
        error = std::move(found->second);
        errors.erase(found);
        --count_;
    }
    std::rethrow_exception(error);
}

}  // namespace kgen

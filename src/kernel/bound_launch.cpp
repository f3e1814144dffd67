// SPDX-License-Identifier: MIT
#include <kgen/bound_launch.hpp>

#include "kernel/frozen_launch.hpp"

namespace kgen {

void BoundLaunch::launch() const {
    launch_->launch();
}

const std::vector<Array>& BoundLaunch::outputs() const noexcept {
    return launch_->outputs();
}

const Stream& BoundLaunch::stream() const noexcept {
    return launch_->stream();
}

NativeLaunch BoundLaunch::native() const {
    return launch_->native();
}

}  // namespace kgen

// SPDX-License-Identifier: MIT
//
// CommunicatorAccess: the engine of a communicator.
#pragma once

#include <kgen/communicator.hpp>
#include <memory>
#include <utility>

namespace kgen {

struct CommunicatorAccess {
    static Engine& engine(const Communicator& communicator) noexcept {
        return *communicator.engine_;
    }
    static Communicator make(std::shared_ptr<Engine> engine) {
        return Communicator(std::move(engine));
    }
};

}  // namespace kgen

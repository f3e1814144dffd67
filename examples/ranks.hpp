// SPDX-License-Identifier: MIT
//
// The ranks of the programs about sharded arrays. The programs print the same for every number of ranks.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <kgen/kgen.hpp>
#include <utility>
#include <vector>

// Returns the ranks of all processes that mpirun, srun or torchrun started together. A program that is started by itself
// has all ranks: one for each GPU, or four on the current device if it is the host or the only GPU. New arrays are then made
// on the device of this process's first rank.
inline kgen::Communicator find_ranks() {
    const kgen::Communicator ranks = [] {
        const kgen::Communicator world = kgen::Communicator::world();
        if (world.size() > 1) return world;
        const int gpus = kgen::device_count(kgen::DeviceKind::cuda);
        std::vector<kgen::Device> devices(4, kgen::current_device());
        if (gpus > 1 && kgen::current_device().kind() == kgen::DeviceKind::cuda) {
            devices.clear();
            for (int k = 0; k < gpus; ++k) devices.push_back(kgen::Device::cuda(k));
        }
        return kgen::Communicator::of_devices(devices);
    }();
    kgen::set_current_device(ranks.device(ranks.rank()));
    return ranks;
}

// Runs a program. Prints what it throws, and returns its status. A launcher ends the other processes of one that fails.
inline int run_on_ranks(const std::function<void(const kgen::Communicator&)>& program) {
    try {
        program(find_ranks());
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}

// Prints on rank 0 only. The arguments are computed on all ranks, as they must be if they exchange data.
template <typename... Arguments>
void say(const kgen::Communicator& ranks,
         fmt::format_string<Arguments...> text,
         Arguments&&... arguments) {
    if (ranks.rank() == 0) fmt::print(text, std::forward<Arguments>(arguments)...);
}

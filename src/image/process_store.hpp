// SPDX-License-Identifier: MIT
//
// The disk cache of this process.
#pragma once

#include <memory>

#include "read_only_place.hpp"
#include "store.hpp"

namespace kgen {

// Made on first use from the environment, or as configure_process_store() said; what it has to tell
// goes to the log.
cache::Store& process_store();

// The settings of the store, or those that it would have; it is not made for that.
cache::StoreSettings process_store_settings();

// What the store did so far; it is not made for that.
cache::StoreStatistics process_store_statistics();

// Brings what the store counted to disk; it is not made for that.
void flush_process_store() noexcept;

// False if the store is there already: then nothing changes.
bool configure_process_store(cache::StoreSettings settings);

// Adds a place to look in, at any time, also while other threads use the store or before main; the
// store is not made for that.
void add_to_process_store(std::unique_ptr<cache::ReadOnlyPlace> place);

}  // namespace kgen

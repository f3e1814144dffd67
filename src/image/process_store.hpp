// SPDX-License-Identifier: MIT
//
// The disk cache of this process.
#pragma once

#include <memory>

#include "read_only_place.hpp"
#include "store.hpp"

namespace kgen {

// The store of this process, made on first use from the environment or from configure_process_store(). Its
// messages go to the log.
cache::Store& process_store();

// The settings that the store has or would have. Does not make the store.
cache::StoreSettings process_store_settings();

// The counts of the store so far. Does not make the store.
cache::StoreStatistics process_store_statistics();

// Writes the store's counts to disk. Does not make the store.
void flush_process_store() noexcept;

// Sets the settings of the store. Returns false and changes nothing if the store exists already.
bool configure_process_store(cache::StoreSettings settings);

// Adds a read-only place for look-ups. May be called at any time, even before main or while other threads use
// the store. Does not make the store.
void add_to_process_store(std::unique_ptr<cache::ReadOnlyPlace> place);

}  // namespace kgen

// SPDX-License-Identifier: MIT
#pragma once

#include <kgen/accuracy.hpp>
#include <kgen/argument.hpp>
#include <kgen/array.hpp>
#include <kgen/benchmark.hpp>
#include <kgen/bound_launch.hpp>
#include <kgen/call_options.hpp>
#include <kgen/device.hpp>
#include <kgen/dims.hpp>
#include <kgen/dtype.hpp>
#include <kgen/elementwise_kernel.hpp>
#include <kgen/error.hpp>
#include <kgen/explanation.hpp>
#include <kgen/graph.hpp>
#include <kgen/half.hpp>
#include <kgen/npy.hpp>
#include <kgen/reduce_dims.hpp>
#include <kgen/reduction_kernel.hpp>
#include <kgen/scalar.hpp>
#include <kgen/stream.hpp>
#include <kgen/suggestion.hpp>
#include <kgen/system.hpp>

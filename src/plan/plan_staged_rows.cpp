// SPDX-License-Identifier: MIT
#include "plan/reduction_plan.hpp"

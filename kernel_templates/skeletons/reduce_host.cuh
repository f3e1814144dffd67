// SPDX-License-Identifier: MIT
// kgen: reductions on the host.

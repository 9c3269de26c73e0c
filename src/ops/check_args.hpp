// SPDX-License-Identifier: Apache-2.0
// Operands of one call, checked before anything is read or written.
#pragma once

#include "weft/plan.hpp"

namespace weft::ops {

/// `args` with packed leading dimensions filled in.
/// @throws Error kInvalidArgument: null, unaligned or overlapping pointers, leading dimensions that
///         are too small or overflow, a stream on the CPU, operands the problem does not have
RunArgs checked_args(const Problem& problem, const RunArgs& args);

}  // namespace weft::ops

// SPDX-License-Identifier: Apache-2.0
/// @file
/// The one-call form.
#pragma once

#include "weft/plan.hpp"

namespace weft {

/// C = gather(A) * B + bias, choosing its own configuration. Collective. The first call with a
/// problem makes a plan; later calls find it in the World's cache, which keeps all plans until the
/// World ends.
/// @throws Error as Plan::Plan and Plan::run
void all_gather_matmul(Rank& rank, const Problem& problem, const RunArgs& args,
                       const PlanOptions& options = {});

}  // namespace weft

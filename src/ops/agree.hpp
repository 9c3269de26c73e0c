// SPDX-License-Identifier: Apache-2.0
// All ranks must run the same variant and configuration, or they hang: rank 0's choice counts.
#pragma once

#include "weft/select.hpp"
#include "weft/world.hpp"

namespace weft::ops {

/// This rank's own choice: options, environment, database; `unfused` on a simulated chip.
Selection choose(Rank& rank, const Problem& problem, const SelectOptions& options,
                 ConfigDatabase& database);

/// What all ranks will run.
struct Agreement {
  Selection selection;
  bool imported = false;  ///< rank 0's evidence is imported: a guard must hold it to more
};

/// Collective. The choice of rank 0, if all ranks can run it, else `unfused`; one notice names the
/// rank and the cause, or a rank whose own choice differs.
/// @throws Error kInvalidArgument on all ranks if the problems differ; kTimeout
Agreement agree(Rank& rank, const Problem& problem, Selection own);

}  // namespace weft::ops

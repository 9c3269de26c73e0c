// SPDX-License-Identifier: Apache-2.0
// Which fused configurations of a problem are worth trying.
#pragma once

#include <cstddef>
#include <vector>

#include "weft/config.hpp"

namespace weft::tune {

/// Trying more costs a recording more time than the choice is worth.
inline constexpr std::size_t kMaxCpuCandidates = 14;

/// Candidates for `problem` on a CPU, most promising first: `direct` from whole-shard products down
/// to tiles of 256 x 1024, and `staged` with a few numbers of stages. M is cut so that each thread
/// of a rank gets about a tile or more. No two are equal after tiles were clipped to the problem,
/// and each passes `validate`. At most kMaxCpuCandidates; none on an arch or for a type without a
/// CPU kernel.
std::vector<FusedConfig> cpu_candidates(const Problem& problem, const Arch& arch);

}  // namespace weft::tune

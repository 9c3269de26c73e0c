// SPDX-License-Identifier: Apache-2.0
// Random grids for property tests of the schedule.
#pragma once

#include <rapidcheck.h>

#include <iosfwd>

#include "schedule/grid.hpp"

namespace weft::schedule {

/// Prints every field, so that a counterexample can be typed in again.
std::ostream& operator<<(std::ostream& out, const GridSpec& spec);

/// Small legal grids of both shard dims: ragged extents, spanning tiles, tiles larger than the
/// extent, more stages than m-tiles, groups wider than a stage, world sizes 1 to 16, any rank.
/// At most 256 m-tiles, 24 n-tiles and 384 k-groups, so that a check may visit them all.
rc::Gen<GridSpec> random_spec();

/// Legal grids with one extent around 2^40 and products below 2^61; only to be sampled.
rc::Gen<GridSpec> random_large_spec();

/// Uniform in [0, count), whatever size the test runs at.
rc::Gen<std::int64_t> random_index(std::int64_t count);

}  // namespace weft::schedule

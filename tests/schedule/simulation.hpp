// SPDX-License-Identifier: Apache-2.0
// Workers that take tickets, in one thread: each step is taken by a worker that an adversary picks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/checks.hpp"

namespace weft::schedule {

/// How a worker goes from work to work. Only workers below num_fetchers(stage) fetch of a stage.
enum class Roles : std::uint8_t {
  kFetchThenCompute,  ///< fetch of all stages first, then join those who compute tiles
  kStageByStage,      ///< fetch of stage s, compute tiles up to stage s, then go on to s + 1
};

/// Whose step comes next, among those who can take one.
enum class Adversary : std::uint8_t {
  kByChoices,  ///< choices[step % size], modulo the number of candidates
  kLowest,     ///< the fetchers run ahead
  kHighest,    ///< the fetchers starve while anyone else can move
};

struct Simulation {
  std::int32_t num_workers = 1;
  std::int32_t num_resident = 1;  ///< workers that fit at once; the next starts when one ends
  std::int32_t first_stage_fetchers = 1;
  std::int32_t later_fetchers = 1;
  Roles roles = Roles::kFetchThenCompute;
  Adversary adversary = Adversary::kByChoices;
  std::vector<std::uint32_t> choices = {0};
};

/// Runs until all workers have ended or none can move.
/// @return "" when each needed flag was raised once and each tile computed once; else what happened
std::string simulate(const Grid& g, const Simulation& simulation, const Order& order = {});

}  // namespace weft::schedule

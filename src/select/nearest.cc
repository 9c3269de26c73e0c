// SPDX-License-Identifier: Apache-2.0
// Rung 3: a measured winner close by, unless a loser is close by too. Imported winners are never
// used as neighbours. A configuration is validated for the new shape, never repaired.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/message.hpp"
#include "schedule/grid.hpp"
#include "select/reasons.hpp"
#include "select/rungs.hpp"
#include "tune/statistics.hpp"

namespace weft::select {
namespace {

struct Neighbour {
  const FoundEntry* found = nullptr;
  double octaves = 0;   ///< Euclidean distance over the three dimensions
  bool inside = false;  ///< every dimension is within the entry's radius
};

Neighbour locate(const FoundEntry& found, const Problem& p) {
  const Entry& e = found.entry;
  const std::array<double, 3> ratios{static_cast<double>(p.m) / static_cast<double>(e.m),
                                     static_cast<double>(p.n) / static_cast<double>(e.n),
                                     static_cast<double>(p.k) / static_cast<double>(e.k)};
  Neighbour n{&found, 0, true};
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    const double octaves = std::abs(std::log2(ratios[i]));
    const double measured = e.radius_octaves[i];
    const double radius = measured > 0 ? std::min(measured, kLargestRadius) : kDefaultRadius;
    n.inside = n.inside && octaves <= radius;
    n.octaves += octaves * octaves;
  }
  n.octaves = std::sqrt(n.octaves);
  return n;
}

std::int64_t count_tiles(const FusedConfig& c, const Problem& p, std::int64_t m, std::int64_t n,
                         std::int64_t k) {
  return schedule::num_tiles(schedule::make_grid({.m = m,
                                                  .n = n,
                                                  .k = k,
                                                  .world_size = p.world_size,
                                                  .shard_m = p.shard_dim == ShardDim::kM,
                                                  .tile_m = c.tile_m,
                                                  .tile_n = c.tile_n,
                                                  .tile_k = c.tile_k,
                                                  .group_m = c.group_m,
                                                  .k_per_flag = c.k_per_flag,
                                                  .num_fetch_stages = c.num_fetch_stages}));
}

struct Waves {
  std::int64_t count;
  double efficiency;  ///< share of unit-waves that have a tile
};

Waves waves_of(std::int64_t tiles, std::int64_t units) {
  const std::int64_t count = schedule::ceil_div(tiles, units);
  return {count, static_cast<double>(tiles) / static_cast<double>(count * units)};
}

bool same_wave_class(Waves a, Waves b) {
  constexpr std::int64_t kFew = 4;
  constexpr double kTolerance = 0.10;
  if (std::min(a.count, b.count) <= kFew) return a.count == b.count;
  return std::abs(a.efficiency / b.efficiency - 1) <= kTolerance;
}

/// Whether A, B or C of `p` passes 2^31 elements where the entry's did not.
bool crosses_32_bit(const Entry& e, const Problem& p) {
  constexpr std::int64_t kLimit = std::numeric_limits<std::int32_t>::max();
  const auto crosses = [](std::int64_t old_rows, std::int64_t old_cols, std::int64_t rows,
                          std::int64_t cols) {
    return rows > kLimit / cols && old_rows <= kLimit / old_cols;
  };
  return crosses(e.m, e.k, p.m, p.k) || crosses(e.k, e.n, p.k, p.n) || crosses(e.m, e.n, p.m, p.n);
}

Answer say(const Neighbour& n, std::string_view reason, std::string_view why) {
  const bool answered = reason == reason::kNeighbourWin || reason == reason::kNeighbourLost;
  Answer answer =
      make_answer(Source::kNearest, answered, reason,
                  fmt::format("entry {} ({:.3f} octave away, {}) {}", shape_text(n.found->entry),
                              n.octaves, evidence_text(n.found->entry), why));
  answer.entry = *n.found;
  answer.distance = n.octaves;
  return answer;
}

/// A winner of a stage that carries bounds.
Answer judge_measured(const Query& query, const Neighbour& n) {
  const Entry& e = n.found->entry;
  const Problem& p = query.problem;
  const EvidenceAge age = age_of(*n.found, query.environment);
  if (age == EvidenceAge::kStale) {
    return say(n, reason::kNeighbourStale,
               "is stale: kernels, compiler or an unfused library changed since");
  }
  const double bound = discounted_bound(e, age, n.octaves);
  if (!(bound > tune::kWinBound)) {
    return say(n, reason::kNeighbourBoundTooLow,
               fmt::format("has a lower bound of {:.3f} after discounts, not above {:.2f}", bound,
                           tune::kWinBound));
  }
  const Validation verdict = check_entry(e, p, query.arch);
  if (!verdict.legal) {
    return say(n, reason::kNeighbourIllegal,
               "has a configuration that is not legal here: " + verdict.reason);
  }
  const std::array<std::int64_t, 3> extents{p.m, p.n, p.k};
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (e.divisible[i] > 1 && extents[i] % e.divisible[i] != 0) {
      return say(n, reason::kNeighbourDivisibility,
                 fmt::format("holds for multiples of {} only, and {}={} is none", e.divisible[i],
                             "MNK"[i], extents[i]));
    }
  }
  const Waves theirs = waves_of(count_tiles(e.config, p, e.m, e.n, e.k), query.arch.units);
  const Waves ours = waves_of(count_tiles(e.config, p, p.m, p.n, p.k), query.arch.units);
  if (!same_wave_class(theirs, ours)) {
    return say(
        n, reason::kNeighbourWaveClass,
        fmt::format("fills {} waves of tiles to {:.0f} %, this problem {} to {:.0f} %",
                    theirs.count, 100 * theirs.efficiency, ours.count, 100 * ours.efficiency));
  }
  if (crosses_32_bit(e, p)) {
    return say(n, reason::kNeighbourOffsets,
               "keeps all offsets below 2^31 elements, and this problem does not");
  }
  Answer answer = say(n, reason::kNeighbourWin,
                      fmt::format("wins with a lower bound of {:.3f} after discounts", bound));
  answer.config = e.config;
  answer.bound_used = bound;
  answer.guard = query.options.guard == GuardMode::kOn;
  return answer;
}

Answer judge(const Query& query, const Neighbour& n) {
  const Entry& e = n.found->entry;
  if (e.status == EntryStatus::kTie) return say(n, reason::kNeighbourTie, "neither wins nor loses");
  if (e.stage == EntryStage::kImported) {
    return say(n, reason::kNeighbourImported, "is imported and so not used as a neighbour");
  }
  if (e.stage == EntryStage::kScreened) {
    return say(n, reason::kNeighbourScreened, "was screened only, which proves nothing");
  }
  return judge_measured(query, n);
}

bool counts(const Entry& e) {
  return e.status != EntryStatus::kBroken && e.status != EntryStatus::kUnmeasured;
}

}  // namespace

Answer ask_nearest(const Query& query) {
  std::vector<Neighbour> inside;
  Neighbour closest;
  Neighbour loser;
  const auto is_closer = [](const Neighbour& n, const Neighbour& than) {
    return than.found == nullptr || n.octaves < than.octaves;
  };
  for (const FoundEntry& found : query.known.entries) {
    if (!counts(found.entry)) continue;
    const Neighbour n = locate(found, query.problem);
    if (is_closer(n, closest)) closest = n;
    if (!n.inside) continue;
    if (found.entry.status != EntryStatus::kLose) {
      inside.push_back(n);
    } else if (is_closer(n, loser)) {
      loser = n;
    }
  }
  if (closest.found == nullptr) {
    const std::string path = database_key(query.problem, query.arch, query.link).relative_path();
    return make_answer(Source::kNearest, false, reason::kNoEntry,
                       fmt::format("no entry with a speedup in {}", path));
  }
  if (loser.found != nullptr) {
    return say(loser, reason::kNeighbourLost, "loses, which turns fusion off around it");
  }
  if (inside.empty()) {
    return say(closest, reason::kOutOfRadius, "is the closest and outside its radius of validity");
  }

  std::stable_sort(inside.begin(), inside.end(), [](const Neighbour& a, const Neighbour& b) {
    if (a.octaves != b.octaves) return a.octaves < b.octaves;
    return a.found->entry.speedup_lo > b.found->entry.speedup_lo;
  });
  std::optional<Answer> first;
  for (const Neighbour& n : inside) {
    Answer answer = judge(query, n);
    if (answer.report.answered) return answer;
    if (!first) first = std::move(answer);
  }
  return *std::move(first);
}

}  // namespace weft::select

// SPDX-License-Identifier: Apache-2.0
#include "tune/trial.hpp"

#include <algorithm>

#include "core/message.hpp"
#include "tune/statistics.hpp"

namespace weft::tune {
namespace {

/// Round by round from another arm on, and in turns forwards and backwards, wrapping.
std::vector<std::size_t> round_order(const std::vector<std::size_t>& arms, std::size_t round,
                                     std::size_t rounds) {
  const std::size_t first = round * arms.size() / rounds;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const std::size_t step = round % 2 == 0 ? i : arms.size() - i;
    order.push_back(arms[(first + step) % arms.size()]);
  }
  return order;
}

/// By the first sample of each arm of its team.
bool is_cut(const std::vector<std::vector<double>>& samples, std::span<const int> teams,
            std::size_t arm, const Cut& cut) {
  const double own = samples[arm][0];
  double fastest = own;
  std::size_t faster = 0;
  for (std::size_t rival = 0; rival < teams.size(); ++rival) {
    if (teams[rival] != teams[arm]) continue;
    const double time = samples[rival][0];
    fastest = std::min(fastest, time);
    if (time < own || (time == own && rival < arm)) ++faster;
  }
  return own > cut.slower * fastest || faster >= cut.keep;
}

}  // namespace

Spread spread(std::span<const double> samples) {
  if (samples.empty()) return {};
  const auto [min, max] = std::minmax_element(samples.begin(), samples.end());
  return {median(samples), *min, *max};
}

PairTimes run_pairs(const TimeArm& time, std::size_t a, std::size_t b, std::int32_t pairs,
                    const std::function<bool(std::int32_t done)>& go_on) {
  PairTimes result;
  for (std::int32_t done = 1; done <= pairs; ++done) {
    const double a1 = time(a);
    const double b1 = time(b);
    const double b2 = time(b);
    const double a2 = time(a);
    result.a.insert(result.a.end(), {a1, a2});
    result.b.insert(result.b.end(), {b1, b2});
    result.ratios.push_back(pair_ratio(a1, b1, b2, a2));
    if (!go_on(done)) break;
  }
  return result;
}

std::size_t Screening::best(std::span<const int> teams, int team) const {
  std::size_t rounds = 0;
  for (const auto& times : samples) rounds = std::max(rounds, times.size());
  std::size_t found = samples.size();
  double fastest = 0;
  for (std::size_t arm = 0; arm < samples.size(); ++arm) {
    if (teams[arm] != team || samples[arm].size() < rounds) continue;
    const double m = median(samples[arm]);
    if (found == samples.size() || m < fastest) {
      found = arm;
      fastest = m;
    }
  }
  WEFT_ASSERT(found < samples.size());
  return found;
}

Screening screen(const TimeArm& time, std::span<const int> teams, std::int32_t rounds,
                 const Cut& cut,
                 const std::function<void(std::size_t done, std::size_t total)>& before) {
  Screening result;
  result.samples.resize(teams.size());
  std::vector<std::size_t> left(teams.size());
  for (std::size_t arm = 0; arm < left.size(); ++arm) left[arm] = arm;
  const auto num_rounds = static_cast<std::size_t>(rounds);
  std::size_t done = 0;
  for (std::size_t round = 0; round < num_rounds; ++round) {
    const std::size_t total = done + (num_rounds - round) * left.size();
    for (const std::size_t arm : round_order(left, round, num_rounds)) {
      before(done, total);
      result.samples[arm].push_back(time(arm));
      ++done;
    }
    if (round > 0) continue;
    std::erase_if(left, [&](std::size_t arm) { return is_cut(result.samples, teams, arm, cut); });
  }
  return result;
}

}  // namespace weft::tune

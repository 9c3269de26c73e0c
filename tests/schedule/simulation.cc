// SPDX-License-Identifier: Apache-2.0
#include "schedule/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft::schedule {
namespace {

/// One worker: what it holds, and how far it is.
struct Worker {
  enum class State : std::uint8_t { kIdle, kFetching, kComputing, kEnded };
  State state = State::kIdle;
  std::int64_t stage = 0;    ///< where it looks for work
  std::int64_t ticket = 0;   ///< fetch of `stage` that it holds
  TileCoord tile;            ///< tile that it holds
  std::size_t num_seen = 0;  ///< flags of its tile that it has found raised
};

class Machine {
 public:
  Machine(const Grid& g, const Simulation& simulation, const Order& order)
      : g_(g),
        simulation_(simulation),
        order_(order),
        workers_(simulation.num_workers),
        next_fetch_(g.num_stages, 0),
        times_raised_(num_flags(g), 0),
        times_computed_(num_tiles(g), 0),
        awaited_(g.num_m_tiles) {
    for (std::int64_t m_tile = 0; m_tile < g.num_m_tiles; ++m_tile) {
      for (const std::int64_t piece : pieces_read_by(g, m_tile)) {
        for (std::int64_t k = 0; k < g.num_k_groups; ++k) {
          if (must_be_fetched(g, piece, k)) {
            awaited_[m_tile].push_back(order.flag(g, piece, k));
          }
        }
      }
    }
  }

  std::string run() {
    std::vector<std::size_t> candidates;
    for (std::int64_t step = 0;; ++step) {
      candidates.clear();
      std::int64_t running = 0;
      for (std::size_t i = 0; i < workers_.size() && running < simulation_.num_resident; ++i) {
        if (workers_[i].state == Worker::State::kEnded) continue;
        ++running;
        if (can_move(workers_[i])) candidates.push_back(i);
      }
      if (candidates.empty()) return running > 0 ? stuck() : verdict();
      const std::size_t index = candidates[pick(step, candidates.size())];
      move(workers_[index], static_cast<std::int32_t>(index));
      if (!broken_.empty()) return broken_;
    }
  }

 private:
  std::size_t pick(std::int64_t step, std::size_t count) const {
    if (simulation_.adversary == Adversary::kLowest) return 0;
    if (simulation_.adversary == Adversary::kHighest) return count - 1;
    return simulation_.choices[step % simulation_.choices.size()] % count;
  }

  /// A worker waits only for flags of the tile it holds.
  bool can_move(Worker& worker) {
    if (worker.state != Worker::State::kComputing) return true;
    const auto& awaited = awaited_[worker.tile.m_tile];
    while (worker.num_seen < awaited.size() && times_raised_[awaited[worker.num_seen]] > 0) {
      ++worker.num_seen;
    }
    return worker.num_seen == awaited.size();
  }

  void move(Worker& worker, std::int32_t index) {
    if (worker.state == Worker::State::kFetching) {
      const FetchCoord at = order_.fetch(g_, worker.stage, worker.ticket);
      const std::int64_t flag = order_.flag(g_, at.piece, at.k_group);
      if (flag < 0 || flag >= num_flags(g_)) {
        broken_ = fmt::format("there is no flag {}", flag);
        return;
      }
      ++times_raised_[flag];
    } else if (worker.state == Worker::State::kComputing) {
      ++times_computed_[worker.tile.m_tile * g_.num_n_tiles + worker.tile.n_tile];
    }
    take_work(worker, index);
  }

  void take_work(Worker& worker, std::int32_t index) {
    const bool by_stage = simulation_.roles == Roles::kStageByStage;
    for (; worker.stage < g_.num_stages; ++worker.stage) {
      const bool fetches = index < num_fetchers(worker.stage, simulation_.first_stage_fetchers,
                                                simulation_.later_fetchers);
      if (fetches && next_fetch_[worker.stage] < stage_fetches(g_, worker.stage)) {
        worker.state = Worker::State::kFetching;
        worker.ticket = next_fetch_[worker.stage]++;
        return;
      }
      if (by_stage && next_tile_ < num_tiles(g_) && stage_of_tile(g_, next_tile_) <= worker.stage) {
        take_tile(worker);
        return;
      }
    }
    if (next_tile_ < num_tiles(g_)) {
      take_tile(worker);
    } else {
      worker.state = Worker::State::kEnded;
    }
  }

  void take_tile(Worker& worker) {
    const TileCoord at = order_.tile(g_, next_tile_++);
    if (at.m_tile < 0 || at.m_tile >= g_.num_m_tiles || at.n_tile < 0 ||
        at.n_tile >= g_.num_n_tiles) {
      broken_ = fmt::format("there is no tile ({}, {})", at.m_tile, at.n_tile);
      return;
    }
    worker.state = Worker::State::kComputing;
    worker.tile = at;
    worker.num_seen = 0;
  }

  std::string stuck() const {
    for (const Worker& worker : workers_) {
      if (worker.state != Worker::State::kComputing) continue;
      const TileCoord at = worker.tile;
      const auto& awaited = awaited_[at.m_tile];
      if (worker.num_seen == awaited.size()) continue;
      return fmt::format("deadlock: tile ({}, {}) waits for flag {}", at.m_tile, at.n_tile,
                         awaited[worker.num_seen]);
    }
    return "deadlock: no worker can move";
  }

  std::string verdict() const {
    std::vector<int> expected(times_raised_.size(), 0);
    for (const auto& awaited : awaited_) {
      for (const std::int64_t flag : awaited) expected[flag] = 1;
    }
    for (std::size_t flag = 0; flag < expected.size(); ++flag) {
      if (times_raised_[flag] != expected[flag]) {
        return fmt::format("flag {} was raised {} times, not {}", flag, times_raised_[flag],
                           expected[flag]);
      }
    }
    for (std::size_t tile = 0; tile < times_computed_.size(); ++tile) {
      if (times_computed_[tile] != 1) {
        return fmt::format("tile {} was computed {} times", tile, times_computed_[tile]);
      }
    }
    return "";
  }

  const Grid& g_;
  const Simulation& simulation_;
  const Order& order_;
  std::vector<Worker> workers_;
  std::int64_t next_tile_ = 0;
  std::vector<std::int64_t> next_fetch_;  ///< ticket of each stage
  std::vector<int> times_raised_, times_computed_;
  std::vector<std::vector<std::int64_t>> awaited_;  ///< flags that an m-tile waits for
  std::string broken_;
};

}  // namespace

std::string simulate(const Grid& g, const Simulation& simulation, const Order& order) {
  return Machine(g, simulation, order).run();
}

}  // namespace weft::schedule

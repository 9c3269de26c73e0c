// SPDX-License-Identifier: Apache-2.0
// The memo: a hit takes a shared lock and one hash look-up.
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

#include "weft/select.hpp"

namespace weft {
namespace {

struct ProblemHash {
  std::size_t operator()(const Problem& p) const noexcept {
    const std::uint64_t small =
        static_cast<std::uint64_t>(static_cast<std::uint32_t>(p.world_size)) << 32 |
        static_cast<std::uint64_t>(p.shard_dim) << 24 | static_cast<std::uint64_t>(p.dtype) << 16 |
        static_cast<std::uint64_t>(p.layout) << 8 | static_cast<std::uint64_t>(p.has_bias) << 2 |
        static_cast<std::uint64_t>(p.return_gathered_a) << 1 |
        static_cast<std::uint64_t>(p.same_on_all_ranks);
    std::uint64_t h = 0;
    for (const std::uint64_t word :
         {static_cast<std::uint64_t>(p.m), static_cast<std::uint64_t>(p.n),
          static_cast<std::uint64_t>(p.k), small}) {
      // Multiplication by 2^64 / golden ratio spreads the bits; the shift brings them down.
      h = (h ^ word) * 0x9E3779B97F4A7C15ULL;
      h ^= h >> 32;
    }
    return static_cast<std::size_t>(h);
  }
};

/// Bounds the memory of a process whose shapes never repeat; starting over costs one miss a shape.
constexpr std::size_t kMaxRemembered = 8192;

}  // namespace

struct Selector::Memo {
  std::shared_ptr<ConfigDatabase> database;
  Arch arch;
  std::string link;
  SelectOptions options;
  Environment environment;

  std::shared_mutex mutex;
  std::uint64_t generation = 0;
  std::unordered_map<Problem, std::shared_ptr<const Selection>, ProblemHash> known;

  std::shared_ptr<const Selection> find(const Problem& problem, std::uint64_t now) {
    const std::shared_lock lock(mutex);
    if (generation != now) return nullptr;
    const auto at = known.find(problem);
    return at == known.end() ? nullptr : at->second;
  }

  std::shared_ptr<const Selection> keep(const Problem& problem, std::uint64_t made_under,
                                        Selection&& selection) {
    auto made = std::make_shared<const Selection>(std::move(selection));
    const std::unique_lock lock(mutex);
    if (generation != made_under || known.size() >= kMaxRemembered) known.clear();
    generation = made_under;
    return known.try_emplace(problem, std::move(made)).first->second;
  }
};

Selector::Selector(std::shared_ptr<ConfigDatabase> database, Arch arch, std::string link,
                   SelectOptions options, Environment environment)
    : memo_(std::make_unique<Memo>()) {
  memo_->database = std::move(database);
  memo_->arch = std::move(arch);
  memo_->link = std::move(link);
  memo_->options = std::move(options);
  memo_->environment = std::move(environment);
}

Selector::~Selector() = default;

std::shared_ptr<const Selection> Selector::select(const Problem& problem) {
  // NOTE: read before the database is, so that a reload in between makes the memo out of date.
  const std::uint64_t generation = memo_->database->generation();
  if (auto found = memo_->find(problem, generation)) return found;
  return memo_->keep(problem, generation,
                     select_config(problem, memo_->arch, memo_->link, *memo_->database,
                                   memo_->options, memo_->environment));
}

}  // namespace weft

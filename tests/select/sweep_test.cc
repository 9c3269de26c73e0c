// SPDX-License-Identifier: Apache-2.0
// Thousands of random problems on every arch: a legal configuration or a refusal, never a throw.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "arch/limits.hpp"
#include "select/reasons.hpp"
#include "select_fixture.hpp"
#include "weft/error.hpp"

namespace weft {
namespace {

using testing::imported;
using testing::loser;
using testing::this_machine;
using testing::winner;

const std::vector<Arch>& all_archs() {
  static const std::vector<Arch> archs{parse_arch("cpu_avx512-6.143-t1"),
                                       parse_arch("cpu_avx2-25.1-t2"),
                                       parse_arch("cpu_generic-0.0-t16"),
                                       parse_arch("mi300x"),
                                       parse_arch("mi355x"),
                                       parse_arch("h200"),
                                       parse_arch("sm_80-108sm"),
                                       Arch{}};
  return archs;
}

/// Extents from 1 to 2^20, round and ragged, that check_problem accepts.
Problem random_problem(std::mt19937_64& random) {
  const auto extent = [&] {
    const std::int64_t power = std::int64_t{1} << random() % 19;
    return random() % 2 == 0 ? power : power + static_cast<std::int64_t>(random() % power) + 1;
  };
  Problem p{.m = extent(), .n = extent(), .k = extent()};
  p.world_size = static_cast<std::int32_t>(1 + random() % 8);
  p.shard_dim = static_cast<ShardDim>(random() % 2);
  p.dtype = static_cast<DType>(random() % 4);
  p.layout = static_cast<Layout>(random() % 4);
  (p.shard_dim == ShardDim::kM ? p.m : p.k) *= p.world_size;
  return p;
}

std::string describe(const Problem& p, const Arch& arch, const FusedConfig& c) {
  return to_string(p) + " on " + arch.device() + ": " + to_string(c);
}

TEST(SelectSweep, DefaultConfigurationsAreLegalWhereverTheVariantIs) {
  std::mt19937_64 random(271828);
  int checked = 0;
  for (int i = 0; i < 4000; ++i) {
    const Problem p = random_problem(random);
    for (const Arch& arch : all_archs()) {
      const arch::Limits* const limits = arch::find_limits(arch.key);
      if (limits == nullptr || (limits->dtypes & arch::bit(p.dtype)) == 0) continue;
      const bool tf32_only = limits->family == arch::Family::kSm90 && p.dtype == DType::kF32;
      if (tf32_only && p.layout != Layout::kNT) continue;
      for (const Variant variant : {Variant::kDirect, Variant::kStaged, Variant::kCopyEngine}) {
        if (arch.is_cpu() && variant == Variant::kCopyEngine) continue;
        const FusedConfig c = default_config(variant, p, arch);
        const Validation v = validate(c, p, arch);
        ASSERT_TRUE(v.legal) << v.reason << "\n" << describe(p, arch, c);
        ASSERT_EQ(c.variant, variant);
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 10'000);
}

TEST(SelectSweep, EveryShapeOnEveryArchIsLegalOrUnfused) {
  std::mt19937_64 random(314159);
  int fused = 0;
  for (const Arch& arch : all_archs()) {
    testing::FakeDatabase database;
    const std::string link = default_link(arch);
    std::vector<Problem> problems;
    for (int i = 0; i < 3000; ++i) {
      problems.push_back(random_problem(random));
      const Problem& p = problems.back();
      // Entries of all kinds around the shapes, some with configurations that fit another shape.
      FoundEntry found = random() % 3 == 0 ? imported(p.m, p.n, p.k, random() % 2 == 0 ? 1.2 : 0.8)
                         : random() % 4 == 0 ? loser(p.m, p.n, p.k)
                                             : winner(p.m, p.n, p.k);
      if (random() % 2 == 0) {
        found.entry.config = default_config(Variant::kStaged, p, arch);
        found.entry.m += found.entry.m / 16;
      }
      if (random() % 16 == 0) found.entry.config.tile_m = static_cast<std::int32_t>(random());
      found.entry.radius_octaves = {0.4, 0.4, 0.4};
      if (i % 2 == 0) database.add(database_key(p, arch, link), std::move(found));
    }
    for (const Problem& p : problems) {
      Selection s;
      ASSERT_NO_THROW(s = select_config(p, arch, link, database, {}, this_machine()))
          << to_string(p) << " on " << arch.device();
      ASSERT_EQ(s.config.has_value(), s.variant != Variant::kUnfused);
      ASSERT_EQ(s.rungs.back().answered, true);
      ASSERT_TRUE(std::any_of(select::kReasons.begin(), select::kReasons.end(),
                              [&](const select::Reason& r) { return r.code == s.reason; }))
          << s.reason;
      if (!s.config) continue;
      ++fused;
      ASSERT_TRUE(validate(*s.config, p, arch).legal) << describe(p, arch, *s.config);
      ASSERT_TRUE(s.entry && s.entry->entry.status == EntryStatus::kWin);
      ASSERT_TRUE(s.guard || s.bound_used > 1.01);
    }
  }
  EXPECT_GT(fused, 1000);
}

}  // namespace
}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
#include "schedule/grids.hpp"

#include <cstdlib>
#include <limits>
#include <ostream>

namespace weft::schedule {
namespace {

constexpr std::int32_t kHuge = std::numeric_limits<std::int32_t>::max();

// Each property runs over this many grids, unless the environment says otherwise.
const int kManyGrids = ::setenv("RC_PARAMS", "max_success=4000", /*overwrite=*/0);

/// Mostly within [1, most]; now and then far beyond any extent.
rc::Gen<std::int32_t> small_or_huge(std::int32_t most) {
  return rc::gen::weightedOneOf<std::int32_t>(
      {{9, rc::gen::inRange<std::int32_t>(1, most + 1)}, {1, rc::gen::just(kHuge)}});
}

rc::Gen<std::int64_t> extent(std::int64_t most) {
  return rc::gen::inRange<std::int64_t>(1, most + 1);
}

rc::Gen<std::int32_t> random_world_size() {
  return rc::gen::resize(rc::kNominalSize,
                         rc::gen::oneOf(rc::gen::inRange<std::int32_t>(1, 17),
                                        rc::gen::element<std::int32_t>(1, 2, 3, 8, 16)));
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const GridSpec& s) {
  return out << std::boolalpha << "GridSpec{.m=" << s.m << ", .n=" << s.n << ", .k=" << s.k
             << ", .world_size=" << s.world_size << ", .rank=" << s.rank
             << ", .shard_m=" << s.shard_m << ", .rotate=" << s.rotate << ", .tile_m=" << s.tile_m
             << ", .tile_n=" << s.tile_n << ", .tile_k=" << s.tile_k << ", .group_m=" << s.group_m
             << ", .k_per_flag=" << s.k_per_flag << ", .num_fetch_stages=" << s.num_fetch_stages
             << "}";
}

rc::Gen<GridSpec> random_spec() {
  return rc::gen::exec([] {
    GridSpec s;
    s.world_size = *random_world_size();
    s.rank = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::int32_t>(0, s.world_size));
    s.shard_m = *rc::gen::arbitrary<bool>();
    s.rotate = *rc::gen::arbitrary<bool>();
    s.m = s.shard_m ? s.world_size * *extent(16) : *extent(96);
    s.k = s.shard_m ? *extent(96) : s.world_size * *extent(24);
    s.n = *extent(24);
    s.tile_m = *rc::gen::oneOf(small_or_huge(4), small_or_huge(20));
    s.tile_n = *small_or_huge(8);
    s.tile_k = *small_or_huge(5);
    s.k_per_flag = *small_or_huge(3);
    s.group_m = *small_or_huge(9);
    s.num_fetch_stages = *small_or_huge(9);
    return s;
  });
}

rc::Gen<GridSpec> random_large_spec() {
  constexpr std::int64_t kLarge = std::int64_t{1} << 40;
  constexpr std::int64_t kOther = std::int64_t{1} << 20;
  return rc::gen::resize(rc::kNominalSize, rc::gen::exec([] {
                           GridSpec s;
                           s.world_size = *random_world_size();
                           s.rank = *rc::gen::inRange<std::int32_t>(0, s.world_size);
                           s.shard_m = *rc::gen::arbitrary<bool>();
                           s.rotate = *rc::gen::arbitrary<bool>();
                           const auto large = *rc::gen::element('m', 'n', 'k');
                           const auto pick = [&](char name) {
                             const std::int64_t size = *extent(kOther);
                             return name == large ? kLarge - size : size;
                           };
                           s.m = pick('m');
                           s.n = pick('n');
                           s.k = pick('k');
                           std::int64_t& sharded = s.shard_m ? s.m : s.k;
                           sharded = ceil_div(sharded, s.world_size) * s.world_size;
                           s.tile_m = *small_or_huge(512);
                           s.tile_n = *small_or_huge(512);
                           s.tile_k = *small_or_huge(512);
                           s.k_per_flag = *small_or_huge(64);
                           s.group_m = *rc::gen::oneOf(small_or_huge(64), small_or_huge(1 << 30));
                           s.num_fetch_stages = *small_or_huge(1 << 20);
                           return s;
                         }));
}

rc::Gen<std::int64_t> random_index(std::int64_t count) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::int64_t>(0, count));
}

}  // namespace weft::schedule

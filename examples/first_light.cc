// SPDX-License-Identifier: Apache-2.0
// Two ranks each hold half of the columns of A; each gets the whole product.
#include <cstdio>
#include <vector>

#include "weft/weft.hpp"

int main() try {
  weft::Problem problem;
  problem.m = 512, problem.n = 256, problem.k = 1024;  // of the product after the gather
  problem.world_size = 2;
  problem.shard_dim = weft::ShardDim::kK;  // each rank holds A[:, k_local columns]

  weft::World world = weft::World::local(problem.world_size);  // ranks are threads
  world.run([&](weft::Rank& rank) {
    std::vector<float> a_shard(problem.m_local() * problem.k_local(), 1.0F + rank.rank());
    std::vector<float> b(problem.k * problem.n, 0.5F);
    std::vector<float> c(problem.m * problem.n);

    weft::Plan plan(rank, problem);  // once; picks variant and configuration
    weft::RunArgs args;
    args.a_shard = a_shard.data();
    args.b = b.data();
    args.c = c.data();
    plan.run(args);  // as often as you like

    if (rank.rank() == 0) {  // 512 columns of 1 and 512 of 2, times 0.5
      const weft::Selection& chosen = plan.selection();
      std::printf("C[0][0] = %g, by %s (%s)\n", c[0], to_string(chosen.variant).data(),
                  chosen.reason.c_str());
    }
  });
} catch (const weft::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

// SPDX-License-Identifier: Apache-2.0
// Multiplies over two ranks through an installed weft and checks one element.
#include <cstdio>
#include <stdexcept>
#include <vector>

#include <weft/weft.hpp>

int main() try {
  weft::Problem problem;
  problem.m = 64, problem.n = 32, problem.k = 96;
  problem.world_size = 2;

  weft::World world = weft::World::local(problem.world_size);
  world.run([&](weft::Rank& rank) {
    // A is 1 on rank 0's columns and 2 on rank 1's; B is 1: each element of C is 48 * 1 + 48 * 2.
    const std::vector<float> a_shard(problem.m_local() * problem.k_local(), 1.0F + rank.rank());
    const std::vector<float> b(problem.k * problem.n, 1.0F);
    std::vector<float> c(problem.m * problem.n);
    weft::RunArgs args;
    args.a_shard = a_shard.data();
    args.b = b.data();
    args.c = c.data();
    weft::all_gather_matmul(rank, problem, args);
    const float last = c.back();
    if (last != 144.0F) {
      std::fprintf(stderr, "rank %d: C[63][31] is %g, not 144\n", rank.rank(), last);
      throw std::runtime_error("wrong result");
    }
  });
  std::printf("weft %s: C[63][31] = 144 on both ranks\n", weft::build_info().version.c_str());
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

// SPDX-License-Identifier: Apache-2.0
// Runs `staged` on kernels whose wait for the staging flag was removed. Built with ThreadSanitizer,
// which must report a data race; without the mutation the same program must be silent.
#include <cstdio>

#include "ops/harness.hpp"

int main() {
  using namespace weft;
  testing::Case c;
  c.problem = {.m = 64, .n = 32, .k = 256, .world_size = 2};
  c.threads = 2;
  FusedConfig config;
  config.variant = Variant::kStaged;
  config.tile_m = 8;
  config.tile_n = 32;
  config.tile_k = 32;
  c.config = config;
  // The result may be wrong as well: what counts is what the sanitizer says.
  std::printf("%s\n", testing::run_case(c, 20).empty() ? "results right" : "results wrong");
  return 0;
}

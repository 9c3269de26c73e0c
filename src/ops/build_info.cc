// SPDX-License-Identifier: Apache-2.0
#include "core/message.hpp"
#include "kernels/cpu/micro_kernel.hpp"
#include "ops/build_facts.hpp"
#include "ops/commit.hpp"
#include "weft/database.hpp"
#include "weft/version.hpp"

namespace weft {

BuildInfo build_info() {
  return {.version = WEFT_VERSION,
          .commit = WEFT_COMMIT,
          .kernel_hash = WEFT_KERNEL_HASH,
          .compiler = WEFT_COMPILER,
          .backends = "cpu",
          .micro_kernel = cpu::micro_kernel_name()};
}

Environment current_environment() {
  static const Environment environment{.library_version = WEFT_VERSION,
                                       .library_commit = WEFT_COMMIT,
                                       .kernel_hash = WEFT_KERNEL_HASH,
                                       .compiler = WEFT_COMPILER,
                                       .driver = "none",
                                       .runtime = WEFT_RUNTIME,
                                       .unfused_gemm = cpu::micro_kernel_library(),
                                       .unfused_gather = "weft copies",
                                       .host = detect_cpu(1).name};
  return environment;
}

}  // namespace weft

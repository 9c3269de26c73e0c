// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <omp.h>
#include <oneapi/dnnl/dnnl.h>

#include "core/message.hpp"
#include "kernels/cpu/micro_kernel.hpp"

namespace weft::cpu {
namespace {

const char* isa_name(dnnl_cpu_isa_t isa) {
  switch (isa) {
    case dnnl_cpu_isa_sse41: return "sse41";
    case dnnl_cpu_isa_avx: return "avx";
    case dnnl_cpu_isa_avx2: return "avx2";
    case dnnl_cpu_isa_avx2_vnni: return "avx2_vnni";
    case dnnl_cpu_isa_avx512_core: return "avx512_core";
    case dnnl_cpu_isa_avx512_core_vnni: return "avx512_core_vnni";
    case dnnl_cpu_isa_avx512_core_bf16: return "avx512_core_bf16";
    default: return "newer than avx512_core_bf16";
  }
}

}  // namespace

void sgemm(const Sgemm& c, std::int32_t num_threads) {
  // NOTE: OpenMP's thread count belongs to the calling thread, so ranks do not disturb each other.
  if (omp_get_max_threads() != num_threads) omp_set_num_threads(num_threads);
  const dnnl_status_t status =
      dnnl_sgemm(c.a_t ? 'T' : 'N', c.b_t ? 'T' : 'N', c.m, c.n, c.k, 1.0F, c.a, c.lda, c.b, c.ldb,
                 c.accumulate ? 1.0F : 0.0F, c.c, c.ldc);
  if (status != dnnl_success) {
    throw device_error(
        "dnnl_sgemm of {}x{}x{} (lda={}, ldb={}, ldc={}) failed with status {}; "
        "is memory short?",
        c.m, c.n, c.k, c.lda, c.ldb, c.ldc, static_cast<int>(status));
  }
}

std::string micro_kernel_library() {
  const dnnl_version_t* v = dnnl_version();
  return fmt::format("oneDNN {}.{}.{}", v->major, v->minor, v->patch);
}

std::string micro_kernel_name() {
  return fmt::format("{} ({})", micro_kernel_library(), isa_name(dnnl_get_effective_cpu_isa()));
}

bool micro_kernel_is_generic() {
  const dnnl_cpu_isa_t isa = dnnl_get_effective_cpu_isa();
  return isa == dnnl_cpu_isa_sse41 || isa == dnnl_cpu_isa_avx;
}

}  // namespace weft::cpu

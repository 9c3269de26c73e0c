// SPDX-License-Identifier: Apache-2.0
#include "onednn_bf16.hpp"

#ifdef WEFT_BENCH_ONEDNN
#include <omp.h>

#include <oneapi/dnnl/dnnl.hpp>
#endif

namespace weft::bench {

#ifdef WEFT_BENCH_ONEDNN

struct OnednnBf16::Primitive {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::memory::desc a, b, c;
  dnnl::matmul matmul;
};

OnednnBf16::OnednnBf16(std::int64_t m, std::int64_t n, std::int64_t k) {
  auto made = std::make_unique<Primitive>();
  const auto matrix = [](std::int64_t rows, std::int64_t cols) {
    return dnnl::memory::desc({rows, cols}, dnnl::memory::data_type::bf16,
                              dnnl::memory::format_tag::ab);
  };
  made->a = matrix(m, k);
  made->b = matrix(k, n);
  made->c = matrix(m, n);
  try {
    const dnnl::matmul::primitive_desc chosen(dnnl::matmul::desc(made->a, made->b, made->c),
                                              made->engine);
    name_ = chosen.impl_info_str();
    made->matmul = dnnl::matmul(chosen);
    primitive_ = std::move(made);
  } catch (const dnnl::error& error) {
    name_ = error.what();
  }
}

void OnednnBf16::run(const void* a, const void* b, void* c) {
  omp_set_num_threads(1);  // a setting of the calling thread
  Primitive& p = *primitive_;
  const auto memory = [&](const dnnl::memory::desc& desc, const void* data) {
    return dnnl::memory(desc, p.engine, const_cast<void*>(data));
  };
  p.matmul.execute(p.stream, {{DNNL_ARG_SRC, memory(p.a, a)},
                              {DNNL_ARG_WEIGHTS, memory(p.b, b)},
                              {DNNL_ARG_DST, memory(p.c, c)}});
  p.stream.wait();
}

#else

struct OnednnBf16::Primitive {};

OnednnBf16::OnednnBf16(std::int64_t, std::int64_t, std::int64_t)
    : name_("oneDNN is not built in") {}

void OnednnBf16::run(const void*, const void*, void*) {}

#endif

OnednnBf16::~OnednnBf16() = default;

}  // namespace weft::bench

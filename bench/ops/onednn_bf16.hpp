// SPDX-License-Identifier: Apache-2.0
// oneDNN's bf16 matmul primitive: the rival of our bf16 product.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace weft::bench {

/// C[m,n] = A[m,k] * B[k,n], row-major and packed, all bf16, f32 sums, on the calling thread.
class OnednnBf16 {
 public:
  /// Nothing can be run when oneDNN has no such primitive on this CPU, or was not built in.
  OnednnBf16(std::int64_t m, std::int64_t n, std::int64_t k);
  ~OnednnBf16();
  OnednnBf16(const OnednnBf16&) = delete;
  OnednnBf16& operator=(const OnednnBf16&) = delete;

  [[nodiscard]] bool available() const noexcept { return primitive_ != nullptr; }
  /// Which kernel oneDNN chose, or why there is none.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  void run(const void* a, const void* b, void* c);

 private:
  struct Primitive;
  std::unique_ptr<Primitive> primitive_;
  std::string name_;
};

}  // namespace weft::bench

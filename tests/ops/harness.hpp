// SPDX-License-Identifier: Apache-2.0
// Runs one case on a local World and compares every bit of the output with a reference.
//
// Inputs are small integers, so that sums are exact in any order and one rounding at the end (bf16)
// is the only one. Outputs and the gaps between rows are poisoned with NaN before the call.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "weft/plan.hpp"

namespace weft::testing {

/// Elements of the case's dtype, as raw bits in 32-bit words (bf16 uses the low half).
class Array {
 public:
  Array(DType dtype, std::int64_t rows, std::int64_t cols, std::int64_t ld);
  void set(std::int64_t row, std::int64_t col, float value);
  [[nodiscard]] float get(std::int64_t row, std::int64_t col) const;
  void poison();
  /// True when all elements between the rows are still poisoned.
  [[nodiscard]] bool gaps_untouched() const;
  [[nodiscard]] void* data() { return bytes_.data(); }
  [[nodiscard]] std::int64_t ld() const { return ld_; }

 private:
  [[nodiscard]] float at(std::int64_t index) const;
  void put(std::int64_t index, float value);
  DType dtype_;
  std::int64_t rows_, cols_, ld_;
  std::vector<float> bytes_;  // float for alignment; bf16 fills half of it
};

/// What to run. `config` unset: `unfused` in `form`.
struct Case {
  Problem problem;
  std::optional<FusedConfig> config;
  UnfusedForm form = UnfusedForm::kStridedCopy;
  std::int32_t threads = 1;
  std::int64_t padding = 3;  ///< elements between rows
};
std::string describe(const Case& c);

/// The operands of one rank.
class Operands {
 public:
  Operands(const Case& c, std::int32_t rank, std::uint64_t seed);
  /// New values in A, B and bias; C and gathered A poisoned.
  void fill(std::uint64_t seed);
  [[nodiscard]] RunArgs args();
  /// "" when C (and the gathered A) are right to the last bit, else the first difference.
  [[nodiscard]] std::string check() const;

 private:
  Case case_;
  std::int32_t rank_;
  std::uint64_t seed_ = 0;
  Array a_, b_, c_, bias_, gathered_;
};

/// Options that force the case's variant.
PlanOptions options_of(const Case& c);

/// Makes a World, runs the case `runs` times with fresh inputs, checks each; "" when all are right.
std::string run_case(const Case& c, int runs = 2);

}  // namespace weft::testing

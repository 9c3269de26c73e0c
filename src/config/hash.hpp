// SPDX-License-Identifier: Apache-2.0
// XXH3 over texts, as hex.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace weft::config {

/// 16 hex digits, XXH3-64.
std::string hash64_hex(std::string_view text);

/// XXH3-128 over a sequence of texts; where one ends matters.
class Digest {
 public:
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;
  void add(std::string_view text);
  /// 32 hex digits over all texts so far.
  [[nodiscard]] std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft::config

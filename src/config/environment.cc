// SPDX-License-Identifier: Apache-2.0
// How old evidence has become.
#include <string>
#include <string_view>

#include "weft/database.hpp"

namespace weft {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "oneDNN 2.6.3 (avx2)" -> "oneDNN 2.6 (avx2)": what must be equal for evidence not to be stale.
std::string without_patch(std::string_view library) {
  std::size_t at = 0;
  while (at < library.size() && !(is_digit(library[at]) && (at == 0 || library[at - 1] == ' '))) {
    ++at;
  }
  const std::size_t word_end = std::min(library.find(' ', at), library.size());
  const std::size_t minor = library.find('.', at);
  const std::size_t patch =
      minor < word_end ? library.find('.', minor + 1) : std::string_view::npos;
  if (patch >= word_end) return std::string(library);
  return std::string(library.substr(0, patch)) + std::string(library.substr(word_end));
}

}  // namespace

EvidenceAge evidence_age(const Environment& entry, const Environment& now) {
  if (entry == Environment{}) return EvidenceAge::kFresh;
  const bool same_code = entry.kernel_hash == now.kernel_hash && entry.compiler == now.compiler;
  const bool same_rival = without_patch(entry.unfused_gemm) == without_patch(now.unfused_gemm) &&
                          without_patch(entry.unfused_gather) == without_patch(now.unfused_gather);
  if (!same_code || !same_rival) return EvidenceAge::kStale;
  const bool same_details = entry.driver == now.driver && entry.runtime == now.runtime &&
                            entry.unfused_gemm == now.unfused_gemm &&
                            entry.unfused_gather == now.unfused_gather;
  return same_details ? EvidenceAge::kFresh : EvidenceAge::kAged;
}

}  // namespace weft

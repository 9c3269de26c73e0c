// SPDX-License-Identifier: Apache-2.0
// What entries are worth: shared by the exact and the nearest rung.
#include <utility>

#include "arch/limits.hpp"
#include "core/message.hpp"
#include "select/rungs.hpp"

namespace weft::select {

Answer make_answer(Source rung, bool answered, std::string_view reason, std::string text) {
  Answer answer;
  answer.report = {rung, answered, std::string(reason), std::move(text)};
  return answer;
}

std::string shape_text(const Entry& e) { return fmt::format("{}x{}x{}", e.m, e.n, e.k); }
std::string shape_text(const Problem& p) { return fmt::format("{}x{}x{}", p.m, p.n, p.k); }

std::string evidence_text(const Entry& e) {
  if (e.stage == EntryStage::kImported) {
    return e.claimed_speedup > 0 ? fmt::format("claimed {:.3f}x", e.claimed_speedup)
                                 : "no speedup claimed";
  }
  if (e.stage == EntryStage::kScreened) {
    return fmt::format("screened {:.3f}x over {} pairs", e.speedup, e.pairs);
  }
  return fmt::format("measured {:.3f}x [{:.3f} {:.3f}] over {} pairs", e.speedup, e.speedup_lo,
                     e.speedup_hi, e.pairs);
}

std::string_view as_clause(std::string_view text) {
  if (!text.empty() && text.back() == '.') text.remove_suffix(1);
  return text;
}

EvidenceAge age_of(const FoundEntry& found, const Environment& now) {
  if (found.environment == Environment{}) return EvidenceAge::kStale;
  return evidence_age(found.environment, now);
}

double discounted_bound(const Entry& entry, EvidenceAge age, double octaves) {
  const double for_age = age == EvidenceAge::kAged ? kAgedDiscount : 0;
  return entry.speedup_lo - for_age - kDiscountPerOctave * octaves;
}

Validation check_entry(const Entry& entry, const Problem& problem, const Arch& arch) {
  Validation verdict = validate(entry.config, problem, arch);
  if (!verdict.legal || arch.is_cpu()) return verdict;
  const std::int64_t limit = arch::find_limits(arch.key)->shared_memory_bytes;
  if (entry.needs_shared_memory_bytes > limit) {
    return {false, fmt::format("it needs {} bytes of shared memory, {} has {}",
                               entry.needs_shared_memory_bytes, arch.key, limit)};
  }
  return verdict;
}

}  // namespace weft::select

// SPDX-License-Identifier: Apache-2.0
// Rung 2: an entry of exactly this shape.
#include <algorithm>
#include <tuple>

#include "core/message.hpp"
#include "select/reasons.hpp"
#include "select/rungs.hpp"
#include "tune/statistics.hpp"

namespace weft::select {
namespace {

const FoundEntry* find_shape(const KeyEntries& known, const Problem& p) {
  const auto shape = [](const FoundEntry& f) {
    return std::tuple(f.entry.m, f.entry.n, f.entry.k);
  };
  const std::tuple wanted(p.m, p.n, p.k);
  const auto at =
      std::lower_bound(known.entries.begin(), known.entries.end(), wanted,
                       [&](const FoundEntry& f, const auto& w) { return shape(f) < w; });
  return at != known.entries.end() && shape(*at) == wanted ? &*at : nullptr;
}

/// An answer about `found`; fused if `reason` is one of the two wins.
Answer say(const FoundEntry& found, std::string_view reason, std::string_view why) {
  Answer answer = make_answer(
      Source::kExact, true, reason,
      fmt::format("{}: {}; {}", shape_text(found.entry), evidence_text(found.entry), why));
  answer.entry = found;
  if (reason == reason::kMeasuredWin || reason == reason::kImportedWin) {
    answer.config = found.entry.config;
  }
  return answer;
}

Answer judge_imported_win(const Query& query, const FoundEntry& found) {
  if (query.options.trust.value_or(Trust::kAll) == Trust::kMeasured) {
    return say(found, reason::kImportedUntrusted,
               "imported, and only measured evidence is trusted (WEFT_TRUST=measured)");
  }
  if (query.options.guard.value_or(GuardMode::kAuto) == GuardMode::kOff) {
    return say(found, reason::kImportedUnguarded,
               "imported, and must prove itself, but the guard is off (WEFT_GUARD=0)");
  }
  const Validation verdict = check_entry(found.entry, query.problem, query.arch);
  if (!verdict.legal) return say(found, reason::kIllegalConfig, verdict.reason);
  Answer answer = say(found, reason::kImportedWin, "imported, so the guard checks it");
  answer.guard = true;
  return answer;
}

Answer judge_measured_win(const Query& query, const FoundEntry& found) {
  const EvidenceAge age = age_of(found, query.environment);
  if (age == EvidenceAge::kStale) {
    return say(found, reason::kStaleEvidence,
               "kernels, compiler or an unfused library changed since; measure again");
  }
  const double bound = discounted_bound(found.entry, age, 0);
  const std::string aged =
      age == EvidenceAge::kAged ? fmt::format(" (less {:.2f}, aged)", kAgedDiscount) : "";
  if (!(bound > tune::kWinBound)) {
    Answer answer =
        say(found, reason::kBoundTooLow,
            fmt::format("lower bound {:.3f}{} is not above {:.2f}", bound, aged, tune::kWinBound));
    answer.bound_used = bound;
    return answer;
  }
  const Validation verdict = check_entry(found.entry, query.problem, query.arch);
  if (!verdict.legal) return say(found, reason::kIllegalConfig, verdict.reason);
  Answer answer =
      say(found, reason::kMeasuredWin,
          fmt::format("lower bound {:.3f}{} is above {:.2f}", bound, aged, tune::kWinBound));
  answer.bound_used = bound;
  answer.guard = query.options.guard == GuardMode::kOn;
  return answer;
}

}  // namespace

Answer ask_exact(const Query& query) {
  const FoundEntry* const found = find_shape(query.known, query.problem);
  if (found == nullptr) {
    const std::string path = database_key(query.problem, query.arch, query.link).relative_path();
    return make_answer(Source::kExact, false, reason::kNoEntry,
                       fmt::format("{} is none of the {} shapes in {}", shape_text(query.problem),
                                   query.known.entries.size(), path));
  }
  const bool imported = found->entry.stage == EntryStage::kImported;
  switch (found->entry.status) {
    case EntryStatus::kWin:
      if (imported) return judge_imported_win(query, *found);
      if (found->entry.stage == EntryStage::kScreened) {
        return say(*found, reason::kScreenedOnly, "screening never selects a fused variant");
      }
      return judge_measured_win(query, *found);
    case EntryStatus::kLose:
      return say(*found, imported ? reason::kImportedLoss : reason::kMeasuredLoss,
                 "unfused is faster");
    case EntryStatus::kTie: return say(*found, reason::kTie, "unfused is as fast");
    case EntryStatus::kBroken:
      return say(*found, reason::kBroken,
                 found->entry.note.empty() ? "the configuration does not work"
                                           : fmt::format("the configuration does not work: {}",
                                                         as_clause(found->entry.note)));
    case EntryStatus::kUnmeasured: break;
  }
  // NOTE: no speedup, no evidence: it neither selects nor vetoes, so the next rungs are asked.
  Answer answer = say(*found, reason::kUnmeasured, "the entry proves nothing");
  answer.report.answered = false;
  return answer;
}

}  // namespace weft::select

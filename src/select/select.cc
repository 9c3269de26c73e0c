// SPDX-License-Identifier: Apache-2.0
// The ladder: override, exact, nearest, model, fallback. The first rung that answers decides.
#include "weft/select.hpp"

#include <utility>

#include "arch/limits.hpp"
#include "core/message.hpp"
#include "select/rungs.hpp"

namespace weft {
namespace {

using select::Answer;
using select::Query;

/// Adds what the file's header claims to an `unfused` that rests on no measurement of our own.
void quote_header(Selection& s, const KeyEntries& known) {
  const bool measured = s.entry && s.entry->entry.stage != EntryStage::kImported;
  if (s.variant != Variant::kUnfused || s.source == Source::kOverride || measured) return;
  if (known.best_claimed_speedup > 0) {
    s.text += fmt::format("; the best speedup that the file claims is {:.3f}x",
                          known.best_claimed_speedup);
  }
  if (!known.disabled_reason.empty()) {
    s.text +=
        fmt::format("; its source disabled fusion: {}", select::as_clause(known.disabled_reason));
  }
}

/// Turns the deciding answer into the selection, keeping the rungs asked so far.
Selection decide(Answer&& answer, std::vector<RungReport>&& before) {
  Selection s;
  s.variant = answer.config ? answer.config->variant : Variant::kUnfused;
  s.source = answer.report.rung;
  s.reason = answer.report.reason;
  s.text = answer.report.text;
  s.config = std::move(answer.config);
  s.entry = std::move(answer.entry);
  s.guard = answer.guard;
  s.bound_used = answer.bound_used;
  s.distance = answer.distance;
  if (s.entry) s.unfused_form = s.entry->entry.unfused_form;
  s.rungs = std::move(before);
  s.rungs.push_back(std::move(answer.report));
  return s;
}

Selection climb(const Query& query) {
  std::vector<RungReport> asked;
  // A chip without limits has no entry that could be validated, so the middle rungs are not asked.
  const bool has_kernel = arch::find_limits(query.arch.key) != nullptr;
  using Ask = Answer (*)(const Query&);
  for (const auto& [rung, ask] : {std::pair<Source, Ask>{Source::kOverride, select::ask_override},
                                  {Source::kExact, select::ask_exact},
                                  {Source::kNearest, select::ask_nearest},
                                  {Source::kModel, select::ask_model}}) {
    if (rung != Source::kOverride && !has_kernel) break;
    Answer answer = ask(query);
    if (answer.report.answered) return decide(std::move(answer), std::move(asked));
    asked.push_back(std::move(answer.report));
  }
  Answer last = select::ask_fallback(query, asked);
  return decide(std::move(last), std::move(asked));
}

}  // namespace

Selection select_config(const Problem& problem, const Arch& arch, std::string_view link,
                        ConfigDatabase& database, const SelectOptions& options,
                        const Environment& environment) {
  check_problem(problem);
  const std::shared_ptr<const KeyEntries> known = database.find(database_key(problem, arch, link));
  Selection s = climb({problem, arch, link, options, environment, *known});
  quote_header(s, *known);
  return s;
}

}  // namespace weft

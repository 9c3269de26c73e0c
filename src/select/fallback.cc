// SPDX-License-Identifier: Apache-2.0
// Rung 5: `unfused`, with the most telling of the reasons why no earlier rung answered.
#include "arch/limits.hpp"
#include "core/message.hpp"
#include "select/reasons.hpp"
#include "select/rungs.hpp"

namespace weft::select {
namespace {

Answer unknown_arch(const Arch& arch) {
  const std::string text =
      arch.known() ? fmt::format("weft has no kernel for {}, so unfused runs", arch.device())
                   : fmt::format(
                         "arch '{}' is unknown and is not taken for another one, so unfused "
                         "runs",
                         arch.name.empty() ? arch.key : arch.name);
  return make_answer(Source::kFallback, true, reason::kUnknownArch, text);
}

const RungReport* report_of(const std::vector<RungReport>& before, Source rung) {
  for (const RungReport& report : before) {
    if (report.rung == rung) return &report;
  }
  return nullptr;
}

}  // namespace

Answer ask_fallback(const Query& query, const std::vector<RungReport>& before) {
  if (arch::find_limits(query.arch.key) == nullptr) return unknown_arch(query.arch);
  const RungReport* why = report_of(before, Source::kNearest);
  const RungReport* const exact = report_of(before, Source::kExact);
  const bool nothing_near = why->reason == reason::kNoEntry || why->reason == reason::kOutOfRadius;
  // An entry of this very shape says more than a neighbour that is far away.
  if (nothing_near && exact->reason == reason::kUnmeasured) why = exact;
  return make_answer(
      Source::kFallback, true, why->reason,
      fmt::format("no evidence for a fused variant, so unfused runs: {}", why->text));
}

}  // namespace weft::select

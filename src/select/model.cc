// SPDX-License-Identifier: Apache-2.0
// Rung 4: prediction for shapes without evidence. No arch has a calibrated model in this version.
#include "core/message.hpp"
#include "select/reasons.hpp"
#include "select/rungs.hpp"

namespace weft::select {

Answer ask_model(const Query& query) {
  return make_answer(Source::kModel, false, reason::kNoModel,
                     fmt::format("no model for this arch ({})", query.arch.device()));
}

}  // namespace weft::select

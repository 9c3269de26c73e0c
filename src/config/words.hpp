// SPDX-License-Identifier: Apache-2.0
// The words of EntryStatus and EntryStage.
#pragma once

#include "core/words.hpp"
#include "weft/database.hpp"

namespace weft::config {

inline constexpr WordTable<EntryStatus, 5> kStatuses{{{EntryStatus::kWin, "win"},
                                                      {EntryStatus::kLose, "lose"},
                                                      {EntryStatus::kTie, "tie"},
                                                      {EntryStatus::kBroken, "broken"},
                                                      {EntryStatus::kUnmeasured, "unmeasured"}}};
inline constexpr WordTable<EntryStage, 4> kStages{{{EntryStage::kScreened, "screened"},
                                                   {EntryStage::kConfirmed, "confirmed"},
                                                   {EntryStage::kPromoted, "promoted"},
                                                   {EntryStage::kImported, "imported"}}};

}  // namespace weft::config

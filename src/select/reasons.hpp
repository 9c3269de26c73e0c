// SPDX-License-Identifier: Apache-2.0
// Every reason code that selection can give, with its meaning: the only list of them.
#pragma once

#include <array>
#include <string_view>

namespace weft::select {

namespace reason {
inline constexpr std::string_view kOverrideConfig = "override_config";
inline constexpr std::string_view kOverrideVariant = "override_variant";
inline constexpr std::string_view kNoOverride = "no_override";
inline constexpr std::string_view kMeasuredWin = "measured_win";
inline constexpr std::string_view kMeasuredLoss = "measured_loss";
inline constexpr std::string_view kImportedWin = "imported_win";
inline constexpr std::string_view kImportedLoss = "imported_loss";
inline constexpr std::string_view kImportedUntrusted = "imported_untrusted";
inline constexpr std::string_view kImportedUnguarded = "imported_unguarded";
inline constexpr std::string_view kScreenedOnly = "screened_only";
inline constexpr std::string_view kStaleEvidence = "stale_evidence";
inline constexpr std::string_view kBoundTooLow = "bound_too_low";
inline constexpr std::string_view kTie = "tie";
inline constexpr std::string_view kBroken = "broken";
inline constexpr std::string_view kUnmeasured = "unmeasured";
inline constexpr std::string_view kIllegalConfig = "illegal_config";
inline constexpr std::string_view kNoEntry = "no_entry";
inline constexpr std::string_view kNeighbourWin = "neighbour_win";
inline constexpr std::string_view kNeighbourLost = "neighbour_lost";
inline constexpr std::string_view kNeighbourImported = "neighbour_imported";
inline constexpr std::string_view kNeighbourScreened = "neighbour_screened";
inline constexpr std::string_view kNeighbourTie = "neighbour_tie";
inline constexpr std::string_view kNeighbourStale = "neighbour_stale";
inline constexpr std::string_view kNeighbourBoundTooLow = "neighbour_bound_too_low";
inline constexpr std::string_view kNeighbourIllegal = "neighbour_illegal";
inline constexpr std::string_view kNeighbourDivisibility = "neighbour_divisibility";
inline constexpr std::string_view kNeighbourWaveClass = "neighbour_wave_class";
inline constexpr std::string_view kNeighbourOffsets = "neighbour_offsets";
inline constexpr std::string_view kOutOfRadius = "out_of_radius";
inline constexpr std::string_view kNoModel = "no_model";
inline constexpr std::string_view kUnknownArch = "unknown_arch";
}  // namespace reason

/// A code and what it means, for `--help`, documentation and tests.
struct Reason {
  std::string_view code;
  std::string_view meaning;
};

inline constexpr std::array<Reason, 31> kReasons{{
    {reason::kOverrideConfig, "the caller or WEFT_CONFIG gave the configuration"},
    {reason::kOverrideVariant, "the caller or WEFT_VARIANT named the variant"},
    {reason::kNoOverride, "nothing was insisted on"},
    {reason::kMeasuredWin, "this shape was measured here: the fused variant is proven faster"},
    {reason::kMeasuredLoss, "this shape was measured here: the fused variant is slower"},
    {reason::kImportedWin, "an imported entry claims a gain for this shape; the guard checks it"},
    {reason::kImportedLoss, "an imported entry claims a loss for this shape"},
    {reason::kImportedUntrusted, "an imported entry claims a gain, but WEFT_TRUST is measured"},
    {reason::kImportedUnguarded, "an imported entry claims a gain, but the guard is off"},
    {reason::kScreenedOnly, "this shape was screened only, which proves nothing"},
    {reason::kStaleEvidence,
     "kernels, compiler or unfused libraries changed since the measurement"},
    {reason::kBoundTooLow, "the lower bound of this shape's speedup is not above 1.01"},
    {reason::kTie, "fused and unfused are equally fast for this shape"},
    {reason::kBroken, "the best fused configuration of this shape does not work"},
    {reason::kUnmeasured, "this shape has an entry without any speedup"},
    {reason::kIllegalConfig, "the entry's configuration is not legal for this problem"},
    {reason::kNoEntry, "the database has no entry that could apply"},
    {reason::kNeighbourWin, "a measured shape close by wins by enough for this one"},
    {reason::kNeighbourLost, "a shape close by loses, which turns fusion off around it"},
    {reason::kNeighbourImported, "the shape close by is imported and so not used as a neighbour"},
    {reason::kNeighbourScreened, "the shape close by was screened only"},
    {reason::kNeighbourTie, "the shape close by neither wins nor loses"},
    {reason::kNeighbourStale, "the evidence of the shape close by is stale"},
    {reason::kNeighbourBoundTooLow, "the neighbour's lower bound, discounted, is not above 1.01"},
    {reason::kNeighbourIllegal, "the neighbour's configuration is not legal for this problem"},
    {reason::kNeighbourDivisibility, "this problem lacks a divisibility that the neighbour had"},
    {reason::kNeighbourWaveClass, "this problem's tiles fill the chip's last wave differently"},
    {reason::kNeighbourOffsets, "this problem passes a 32-bit offset that the neighbour did not"},
    {reason::kOutOfRadius, "the closest entry is outside its radius of validity"},
    {reason::kNoModel, "there is no model for this arch"},
    {reason::kUnknownArch, "the chip is unknown, or weft has no kernel for it"},
}};

}  // namespace weft::select

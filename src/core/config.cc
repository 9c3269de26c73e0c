// SPDX-License-Identifier: Apache-2.0
#include "weft/config.hpp"

#include "core/words.hpp"

namespace weft {
namespace {

constexpr WordTable<Variant, 4> kVariants{{{Variant::kUnfused, "unfused"},
                                           {Variant::kStaged, "staged"},
                                           {Variant::kCopyEngine, "copy_engine"},
                                           {Variant::kDirect, "direct"}}};

}  // namespace

std::string_view to_string(Variant variant) noexcept { return word_of(kVariants, variant); }
Variant parse_variant(std::string_view text) { return parse_word(kVariants, "variant", text); }

std::string to_string(const FusedConfig& c) {
  std::string text = fmt::format("{} {}x{}x{} group_m={} k_per_flag={}", to_string(c.variant),
                                 c.tile_m, c.tile_n, c.tile_k, c.group_m, c.k_per_flag);
  if (c.variant == Variant::kStaged) {
    text += fmt::format(" num_fetch_sms={} first_stage_fetch_sms={}", c.num_fetch_sms,
                        c.first_stage_fetch_sms);
  }
  if (c.variant == Variant::kCopyEngine) text += fmt::format(" chunk_m_tiles={}", c.chunk_m_tiles);
  if (c.variant != Variant::kDirect)
    text += fmt::format(" num_fetch_stages={}", c.num_fetch_stages);
  return text;
}

}  // namespace weft

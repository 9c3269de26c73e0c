// SPDX-License-Identifier: Apache-2.0
/// @file
/// Picks variant and configuration. Pure: same problem, database and build give the same answer.
/// No evidence means `unfused`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/arch.hpp"
#include "weft/config.hpp"
#include "weft/database.hpp"
#include "weft/problem.hpp"

namespace weft {

/// Which rung of the ladder answered.
enum class Source : std::uint8_t { kOverride, kExact, kNearest, kModel, kFallback };
std::string_view to_string(Source source) noexcept;  ///< "override", "exact", ...

/// What one rung said.
struct RungReport {
  Source rung = Source::kFallback;
  bool answered = false;
  std::string reason;  ///< code, such as "no_entry"
  std::string text;    ///< one sentence with the values
};

/// The decision. `unfused` is no error.
struct Selection {
  Variant variant = Variant::kUnfused;  ///< what runs
  Source source = Source::kFallback;    ///< which rung answered
  std::string reason;                   ///< code: "measured_win", "measured_loss", "no_entry", ...
  std::string text;                     ///< one sentence with the values
  std::optional<FusedConfig> config;    ///< set when `variant` is fused
  std::optional<FoundEntry> entry;      ///< the entry that decided, also when `variant` is unfused
  bool guard = false;                   ///< the first calls must prove the choice (design: Guard)
  double bound_used = 0;                ///< lower bound of the speedup after discounts; 0: none
  double distance = 0;                  ///< octaves to the entry (rung nearest)
  std::string unfused_form;             ///< strongest unfused form on record; "": the default
  std::vector<RungReport> rungs;        ///< every rung that was asked, in order
};

/// Which evidence may select a fused variant (WEFT_TRUST).
enum class Trust : std::uint8_t { kAll, kMeasured };
/// Whether a plan proves its fused choice on its first calls (WEFT_GUARD).
enum class GuardMode : std::uint8_t { kAuto, kOn, kOff };

/// What the caller insists on. Unset fields are taken from the environment, then the database.
struct SelectOptions {
  // The initializers let callers name some fields only.
  std::optional<FusedConfig> config = std::nullopt;  ///< highest priority; else WEFT_CONFIG
  std::optional<Variant> variant = std::nullopt;     ///< WEFT_VARIANT; fused: the default config
  std::optional<Trust> trust = std::nullopt;         ///< WEFT_TRUST
  std::optional<GuardMode> guard = std::nullopt;     ///< WEFT_GUARD
  friend bool operator==(const SelectOptions&, const SelectOptions&) = default;
};

/// Options with every unset field read from the environment (WEFT_CONFIG, WEFT_VARIANT, WEFT_TRUST,
/// WEFT_GUARD).
/// @throws Error kInvalidArgument for a malformed variable
SelectOptions options_from_environment(SelectOptions options = {});

/// Picks variant and configuration for `problem` on `arch` over `link`. An unknown architecture
/// gets `unfused`, not a guess. Does not read the environment: see options_from_environment.
/// @throws Error kInvalidArgument if `problem` is out of range; kConfigError if a config or variant
///         that the caller insists on is not legal for it
Selection select_config(const Problem& problem, const Arch& arch, std::string_view link,
                        ConfigDatabase& database, const SelectOptions& options,
                        const Environment& environment);

/// A portable default configuration of `variant` for `problem`: never tuned, and legal wherever the
/// arch has that variant for the problem's dtype and layout.
FusedConfig default_config(Variant variant, const Problem& problem, const Arch& arch);

/// Remembers decisions for one machine, database and set of options. Thread-safe. A warm look-up
/// allocates nothing.
class Selector {
 public:
  Selector(std::shared_ptr<ConfigDatabase> database, Arch arch, std::string link,
           SelectOptions options, Environment environment);
  ~Selector();
  Selector(const Selector&) = delete;
  Selector& operator=(const Selector&) = delete;
  /// As select_config; the result is shared and immutable. Asks again after a database reload.
  std::shared_ptr<const Selection> select(const Problem& problem);

 private:
  struct Memo;
  std::unique_ptr<Memo> memo_;
};

}  // namespace weft

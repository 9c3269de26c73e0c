// SPDX-License-Identifier: Apache-2.0
/// @file
/// The tuned database: claims with evidence, in layers. Contents never throw; a bad file or entry
/// is skipped with one message. Files are read once, on first use of their key, and kept.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/config.hpp"

namespace weft {

/// What was found out about a shape. Only kWin can select a fused variant.
enum class EntryStatus : std::uint8_t { kWin, kLose, kTie, kBroken, kUnmeasured };
/// How well it was found out. Only kConfirmed and kPromoted carry bounds.
enum class EntryStage : std::uint8_t { kScreened, kConfirmed, kPromoted, kImported };
std::string_view to_string(EntryStatus status) noexcept;  ///< "win", "lose", ...
std::string_view to_string(EntryStage stage) noexcept;    ///< "screened", "confirmed", ...

/// Where a measurement was made: everything that can make it untrue later.
struct Environment {
  std::string library_version;  ///< weft's own
  std::string library_commit;   ///< git hash, or "unknown"
  std::string kernel_hash;      ///< SHA-256 (hex) of the kernel sources
  std::string compiler;         ///< name and full version
  std::string driver;           ///< GPU driver; "none" on CPUs
  std::string runtime;          ///< GPU runtime or OpenMP runtime and version
  std::string unfused_gemm;     ///< library of the unfused product, "oneDNN 2.6.3"
  std::string unfused_gather;   ///< library of the unfused gather, "weft memcpy"
  std::string host;             ///< CPU model, for information
  friend bool operator==(const Environment&, const Environment&) = default;
};

/// The environment of this process with the CPU backend.
Environment current_environment();

/// Names one file of the tree <op>/<device>/<dtype>_<layout>_<shard_dim>_ws<W>_<link>.json.
struct DatabaseKey {
  std::string op = "ag_mm";
  std::string device;  ///< Arch::device()
  DType dtype = DType::kF32;
  Layout layout = Layout::kNN;
  ShardDim shard_dim = ShardDim::kK;
  std::int32_t world_size = 1;
  std::string link;
  /// Path below a layer's root.
  [[nodiscard]] std::string relative_path() const;
  friend bool operator==(const DatabaseKey&, const DatabaseKey&) = default;
};

/// The key under which `problem` is looked up on `arch` over `link`.
DatabaseKey database_key(const Problem& problem, const Arch& arch, std::string_view link);

/// One claim: the best configuration of one shape, kept also where it loses.
struct Entry {
  std::int64_t m = 0, n = 0, k = 0;  ///< as in Problem
  FusedConfig config;
  EntryStatus status = EntryStatus::kUnmeasured;
  EntryStage stage = EntryStage::kScreened;
  // Measured entries (stage screened, confirmed or promoted). Speedup = T_unfused / T_fused.
  double speedup = 0, speedup_lo = 0, speedup_hi = 0;  ///< median and its two-sided bounds
  std::int32_t pairs = 0;                              ///< fresh pairs behind them
  double t_fused_us = 0, t_unfused_us = 0;             ///< medians
  double noise_floor = 0;                              ///< A/A half-width of that run
  double max_rel_err = 0;                              ///< against an f64 reference
  std::string unfused_form;                            ///< the strongest unfused form, by name
  std::string env;                                     ///< id into the file's environments
  std::array<double, 3> radius_octaves{0, 0, 0};       ///< measured validity; 0: the default
  std::array<std::int64_t, 3> divisible{1, 1, 1};      ///< M, N, K were multiples of these
  std::int64_t needs_shared_memory_bytes = 0;
  std::int64_t needs_workspace_bytes = 0;
  std::string tuned_at;  ///< RFC 3339, UTC
  // Imported entries. A value of 0 means that the source states none.
  double claimed_speedup = 0;
  double claimed_tflops = 0;
  std::int32_t trials = 0;
  std::string label, description, note;
  friend bool operator==(const Entry&, const Entry&) = default;
};

/// How old evidence has become against an environment.
enum class EvidenceAge : std::uint8_t { kFresh, kAged, kStale };
/// kStale: kernel source, compiler, or an unfused library (major.minor) changed. kAged: driver,
/// runtime or a patch level changed. Imported entries have no environment and count as kFresh.
EvidenceAge evidence_age(const Environment& entry, const Environment& now);

/// An entry together with where it stands.
struct FoundEntry {
  Entry entry;
  Environment environment;  ///< of the entry; empty for imported ones
  std::string layer;        ///< "path:<dir>", "user", "site:<dir>", "shipped"
  std::string file;         ///< path, or "embedded:<relative path>"
};

/// One message about the contents of a file that was skipped, wholly or in part.
struct DatabaseIssue {
  std::string file;
  std::string place;  ///< "line 3, column 7", "entry 131072x16384x16384", ...
  std::string rule;   ///< a whole sentence
};

/// Everything known under one DatabaseKey: entries of all layers, each shape taken from the highest
/// layer that has it.
struct KeyEntries {
  std::vector<FoundEntry> entries;  ///< sorted by (m, n, k)
  double best_claimed_speedup = 0;  ///< of the file header; 0: none
  std::string disabled_reason;      ///< of the file header; "" if none
};

/// A read-only view of all layers, cached per key; thread-safe.
class ConfigDatabase {
 public:
  /// Layers from WEFT_DB_PATH, the user's, the site's and the shipped folder, in that order.
  static std::shared_ptr<ConfigDatabase> open_default();
  /// Layers from these roots only (highest first), plus the shipped data if asked. For tests,
  /// tools.
  static std::shared_ptr<ConfigDatabase> open(std::vector<std::filesystem::path> roots,
                                              bool with_shipped);
  virtual ~ConfigDatabase() = default;

  /// Never throws for bad contents. The pointer is never null and stays valid; a missing file gives
  /// no entries and is cached as missing until `reload`.
  virtual std::shared_ptr<const KeyEntries> find(const DatabaseKey& key) = 0;
  /// All keys that some layer has a file for, sorted; reads folder listings only.
  virtual std::vector<DatabaseKey> keys() = 0;
  /// Forgets everything read; the next `find` reads again.
  virtual void reload() = 0;
  /// Counts reloads; a memo made under another generation is out of date.
  [[nodiscard]] virtual std::uint64_t generation() const noexcept = 0;
  /// Messages about everything read so far.
  [[nodiscard]] virtual std::vector<DatabaseIssue> issues() const = 0;
  /// XXH3-128 (hex) over all files of all layers. Reported, never a condition.
  virtual std::string digest() = 0;
};

/// Root of the user's layer: XDG_DATA_HOME/weft/v1, or ~/.local/share/weft/v1.
std::filesystem::path user_database_root();

/// Merges `entries` (all of one key) into the file below `root`, under a lock: newer tuned_at wins,
/// other entries stay. Deterministic bytes; the file is either the old or the new one, never half.
/// @param environment  of the measured entries; their `env` is set to its id. Imported ones have
/// none
/// @throws Error kDeviceError with the path and the remedy: cannot lock within 10 s, folder not
///         writable, disk full; kInvalidArgument if an entry breaks a rule of the format or if the
///         present file is damaged; nothing is changed then
void merge_entries(const std::filesystem::path& root, const DatabaseKey& key,
                   const std::vector<Entry>& entries, const Environment& environment,
                   std::string_view command);

}  // namespace weft

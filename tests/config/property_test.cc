// SPDX-License-Identifier: Apache-2.0
// Random entries and random damage.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "config/fused_config_json.hpp"
#include "config/samples.hpp"

namespace weft::config {
namespace {

std::int32_t any_positive() { return *rc::gen::inRange(1, 1 << 20); }

// Any double that a measurement can give, with all its digits.
double any_amount() {
  return *rc::gen::positive<std::int32_t>() / (1.0 + *rc::gen::inRange(0, 1 << 20));
}

std::string any_text() {
  return *rc::gen::container<std::string>(
      rc::gen::elementOf(std::string("abc xyz\"\\/\n\t{}[]:,0189\x7f")));
}

FusedConfig any_config() {
  FusedConfig config;
  config.variant = *rc::gen::element(Variant::kStaged, Variant::kCopyEngine, Variant::kDirect);
  for (const ConfigField& field : kConfigFields) config.*field.member = any_positive();
  config.allow_tf32 = *rc::gen::arbitrary<bool>();
  return config;
}

Entry any_measured(std::int64_t m) {
  Entry e = measured_entry(m, any_positive(), any_positive());
  e.config = any_config();
  e.status = *rc::gen::element(EntryStatus::kWin, EntryStatus::kLose, EntryStatus::kTie,
                               EntryStatus::kBroken, EntryStatus::kUnmeasured);
  e.stage = *rc::gen::element(EntryStage::kScreened, EntryStage::kConfirmed, EntryStage::kPromoted);
  std::array<double, 3> bounds{any_amount(), any_amount(), any_amount()};
  std::sort(bounds.begin(), bounds.end());
  e.speedup_lo = bounds[0];
  e.speedup = bounds[1];
  e.speedup_hi = bounds[2];
  e.pairs = *rc::gen::inRange(11, 1000);
  e.t_fused_us = any_amount();
  e.t_unfused_us = any_amount();
  e.noise_floor = any_amount();
  e.max_rel_err = any_amount() * 1e-9;
  e.radius_octaves = {any_amount() * 1e-9, 0, 0.5};
  e.divisible = {any_positive(), 1, any_positive()};
  e.needs_shared_memory_bytes = *rc::gen::inRange(0, 1 << 20);
  e.needs_workspace_bytes = std::int64_t{any_positive()} << 20;
  e.note = any_text();
  return e;
}

Entry any_imported(std::int64_t m) {
  const double claimed = *rc::gen::inRange(1, 3000) / 1000.0;
  Entry e = imported_entry(claimed == 1.0 ? 0.999 : claimed, m, any_positive(), any_positive());
  e.config = any_config();
  e.claimed_tflops = any_amount();
  e.trials = *rc::gen::inRange(0, 1000);
  e.label = any_text();
  e.description = any_text();
  e.note = any_text();
  return e;
}

DatabaseFile any_file() {
  DatabaseFile file = sample_file();
  file.entries.clear();
  const int count = *rc::gen::inRange(0, 5);
  for (int i = 1; i <= count; ++i) {
    const bool imported = *rc::gen::arbitrary<bool>();
    file.entries.push_back(imported ? any_imported(2 * i) : any_measured(2 * i));
  }
  const bool measured = std::any_of(file.entries.begin(), file.entries.end(),
                                    [](const Entry& e) { return !e.env.empty(); });
  if (!measured) file.environments.clear();
  file.note = any_text();
  return file;
}

RC_GTEST_PROP(DatabaseFileProperty, RoundTrip, ()) {
  const DatabaseFile file = any_file();
  const std::string text = write_file(file);
  const ParsedFile parsed = parse_file(text, "x.json", &file.key);
  for (const DatabaseIssue& issue : parsed.issues) RC_LOG() << issue.place << ": " << issue.rule;
  RC_ASSERT(parsed.issues.empty());
  RC_ASSERT(*parsed.file == file);
  RC_ASSERT(write_file(*parsed.file) == text);
}

// Flipped, removed and inserted bytes: a file, an issue, or both; never an exception. What is still
// read keeps every rule, so it can be written and read again.
RC_GTEST_PROP(DatabaseFileProperty, DamageNeverThrows, ()) {
  std::string text = write_file(any_file());
  const int damages = *rc::gen::inRange(1, 8);
  for (int i = 0; i < damages && !text.empty(); ++i) {
    const auto at = static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(text.size())));
    const char byte = *rc::gen::arbitrary<char>();
    switch (*rc::gen::inRange(0, 4)) {
      case 0: text[at] = byte; break;
      case 1: text.erase(at, 1); break;
      case 2: text.insert(at, 1, byte); break;
      default: text.resize(at); break;
    }
  }
  const ParsedFile parsed = parse_file(text, "x.json", nullptr);
  RC_ASSERT(parsed.file.has_value() || parsed.issues.size() == 1u);
  if (parsed.file) {
    const ParsedFile again = parse_file(write_file(*parsed.file), "x.json", nullptr);
    RC_ASSERT(again.file.has_value());
    RC_ASSERT(again.issues.empty());
    RC_ASSERT(again.file->entries == parsed.file->entries);
  }
}

}  // namespace
}  // namespace weft::config

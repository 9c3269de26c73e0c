// SPDX-License-Identifier: Apache-2.0
#include "config/entry_json.hpp"

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "config/fused_config_json.hpp"
#include "config/json_fields.hpp"
#include "config/words.hpp"
#include "core/message.hpp"

namespace weft {

std::string_view to_string(EntryStatus status) noexcept {
  return word_of(config::kStatuses, status);
}
std::string_view to_string(EntryStage stage) noexcept { return word_of(config::kStages, stage); }

}  // namespace weft

namespace weft::config {
namespace {

using nlohmann::json;

constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int32_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();
constexpr double kMaxNumber = 1e15;  // microseconds: some 30 years
constexpr double kMaxOctaves = 64;
constexpr std::size_t kLongestStamp = 20;

struct NumberField {
  const char* name;
  double Entry::*member;
};
constexpr std::array<NumberField, 9> kNumbers{{{"speedup", &Entry::speedup},
                                               {"speedup_lo", &Entry::speedup_lo},
                                               {"speedup_hi", &Entry::speedup_hi},
                                               {"t_fused_us", &Entry::t_fused_us},
                                               {"t_unfused_us", &Entry::t_unfused_us},
                                               {"noise_floor", &Entry::noise_floor},
                                               {"max_rel_err", &Entry::max_rel_err},
                                               {"claimed_speedup", &Entry::claimed_speedup},
                                               {"claimed_tflops", &Entry::claimed_tflops}}};
struct TextField {
  const char* name;
  std::string Entry::*member;
  std::size_t max_bytes;
};
constexpr std::array<TextField, 6> kTexts{{{"unfused_form", &Entry::unfused_form, kMaxWordBytes},
                                           {"env", &Entry::env, kMaxWordBytes},
                                           {"tuned_at", &Entry::tuned_at, kLongestStamp},
                                           {"label", &Entry::label, kMaxWordBytes},
                                           {"description", &Entry::description, kMaxNoteBytes},
                                           {"note", &Entry::note, kMaxNoteBytes}}};
struct CountField {
  const char* name;
  std::int32_t Entry::*member;
};
constexpr std::array<CountField, 2> kCounts{{{"pairs", &Entry::pairs}, {"trials", &Entry::trials}}};

struct EnvironmentField {
  const char* name;
  std::string Environment::*member;
};
constexpr std::array<EnvironmentField, 9> kEnvironmentFields{
    {{"library_version", &Environment::library_version},
     {"library_commit", &Environment::library_commit},
     {"kernel_hash", &Environment::kernel_hash},
     {"compiler", &Environment::compiler},
     {"driver", &Environment::driver},
     {"runtime", &Environment::runtime},
     {"unfused_gemm", &Environment::unfused_gemm},
     {"unfused_gather", &Environment::unfused_gather},
     {"host", &Environment::host}}};

constexpr const char* kNeedsShared = "shared_memory_bytes";
constexpr const char* kNeedsWorkspace = "workspace_bytes";

template <class T>
void read_three(const Fields& fields, const char* name, std::array<T, 3>& out) {
  if (!fields.has(name)) return;
  const json& list = fields.at(name);
  if (!list.is_array() || list.size() != out.size()) {
    throw invalid_argument("field '{}' is {}; it must be a list of three numbers, for M, N and K",
                           name, quote_json(list));
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const json wrapped{{name, list[i]}};
    const Fields element(wrapped, name);
    if constexpr (std::is_integral_v<T>) {
      out[i] = element.integer(name, 1, kMaxInt64);
    } else {
      out[i] = element.number(name, 0, kMaxOctaves);
    }
  }
}

// "2026-01-31T12:00:00Z": one spelling, so that comparing texts compares times.
bool is_stamp(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:ddZ";
  if (text.size() != kForm.size()) return false;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == 'd' ? !digit : text[i] != kForm[i]) return false;
  }
  const auto two = [&](std::size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); };
  return two(5) >= 1 && two(5) <= 12 && two(8) >= 1 && two(8) <= 31 && two(11) <= 23 &&
         two(14) <= 59 && two(17) <= 60;
}

void require(bool present, const char* name, const Entry& entry) {
  if (present) return;
  throw invalid_argument("T004: field '{}' is missing; a {} entry of stage {} needs it", name,
                         to_string(entry.status), to_string(entry.stage));
}

void check_imported(const Entry& e) {
  if (e.speedup != 0 || e.speedup_lo != 0 || e.speedup_hi != 0 || e.pairs != 0) {
    throw invalid_argument(
        "an imported entry must not carry speedup, speedup_lo, speedup_hi or "
        "pairs; what its source says is claimed_speedup");
  }
  const bool wins = e.claimed_speedup > 1;
  const bool loses = e.claimed_speedup > 0 && e.claimed_speedup < 1;
  if ((e.status == EntryStatus::kWin && !wins) || (e.status == EntryStatus::kLose && !loses)) {
    throw invalid_argument(
        "status is '{}', but claimed_speedup is {}; a win claims more than 1, a "
        "lose less",
        to_string(e.status), e.claimed_speedup);
  }
}

void check_measured(const Entry& e) {
  require(!e.env.empty(), "env", e);
  require(!e.tuned_at.empty(), "tuned_at", e);
  if (e.status == EntryStatus::kBroken || e.status == EntryStatus::kUnmeasured) return;
  require(e.speedup > 0, "speedup", e);
  require(e.pairs > 0, "pairs", e);
  require(e.t_fused_us > 0, "t_fused_us", e);
  require(e.t_unfused_us > 0, "t_unfused_us", e);
  if (e.stage == EntryStage::kScreened) return;
  require(e.speedup_lo > 0, "speedup_lo", e);
  require(e.speedup_hi > 0, "speedup_hi", e);
  if (e.speedup_lo > e.speedup || e.speedup > e.speedup_hi) {
    throw invalid_argument("speedup={} must lie between speedup_lo={} and speedup_hi={}", e.speedup,
                           e.speedup_lo, e.speedup_hi);
  }
  constexpr std::int32_t kFewestPairs = 11;  // the smallest n with a 95 % bound that is not the
                                             // extreme value
  if (e.pairs < kFewestPairs) {
    throw invalid_argument(
        "pairs={} must be at least {} for stage {}; with fewer the stage is "
        "screened",
        e.pairs, kFewestPairs, to_string(e.stage));
  }
}

}  // namespace

std::string place_of(const Entry& e) { return fmt::format("entry {}x{}x{}", e.m, e.n, e.k); }

void check_entry(const Entry& e, const DatabaseKey& key) {
  Problem problem;
  problem.m = e.m;
  problem.n = e.n;
  problem.k = e.k;
  problem.world_size = key.world_size;
  problem.shard_dim = key.shard_dim;
  problem.dtype = key.dtype;
  problem.layout = key.layout;
  check_problem(problem);
  if (!e.tuned_at.empty() && !is_stamp(e.tuned_at)) {
    throw invalid_argument("tuned_at is '{}'; write UTC as 2026-01-31T12:00:00Z", e.tuned_at);
  }
  if (e.stage == EntryStage::kImported) {
    check_imported(e);
  } else {
    check_measured(e);
  }
}

json to_json(const Entry& entry) {
  const Entry defaults;
  json object{{"m", entry.m},
              {"n", entry.n},
              {"k", entry.k},
              {"config", to_json(entry.config)},
              {"status", std::string(to_string(entry.status))},
              {"stage", std::string(to_string(entry.stage))}};
  const auto put = [&](const char* name, auto member) {
    if (entry.*member != defaults.*member) object[name] = entry.*member;
  };
  for (const NumberField& field : kNumbers) put(field.name, field.member);
  for (const TextField& field : kTexts) put(field.name, field.member);
  for (const CountField& field : kCounts) put(field.name, field.member);
  put("radius_octaves", &Entry::radius_octaves);
  put("divisible", &Entry::divisible);
  if (entry.needs_shared_memory_bytes != 0) {
    object["needs"][kNeedsShared] = entry.needs_shared_memory_bytes;
  }
  if (entry.needs_workspace_bytes != 0) {
    object["needs"][kNeedsWorkspace] = entry.needs_workspace_bytes;
  }
  return object;
}

Entry entry_from_json(const json& object, const DatabaseKey& key) {
  const Fields fields(object, "the entry");
  Entry entry;
  entry.m = fields.integer("m", 1, kMaxInt64);
  entry.n = fields.integer("n", 1, kMaxInt64);
  entry.k = fields.integer("k", 1, kMaxInt64);
  entry.config = from_json(fields.at("config"));
  entry.status = parse_word(kStatuses, "status", fields.text("status", kMaxWordBytes));
  entry.stage = parse_word(kStages, "stage", fields.text("stage", kMaxWordBytes));
  for (const NumberField& field : kNumbers) {
    entry.*field.member = fields.number_or(field.name, 0, kMaxNumber, 0);
  }
  for (const TextField& field : kTexts) {
    entry.*field.member = fields.text_or(field.name, field.max_bytes, "");
  }
  for (const CountField& field : kCounts) {
    entry.*field.member = static_cast<std::int32_t>(fields.integer_or(field.name, 0, kMaxInt32, 0));
  }
  read_three(fields, "radius_octaves", entry.radius_octaves);
  read_three(fields, "divisible", entry.divisible);
  if (fields.has("needs")) {
    const Fields needs(fields.at("needs"), "needs");
    entry.needs_shared_memory_bytes = needs.integer_or(kNeedsShared, 0, kMaxInt64, 0);
    entry.needs_workspace_bytes = needs.integer_or(kNeedsWorkspace, 0, kMaxInt64, 0);
  }
  check_entry(entry, key);
  return entry;
}

json to_json(const Environment& environment) {
  json object = json::object();
  for (const EnvironmentField& field : kEnvironmentFields) {
    object[field.name] = environment.*field.member;
  }
  return object;
}

Environment environment_from_json(const json& object) {
  const Fields fields(object, "the environment");
  Environment environment;
  for (const EnvironmentField& field : kEnvironmentFields) {
    environment.*field.member = fields.text(field.name, kMaxNoteBytes);
  }
  return environment;
}

}  // namespace weft::config

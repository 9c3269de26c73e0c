// SPDX-License-Identifier: Apache-2.0
// Reads config.json. Other people's files differ, so each field that is missing, quoted or odd gets
// its own sentence.
#include <algorithm>
#include <array>
#include <initializer_list>

#include "config/json_fields.hpp"
#include "config/json_strict.hpp"
#include "config/read_file.hpp"
#include "core/message.hpp"
#include "tune/model_layers.hpp"

namespace weft::tune {
namespace {

constexpr std::int64_t kLargestField = std::int64_t{1} << 31;

/// Families whose MLP has one projection up instead of a gate and an up projection.
constexpr std::array<std::string_view, 4> kUngatedTypes{"gpt_neox", "nemotron", "phi",
                                                        "starcoder2"};

/// The object that holds the language model's fields.
struct Source {
  const nlohmann::json& object;
  std::string what;  ///< "config.json", or "config.json: text_config"

  /// Absent and null mean the same in these files.
  [[nodiscard]] const nlohmann::json* find(const char* name) const {
    const auto found = object.find(name);
    return found == object.end() || found->is_null() ? nullptr : &*found;
  }

  /// 0 when absent.
  [[nodiscard]] std::int64_t optional(const char* name, std::int64_t lo = 1) const {
    const nlohmann::json* value = find(name);
    if (value == nullptr) return 0;
    if (value->is_string()) {
      throw invalid_argument("{}: {} is the text {}, not a number; remove its quotes", what, name,
                             config::quote_json(*value));
    }
    if (!value->is_number_integer() ||
        (value->is_number_unsigned() && value->get<std::uint64_t>() > kLargestField) ||
        value->get<std::int64_t>() < lo || value->get<std::int64_t>() > kLargestField) {
      throw invalid_argument("{}: {} is {}; it must be an integer from {} to {}", what, name,
                             config::quote_json(*value), lo, kLargestField);
    }
    return value->get<std::int64_t>();
  }

  [[nodiscard]] std::int64_t required(const char* name, const char* meaning) const {
    if (find(name) == nullptr) {
      throw invalid_argument(
          "{}: {} ({}) is missing; add it, or name the config.json of a "
          "transformer language model",
          what, name, meaning);
    }
    return optional(name);
  }

  /// The first of several spellings of one field; 0 when all are absent.
  [[nodiscard]] std::int64_t any_of(std::initializer_list<const char*> names,
                                    std::int64_t lo = 1) const {
    for (const char* name : names) {
      if (find(name) != nullptr) return optional(name, lo);
    }
    return 0;
  }
};

void read_heads(const Source& source, ModelConfig& model) {
  model.num_attention_heads = source.required("num_attention_heads", "query heads");
  model.num_key_value_heads = source.optional("num_key_value_heads");
  if (model.num_key_value_heads == 0) {
    model.num_key_value_heads = model.num_attention_heads;
    model.notes.push_back(
        fmt::format("num_key_value_heads is absent: taken as "
                    "num_attention_heads={}",
                    model.num_attention_heads));
  }
  if (model.num_attention_heads % model.num_key_value_heads != 0) {
    throw invalid_argument(
        "{}: num_attention_heads={} must be a multiple of "
        "num_key_value_heads={}; correct one of them",
        source.what, model.num_attention_heads, model.num_key_value_heads);
  }
  model.head_dim = source.optional("head_dim");
  if (model.head_dim != 0) return;
  if (model.hidden_size % model.num_attention_heads != 0) {
    throw invalid_argument(
        "{}: head_dim is absent and hidden_size={} is not a multiple of "
        "num_attention_heads={}; add head_dim",
        source.what, model.hidden_size, model.num_attention_heads);
  }
  model.head_dim = model.hidden_size / model.num_attention_heads;
}

void read_experts(const Source& source, ModelConfig& model) {
  model.num_experts =
      source.any_of({"num_local_experts", "num_experts", "n_routed_experts"}, /*lo=*/0);
  if (model.num_experts == 0) {
    model.intermediate_size = source.required("intermediate_size", "width of the MLP");
    return;
  }
  model.experts_per_token = source.required("num_experts_per_tok", "experts that one token visits");
  if (model.experts_per_token > model.num_experts) {
    throw invalid_argument(
        "{}: num_experts_per_tok={} exceeds the number of experts, {}; correct "
        "one of them",
        source.what, model.experts_per_token, model.num_experts);
  }
  model.intermediate_size = source.optional("moe_intermediate_size");
  if (model.intermediate_size == 0) {
    model.intermediate_size = source.optional("intermediate_size");
    if (model.intermediate_size == 0) {
      throw invalid_argument(
          "{}: the model has {} experts but no expert width; add "
          "moe_intermediate_size (or intermediate_size)",
          source.what, model.num_experts);
    }
    model.notes.push_back(
        fmt::format("moe_intermediate_size is absent: one expert is "
                    "intermediate_size={} wide",
                    model.intermediate_size));
  }
  if (source.find("shared_expert_intermediate_size") != nullptr ||
      source.any_of({"n_shared_experts"}, /*lo=*/0) != 0) {
    model.notes.emplace_back("the shared expert, which every token visits, is not listed");
  }
}

ModelConfig read_fields(const Source& source) {
  if (source.find("kv_lora_rank") != nullptr) {
    throw unsupported(
        "{}: kv_lora_rank says that keys and values are compressed (multi-head "
        "latent attention), which has no qkv product; state the shapes with M N K",
        source.what);
  }
  ModelConfig model;
  model.hidden_size = source.required("hidden_size", "width of the residual stream");
  read_heads(source, model);
  read_experts(source, model);
  model.vocab_size = source.optional("vocab_size");
  const nlohmann::json* type = source.find("model_type");
  model.gated_mlp = type == nullptr || !type->is_string() ||
                    std::find(kUngatedTypes.begin(), kUngatedTypes.end(),
                              type->get_ref<const std::string&>()) == kUngatedTypes.end();
  return model;
}

}  // namespace

ModelConfig parse_model_config(std::string_view json_text, std::string_view what) {
  const config::JsonResult parsed = config::parse_strict(json_text);
  if (!parsed.value) {
    throw invalid_argument("{}: {}: {}; correct the file", what, parsed.error.place(),
                           parsed.error.rule);
  }
  if (!parsed.value->is_object()) {
    throw invalid_argument("{}: the file holds {}, not a JSON object; name a config.json", what,
                           config::quote_json(*parsed.value));
  }
  const Source top{*parsed.value, std::string(what)};
  const nlohmann::json* nested = top.find("text_config");
  if (top.find("hidden_size") != nullptr || nested == nullptr) return read_fields(top);
  if (!nested->is_object()) {
    throw invalid_argument("{}: text_config is {}, not an object; correct the file", what,
                           config::quote_json(*nested));
  }
  ModelConfig model = read_fields({*nested, fmt::format("{}: text_config", what)});
  model.notes.emplace_back("the sizes are those of text_config");
  return model;
}

ModelConfig read_model_config(const std::filesystem::path& path) {
  std::error_code error;
  const bool folder = std::filesystem::is_directory(path, error);
  const std::filesystem::path file = folder ? path / "config.json" : path;
  const config::FileText text = config::read_file(file);
  if (text.state != config::FileText::State::kRead) {
    throw invalid_argument(
        "model file '{}': {}; name a readable config.json", file.string(),
        text.state == config::FileText::State::kMissing ? "there is no such file" : text.reason);
  }
  return parse_model_config(text.text, file.string());
}

}  // namespace weft::tune

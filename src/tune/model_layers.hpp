// SPDX-License-Identifier: Apache-2.0
// The tensor-parallel linear layers of a model, from its Hugging Face config.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "weft/problem.hpp"

namespace weft::tune {

/// What the layers' shapes depend on. All extents in elements.
struct ModelConfig {
  std::int64_t hidden_size = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t intermediate_size = 0;  ///< width of the MLP, or of one expert when num_experts > 0
  std::int64_t vocab_size = 0;         ///< 0: the file states none
  std::int64_t num_experts = 0;        ///< 0: a dense model
  std::int64_t experts_per_token = 0;
  bool gated_mlp = true;           ///< the MLP multiplies two projections (gate and up)
  std::vector<std::string> notes;  ///< what was assumed, one sentence each
};

/// Reads the text of a config.json. `text_config` is looked into when the top level has no
/// hidden_size. Absent num_key_value_heads means one per attention head, absent head_dim means
/// hidden_size / num_attention_heads; both are noted.
/// @param what  names the text in messages, such as its path
/// @throws Error kInvalidArgument: not JSON, a field missing, of the wrong type or out of range;
///         kUnsupported for attention that has no plain q, k and v products
ModelConfig parse_model_config(std::string_view json_text, std::string_view what);

/// Reads `path`, or `path`/config.json when `path` is a folder.
/// @throws Error as parse_model_config, and kInvalidArgument when the file cannot be read
ModelConfig read_model_config(const std::filesystem::path& path);

/// One layer as one rank computes it.
struct Layer {
  std::string name;  ///< "qkv", "q", "k", "v", "o", "gate_up", "up", "down", "expert_gate_up", ...
  Problem problem;
  std::string note;  ///< what its shape assumes; "" for nothing
};

struct LayerOptions {
  DType dtype = DType::kF32;
  Layout layout = Layout::kNN;
  bool lm_head = false;  ///< add the vocabulary projection
};

/// The layers of `model` over `tp` ranks for `tokens` tokens, in the order a block runs them.
/// qkv (also q, k, v apart), gate_up, lm_head: A is split along M, N = out / tp, K = in.
/// o, down: A is split along K, B is replicated, N = hidden_size, K = in.
/// One expert gets ceil(tokens * experts_per_token / num_experts) rows, rounded up to tp.
/// @throws Error kInvalidArgument when tp does not divide what must be split, naming both
std::vector<Layer> layers(const ModelConfig& model, std::int32_t tp, std::int64_t tokens,
                          const LayerOptions& options = {});

}  // namespace weft::tune

// SPDX-License-Identifier: Apache-2.0
#include "tune/model_layers.hpp"

#include <algorithm>
#include <utility>

#include "core/message.hpp"

namespace weft::tune {
namespace {

constexpr std::int64_t kLargestTokens = std::int64_t{1} << 31;

std::int64_t ceil_div(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

std::int64_t per_rank(std::string_view name, std::int64_t extent, std::int32_t tp) {
  if (extent % tp != 0) {
    throw invalid_argument(
        "{}={} is not a multiple of tp={}, so it cannot be split over the "
        "ranks; use a tp that divides it",
        name, extent, tp);
  }
  return extent / tp;
}

/// Key-value heads of one rank; ranks share a head when there are fewer heads than ranks.
std::int64_t kv_heads_per_rank(const ModelConfig& model, std::int32_t tp) {
  const std::int64_t heads = model.num_key_value_heads;
  if (heads >= tp) return per_rank("num_key_value_heads", heads, tp);
  if (tp % heads != 0) {
    throw invalid_argument(
        "tp={} is not a multiple of num_key_value_heads={}, so the ranks cannot "
        "share them evenly; use another tp",
        tp, heads);
  }
  return 1;
}

class Builder {
 public:
  Builder(std::int32_t tp, const LayerOptions& options) : tp_(tp), options_(options) {}

  /// Output columns are split: A arrives in row blocks, each rank computes `n` columns.
  void column(std::string name, std::int64_t m, std::int64_t n, std::int64_t k,
              std::string note = "") {
    add(std::move(name), m, n, k, ShardDim::kM, std::move(note));
  }

  /// The input is split: A arrives in column blocks, each rank computes all `n` columns.
  void row(std::string name, std::int64_t m, std::int64_t n, std::int64_t k) {
    per_rank(name == "o" ? "num_attention_heads * head_dim" : "intermediate_size", k, tp_);
    add(std::move(name), m, n, k, ShardDim::kK, "B replicated");
  }

  std::vector<Layer> take() { return std::move(layers_); }

 private:
  void add(std::string name, std::int64_t m, std::int64_t n, std::int64_t k, ShardDim shard_dim,
           std::string note) {
    Problem problem{.m = m,
                    .n = n,
                    .k = k,
                    .world_size = tp_,
                    .shard_dim = shard_dim,
                    .dtype = options_.dtype,
                    .layout = options_.layout};
    check_problem(problem);
    layers_.push_back({std::move(name), problem, std::move(note)});
  }

  std::int32_t tp_;
  LayerOptions options_;
  std::vector<Layer> layers_;
};

void add_attention(Builder& add, const ModelConfig& model, std::int32_t tp, std::int64_t tokens) {
  const std::int64_t q =
      per_rank("num_attention_heads", model.num_attention_heads, tp) * model.head_dim;
  const std::int64_t kv = kv_heads_per_rank(model, tp) * model.head_dim;
  std::string shared;
  if (model.num_key_value_heads < tp) {
    shared = fmt::format("each key-value head is replicated on {} ranks",
                         tp / model.num_key_value_heads);
  }
  add.column("qkv", tokens, q + 2 * kv, model.hidden_size, shared);
  add.column("q", tokens, q, model.hidden_size);
  add.column("k", tokens, kv, model.hidden_size, shared);
  add.column("v", tokens, kv, model.hidden_size, shared);
  add.row("o", tokens, model.hidden_size, model.num_attention_heads * model.head_dim);
}

void add_mlp(Builder& add, const ModelConfig& model, std::int32_t tp, std::int64_t tokens) {
  const std::string prefix = model.num_experts > 0 ? "expert_" : "";
  std::int64_t rows = tokens;
  std::string note;
  if (model.num_experts > 0) {
    rows = ceil_div(ceil_div(tokens * model.experts_per_token, model.num_experts), tp) * tp;
    note = fmt::format("one of {} experts, {} a token", model.num_experts, model.experts_per_token);
  }
  const std::int64_t width = per_rank("intermediate_size", model.intermediate_size, tp);
  add.column(prefix + (model.gated_mlp ? "gate_up" : "up"), rows,
             model.gated_mlp ? 2 * width : width, model.hidden_size, note);
  add.row(prefix + "down", rows, model.hidden_size, model.intermediate_size);
}

}  // namespace

std::vector<Layer> layers(const ModelConfig& model, std::int32_t tp, std::int64_t tokens,
                          const LayerOptions& options) {
  if (tp < 1) throw invalid_argument("tp={} must be at least 1", tp);
  if (tokens < 1 || tokens > kLargestTokens) {
    throw invalid_argument("tokens={} must be 1 to {}", tokens, kLargestTokens);
  }
  if (tokens % tp != 0) {
    throw invalid_argument(
        "tokens={} is not a multiple of tp={}, and qkv and gate_up split their "
        "rows over the ranks; use {} tokens",
        tokens, tp, ceil_div(tokens, tp) * tp);
  }
  Builder add(tp, options);
  add_attention(add, model, tp, tokens);
  add_mlp(add, model, tp, tokens);
  if (options.lm_head) {
    if (model.vocab_size == 0) {
      throw invalid_argument(
          "the model file states no vocab_size, which lm_head needs; add it, or "
          "leave lm_head out");
    }
    const std::int64_t columns = ceil_div(model.vocab_size, tp);
    add.column("lm_head", tokens, columns, model.hidden_size,
               columns * tp == model.vocab_size ? ""
                                                : fmt::format("vocabulary padded from {} to {}",
                                                              model.vocab_size, columns * tp));
  }
  return add.take();
}

}  // namespace weft::tune

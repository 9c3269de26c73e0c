// SPDX-License-Identifier: Apache-2.0
#include "tune/model_layers.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "weft/error.hpp"

namespace weft::tune {
namespace {

std::filesystem::path example(const std::string& name) {
  return std::filesystem::path(WEFT_SOURCE_DIR) / "examples/models" / name;
}

std::map<std::string, Layer> by_name(const std::vector<Layer>& all) {
  std::map<std::string, Layer> found;
  for (const Layer& layer : all) EXPECT_TRUE(found.emplace(layer.name, layer).second) << layer.name;
  return found;
}

/// "M N K shard_dim"
std::string shape(const Layer& layer) {
  const Problem& p = layer.problem;
  return std::to_string(p.m) + " " + std::to_string(p.n) + " " + std::to_string(p.k) + " " +
         std::string(to_string(p.shard_dim));
}

/// The sentence of the Error that `call` throws; fails when it throws none.
template <class Call>
std::string refusal(ErrorCode code, Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

std::string parse_refusal(const std::string& text) {
  return refusal(ErrorCode::kInvalidArgument, [&] { parse_model_config(text, "config.json"); });
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ModelLayers, GivesTheShapesOfLlama8BAtTp2) {
  const auto found = by_name(layers(read_model_config(example("llama-3.1-8b.json")), 2, 256));
  EXPECT_EQ(shape(found.at("qkv")), "256 3072 4096 m");
  EXPECT_EQ(shape(found.at("q")), "256 2048 4096 m");
  EXPECT_EQ(shape(found.at("k")), "256 512 4096 m");
  EXPECT_EQ(shape(found.at("v")), "256 512 4096 m");
  EXPECT_EQ(shape(found.at("o")), "256 4096 4096 k");
  EXPECT_EQ(shape(found.at("gate_up")), "256 14336 4096 m");
  EXPECT_EQ(shape(found.at("down")), "256 4096 14336 k");
  EXPECT_EQ(found.size(), 7u);
  for (const auto& [name, layer] : found) EXPECT_EQ(layer.problem.world_size, 2) << name;
}

TEST(ModelLayers, PassesOptionsOn) {
  const LayerOptions options{.dtype = DType::kBf16, .layout = Layout::kNT, .lm_head = true};
  const auto all = layers(read_model_config(example("llama-3.1-8b.json")), 2, 256, options);
  EXPECT_EQ(all.back().name, "lm_head");
  EXPECT_EQ(shape(all.back()), "256 64128 4096 m");
  for (const Layer& layer : all) {
    EXPECT_EQ(layer.problem.dtype, DType::kBf16);
    EXPECT_EQ(layer.problem.layout, Layout::kNT);
  }
}

TEST(ModelLayers, PadsAVocabularyThatTheRanksDoNotDivide) {
  ModelConfig model = read_model_config(example("llama-3.1-8b.json"));
  model.vocab_size = 128257;
  const auto all = layers(model, 2, 256, {.lm_head = true});
  EXPECT_EQ(all.back().problem.n, 64129);
  EXPECT_TRUE(mentions(all.back().note, "128258")) << all.back().note;
}

TEST(ModelLayers, UsesAnExplicitHeadDim) {
  const auto found = by_name(layers(read_model_config(example("qwen3-4b.json")), 4, 128));
  EXPECT_EQ(shape(found.at("q")), "128 1024 2560 m");
  EXPECT_EQ(shape(found.at("o")), "128 2560 4096 k");
}

TEST(ModelLayers, ReplicatesKeyValueHeadsWhenThereAreFewerThanRanks) {
  const auto found = by_name(layers(read_model_config(example("llama-3.1-70b.json")), 16, 512));
  EXPECT_EQ(shape(found.at("k")), "512 128 8192 m");
  EXPECT_EQ(shape(found.at("qkv")), "512 768 8192 m");
  EXPECT_TRUE(mentions(found.at("k").note, "replicated on 2 ranks")) << found.at("k").note;
}

TEST(ModelLayers, RoundsTheRowsOfOneExpertUpToTp) {
  const ModelConfig mixtral = read_model_config(example("mixtral-8x7b.json"));
  const auto found = by_name(layers(mixtral, 4, 260));
  // 260 tokens * 2 of 8 experts = 65 rows, rounded up to 68.
  EXPECT_EQ(shape(found.at("expert_gate_up")), "68 7168 4096 m");
  EXPECT_EQ(shape(found.at("expert_down")), "68 4096 14336 k");
  EXPECT_EQ(found.count("gate_up"), 0u);
}

TEST(ModelLayers, RefusesATpThatDoesNotDivide) {
  const auto sentence = [](const char* file, std::int32_t tp, std::int64_t tokens) {
    return refusal(ErrorCode::kInvalidArgument,
                   [&] { layers(read_model_config(example(file)), tp, tokens); });
  };
  EXPECT_TRUE(mentions(sentence("qwen2.5-7b.json", 8, 256), "num_attention_heads=28"));
  EXPECT_TRUE(mentions(sentence("llama-3.1-8b.json", 2, 255), "use 256 tokens"));
  EXPECT_TRUE(mentions(sentence("llama-3.1-8b.json", 0, 256), "tp=0"));
  EXPECT_TRUE(mentions(sentence("llama-3.1-8b.json", 2, -2), "tokens=-2"));
  ModelConfig odd = read_model_config(example("llama-3.1-8b.json"));
  odd.intermediate_size = 14337;
  EXPECT_TRUE(mentions(refusal(ErrorCode::kInvalidArgument, [&] { layers(odd, 2, 256); }),
                       "intermediate_size=14337"));
  odd = read_model_config(example("llama-3.1-8b.json"));
  odd.num_attention_heads = 12;
  odd.num_key_value_heads = 4;
  EXPECT_TRUE(mentions(refusal(ErrorCode::kInvalidArgument, [&] { layers(odd, 6, 12); }),
                       "num_key_value_heads=4"));
}

TEST(ModelConfig, ReadsAFolderAsItsConfigJson) {
  const auto folder =
      std::filesystem::path(WEFT_BINARY_DIR) / ("model_config_test." + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(example("qwen2.5-7b.json"), folder / "config.json",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(read_model_config(folder).hidden_size, 3584);
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(mentions(refusal(ErrorCode::kInvalidArgument, [&] { read_model_config(folder); }),
                       folder.string()));
}

TEST(ModelConfig, LooksIntoTextConfig) {
  const ModelConfig model = parse_model_config(
      R"({"model_type": "a", "vision_config": {"hidden_size": 7}, "text_config": {
          "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2,
          "intermediate_size": 128, "vocab_size": 10}})",
      "config.json");
  EXPECT_EQ(model.hidden_size, 64);
  EXPECT_EQ(model.head_dim, 16);
  ASSERT_EQ(model.notes.size(), 1u);
  EXPECT_TRUE(mentions(model.notes[0], "text_config"));
  EXPECT_TRUE(mentions(parse_refusal(R"({"text_config": {"num_attention_heads": 4}})"),
                       "text_config: hidden_size"));
  EXPECT_TRUE(mentions(parse_refusal(R"({"text_config": [1]})"), "text_config is [1]"));
}

TEST(ModelConfig, NotesAbsentKeyValueHeads) {
  const ModelConfig model = parse_model_config(
      R"({"hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": null,
          "intermediate_size": 128})",
      "config.json");
  EXPECT_EQ(model.num_key_value_heads, 4);
  EXPECT_EQ(model.vocab_size, 0);
  ASSERT_EQ(model.notes.size(), 1u);
  EXPECT_TRUE(mentions(model.notes[0], "num_key_value_heads is absent"));
  EXPECT_TRUE(mentions(
      refusal(ErrorCode::kInvalidArgument, [&] { layers(model, 2, 4, {.lm_head = true}); }),
      "vocab_size"));
}

TEST(ModelConfig, TakesTheExpertWidthFromEitherField) {
  const std::string head = R"({"hidden_size": 64, "num_attention_heads": 4,
      "num_key_value_heads": 4, "num_experts": 8, "num_experts_per_tok": 2)";
  EXPECT_EQ(
      parse_model_config(head + R"(, "intermediate_size": 999, "moe_intermediate_size": 32})", "c")
          .intermediate_size,
      32);
  EXPECT_EQ(parse_model_config(head + R"(, "intermediate_size": 48})", "c").intermediate_size, 48);
  const std::string sentence = parse_refusal(head + "}");
  EXPECT_TRUE(mentions(sentence, "8 experts but no expert width")) << sentence;
  EXPECT_TRUE(mentions(sentence, "add moe_intermediate_size")) << sentence;
}

TEST(ModelConfig, KnowsFamiliesWithoutAGate) {
  const ModelConfig model = parse_model_config(
      R"({"model_type": "starcoder2", "hidden_size": 64, "num_attention_heads": 4,
          "num_key_value_heads": 4, "intermediate_size": 128})",
      "c");
  const auto found = by_name(layers(model, 2, 4));
  EXPECT_EQ(shape(found.at("up")), "4 64 64 m");
  EXPECT_EQ(found.count("gate_up"), 0u);
}

TEST(ModelConfig, RefusesWhatItCannotRead) {
  const std::string good = R"("num_attention_heads": 4, "intermediate_size": 8)";
  EXPECT_TRUE(mentions(parse_refusal(R"({"hidden_size": "4096", )" + good + "}"),
                       "hidden_size is the text \"4096\", not a number; remove its quotes"));
  EXPECT_TRUE(mentions(parse_refusal(R"({"hidden_size": 4096.5, )" + good + "}"), "4096.5"));
  EXPECT_TRUE(mentions(parse_refusal(R"({"hidden_size": -1, )" + good + "}"), "hidden_size is -1"));
  EXPECT_TRUE(mentions(parse_refusal(R"({"hidden_size": 0, )" + good + "}"), "hidden_size is 0"));
  EXPECT_TRUE(mentions(parse_refusal(R"({"hidden_size": 18446744073709551615, )" + good + "}"),
                       "18446744073709551615"));
  EXPECT_TRUE(mentions(parse_refusal(R"({"hidden_size": [1], )" + good + "}"), "[1]"));
  EXPECT_TRUE(mentions(parse_refusal("{" + good + "}"), "hidden_size"));
  EXPECT_TRUE(mentions(parse_refusal(R"({"hidden_size": 62, )" + good + "}"), "add head_dim"));
  EXPECT_TRUE(mentions(parse_refusal(R"({"hidden_size": 64})"), "num_attention_heads"));
  EXPECT_TRUE(mentions(parse_refusal(R"({"hidden_size": 64, "num_attention_heads": 4})"),
                       "intermediate_size"));
  EXPECT_TRUE(
      mentions(parse_refusal(R"({"hidden_size": 64, "num_key_value_heads": 3, )" + good + "}"),
               "num_key_value_heads=3"));
  EXPECT_TRUE(mentions(parse_refusal(R"({"hidden_size": 1, "hidden_size": 2})"), "line 1"));
  EXPECT_TRUE(mentions(parse_refusal(R"({"hidden_size": 64, )"), "line 1"));
  EXPECT_TRUE(mentions(parse_refusal("[]"), "not a JSON object"));
  EXPECT_TRUE(mentions(parse_refusal(""), "config.json"));
  EXPECT_TRUE(mentions(
      refusal(ErrorCode::kUnsupported,
              [] { parse_model_config(R"({"hidden_size": 64, "kv_lora_rank": 512})", "c"); }),
      "kv_lora_rank"));
}

}  // namespace
}  // namespace weft::tune

// SPDX-License-Identifier: Apache-2.0
// weft info: what weft sees on this machine.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "arch/detect.hpp"
#include "config/entry_json.hpp"
#include "config/layers.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace weft::cli {
namespace {

using nlohmann::ordered_json;

constexpr const char* kPurpose =
    "Show what weft sees on this machine: build, chips with their database keys, the environment\n"
    "that evidence is tied to, the layers of the database, and the variables in force.";

constexpr const char* kExamples =
    "Examples:\n"
    "  weft info\n"
    "  weft info --threads-per-rank 2    the CPU's database key for two threads a rank\n"
    "  weft info --json";

struct LayerFacts {
  std::string name, folder;
  std::size_t keys = 0;
};

struct DatabaseFacts {
  std::vector<LayerFacts> layers;
  std::size_t keys = 0;
  std::string digest;
};

DatabaseFacts database_facts() {
  DatabaseFacts facts;
  std::vector<DatabaseIssue> ignored;  // opening the database below reports them
  for (const config::Layer& layer : config::default_layers(ignored)) {
    std::string folder = layer.file_name("");
    while (folder.size() > 1 && (folder.back() == '/' || folder.back() == ':')) folder.pop_back();
    facts.layers.push_back({layer.name(), folder, layer.keys().size()});
  }
  const std::shared_ptr<ConfigDatabase> database = ConfigDatabase::open_default();
  facts.keys = database->keys().size();
  facts.digest = database->digest();
  return facts;
}

/// Variables that are set, with their text.
std::vector<std::pair<std::string, std::string>> variables_in_force() {
  std::vector<std::pair<std::string, std::string>> found;
  for (const EnvironmentVariable& v : environment_variables()) {
    if (const char* text = std::getenv(v.name)) found.emplace_back(v.name, text);
  }
  return found;
}

/// A malformed variable is refused after everything has been shown.
void check_variables() {
  options_from_environment();
  arch_from_environment();
  timeout_ms();
}

ordered_json chip_json(const Arch& arch) {
  if (!arch.known()) return nullptr;
  return {{"name", arch.name},
          {"arch", arch.key},
          {"device", arch.device()},
          {"link", default_link(arch)}};
}

std::string chip_text(const Arch& arch) {
  if (!arch.known()) return "none found";
  return fmt::format("{} ({}), link {}", arch.device(), arch.name, default_link(arch));
}

void print_info_json(const BuildInfo& build, const Arch& cpu, const Arch& gpu) {
  const DatabaseFacts facts = database_facts();
  ordered_json layers = ordered_json::array();
  for (const LayerFacts& l : facts.layers) {
    layers.push_back({{"layer", l.name}, {"folder", l.folder}, {"keys", l.keys}});
  }
  ordered_json variables = ordered_json::object();
  for (const auto& [name, text] : variables_in_force()) variables[name] = text;
  print_json({{"version", build.version},
              {"commit", build.commit},
              {"backends", build.backends},
              {"micro_kernel", build.micro_kernel},
              {"cpu", chip_json(cpu)},
              {"gpu", chip_json(gpu)},
              {"environment", ordered_json(config::to_json(current_environment()))},
              {"database", {{"layers", layers}, {"keys", facts.keys}, {"digest", facts.digest}}},
              {"variables", variables}});
}

void print_info_text(const BuildInfo& build, const Arch& cpu, const Arch& gpu) {
  std::string text = line("weft", fmt::format("{}, commit {}, backends {}", build.version,
                                              build.commit, build.backends)) +
                     line("kernel", build.micro_kernel) + line("cpu", chip_text(cpu)) +
                     line("gpu", chip_text(gpu));
  text += "\nenvironment of new evidence\n";
  const nlohmann::json environment = config::to_json(current_environment());
  for (const auto& [name, value] : environment.items()) {
    text += fmt::format("  {:<16} {}\n", name, value.get<std::string>());
  }
  const DatabaseFacts facts = database_facts();
  text += fmt::format("\ndatabase: {} keys, digest {}\n", facts.keys, facts.digest);
  Table table({"layer", "keys", "folder"});
  for (const LayerFacts& l : facts.layers) {
    table.add({l.name, fmt::format("{}", l.keys), l.folder});
  }
  text += table.text() + "\nvariables in force\n";
  const auto variables = variables_in_force();
  for (const auto& [name, value] : variables) text += fmt::format("  {}={}\n", name, value);
  if (variables.empty()) text += "  none\n";
  fmt::print("{}", text);
}

}  // namespace

void add_info(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("info", kPurpose);
  auto threads = std::make_shared<std::int32_t>(ProblemOptions{}.threads_per_rank);
  add_threads_option(*verb, *threads);
  add_json_option(*verb, context);
  verb->footer(help_footer(kExamples));
  verb->callback([&context, threads] {
    const Arch cpu = detect_cpu(*threads);
    (context.json ? print_info_json : print_info_text)(build_info(), cpu, detect_gpu());
    check_variables();
    context.exit = kOk;
  });
}

}  // namespace weft::cli

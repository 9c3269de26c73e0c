// SPDX-License-Identifier: Apache-2.0
#include "cli/harness.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace weft::cli_test {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

nlohmann::json Finished::json() const {
  const nlohmann::json document = nlohmann::json::parse(out, nullptr, false);
  EXPECT_FALSE(document.is_discarded()) << "not JSON: " << out << err;
  return document;
}

Cli::Cli() {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  folder_ = fs::path(WEFT_BINARY_DIR) / "cli_test" /
            (std::string(test->test_suite_name()) + "." + test->name() + "." +
             std::to_string(::getpid()));
  fs::create_directories(folder_);
}

Cli::~Cli() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

Finished Cli::weft(const std::string& arguments, const std::string& environment) const {
  const fs::path out = path(".out"), err = path(".err");
  const std::string command = "cd '" + folder_.string() + "' && XDG_DATA_HOME='" +
                              path("data").string() + "' XDG_DATA_DIRS='" + path("site").string() +
                              "' " + environment + " " WEFT_CLI " " + arguments + " >'" +
                              out.string() + "' 2>'" + err.string() + "'";
  const int status = std::system(command.c_str());
  Finished finished;
  finished.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  finished.out = text_of(out);
  finished.err = text_of(err);
  return finished;
}

void Cli::expect_refusal(int code, const std::string& part, const std::string& arguments,
                         const std::string& environment) const {
  const Finished finished = weft(arguments, environment);
  const std::string what = environment + " weft " + arguments + "\n" + finished.err;
  EXPECT_EQ(finished.code, code) << what;
  EXPECT_TRUE(mentions(finished.err, part)) << "wanted '" << part << "': " << what;
  EXPECT_EQ(finished.err.rfind("weft: ", 0), 0u) << what;
  EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << what;
}

fs::path Cli::put(const std::string& name, const std::string& text) const {
  fs::create_directories(path(name).parent_path());
  std::ofstream(path(name), std::ios::binary) << text;
  return path(name);
}

}  // namespace weft::cli_test

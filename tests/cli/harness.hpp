// SPDX-License-Identifier: Apache-2.0
// Runs the built command and keeps what it printed.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace weft::cli_test {

struct Finished {
  int code = -1;    ///< exit code; 128 + signal when a signal ended it
  std::string out;  ///< standard output
  std::string err;  ///< standard error
  /// The one JSON document on standard output; fails the test when it is none.
  [[nodiscard]] nlohmann::json json() const;
};

/// A folder of its own, which also holds the user's and the site's database, and the command.
class Cli : public ::testing::Test {
 protected:
  Cli();
  ~Cli() override;

  /// @param arguments    as typed into a shell
  /// @param environment  assignments in front of the command, such as "WEFT_TRUST=all"
  [[nodiscard]] Finished weft(const std::string& arguments,
                              const std::string& environment = "") const;
  /// Expects exit code `code` and one line on standard error that holds `part`.
  void expect_refusal(int code, const std::string& part, const std::string& arguments,
                      const std::string& environment = "") const;
  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  /// Writes a file into the folder. @return its path
  std::filesystem::path put(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path folder_;
};

std::string text_of(const std::filesystem::path& path);
bool mentions(const std::string& text, const std::string& part);

}  // namespace weft::cli_test

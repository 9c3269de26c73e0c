// SPDX-License-Identifier: Apache-2.0
#include "config/check.hpp"

#include <gtest/gtest.h>

#include "config/samples.hpp"

namespace weft::config {
namespace {

TEST(Check, GoodFilesAndTreesHaveNoIssues) {
  TemporaryFolder folder;
  const auto path = folder.path() / sample_key().relative_path();
  spill(path, write_file(sample_file()));
  EXPECT_TRUE(check_file(path).empty());
  EXPECT_TRUE(check_tree(folder.path()).empty());
  EXPECT_TRUE(check_tree(std::string(WEFT_SOURCE_DIR) + "/configs").empty());
}

TEST(Check, HeaderIsComparedOnlyWherePathIsAKey) {
  TemporaryFolder folder;
  DatabaseKey other = sample_key();
  other.world_size = 4;
  spill(folder.path() / "copy.json", write_file(sample_file()));
  spill(folder.path() / other.relative_path(), write_file(sample_file()));
  EXPECT_TRUE(check_file(folder.path() / "copy.json").empty());
  const auto issues = check_file(folder.path() / other.relative_path());
  ASSERT_EQ(issues.size(), 1u);
  EXPECT_NE(issues[0].rule.find(sample_key().relative_path()), std::string::npos);
}

TEST(Check, NamesThatNoLookUpFindsAreIssues) {
  TemporaryFolder folder;
  spill(folder.path() / "ag_mm/cpu_avx2-6.143-t1/f32.json", write_file(sample_file()));
  const auto issues = check_tree(folder.path());
  ASSERT_EQ(issues.size(), 1u);
  EXPECT_EQ(issues[0].place, "path");
}

TEST(Check, AbsentFilesAndEmptyTreesAreIssues) {
  TemporaryFolder folder;
  EXPECT_EQ(check_file(folder.path() / "absent.json").size(), 1u);
  EXPECT_EQ(check_file(folder.path()).size(), 1u);
  EXPECT_EQ(check_tree(folder.path()).size(), 1u);
}

}  // namespace
}  // namespace weft::config

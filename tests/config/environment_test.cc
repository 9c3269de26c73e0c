// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "config/samples.hpp"

namespace weft::config {
namespace {

EvidenceAge age_after(std::string Environment::*member, const std::string& value) {
  Environment now = sample_environment();
  now.*member = value;
  return evidence_age(sample_environment(), now);
}

TEST(EvidenceAge, SameEnvironmentIsFresh) {
  EXPECT_EQ(evidence_age(sample_environment(), sample_environment()), EvidenceAge::kFresh);
}

TEST(EvidenceAge, ImportedEntriesCountAsFresh) {
  EXPECT_EQ(evidence_age(Environment{}, sample_environment()), EvidenceAge::kFresh);
}

TEST(EvidenceAge, NamesOfTheHostAndTheBuildDoNotMatter) {
  EXPECT_EQ(age_after(&Environment::host, "Other CPU"), EvidenceAge::kFresh);
  EXPECT_EQ(age_after(&Environment::library_commit, "fffffff"), EvidenceAge::kFresh);
  EXPECT_EQ(age_after(&Environment::library_version, "0.2.0"), EvidenceAge::kFresh);
}

TEST(EvidenceAge, CodeAndRivalMakeStale) {
  EXPECT_EQ(age_after(&Environment::kernel_hash, "0"), EvidenceAge::kStale);
  EXPECT_EQ(age_after(&Environment::compiler, "GNU 12.2.1"), EvidenceAge::kStale);
  EXPECT_EQ(age_after(&Environment::unfused_gemm, "oneDNN 2.7.3"), EvidenceAge::kStale);
  EXPECT_EQ(age_after(&Environment::unfused_gemm, "oneDNN 3.6.3"), EvidenceAge::kStale);
  EXPECT_EQ(age_after(&Environment::unfused_gemm, "BLIS 2.6.3"), EvidenceAge::kStale);
  EXPECT_EQ(age_after(&Environment::unfused_gemm, "oneDNN 2.6.3 (avx512)"), EvidenceAge::kStale);
  EXPECT_EQ(age_after(&Environment::unfused_gather, "NCCL 2.20.5"), EvidenceAge::kStale);
}

TEST(EvidenceAge, DetailsMakeAged) {
  EXPECT_EQ(age_after(&Environment::driver, "550.1"), EvidenceAge::kAged);
  EXPECT_EQ(age_after(&Environment::runtime, "libgomp 13"), EvidenceAge::kAged);
  EXPECT_EQ(age_after(&Environment::unfused_gemm, "oneDNN 2.6.4"), EvidenceAge::kAged);
  EXPECT_EQ(age_after(&Environment::unfused_gemm, "oneDNN 2.6"), EvidenceAge::kAged);
  EXPECT_EQ(age_after(&Environment::unfused_gemm, "oneDNN 2.6.3.1"), EvidenceAge::kAged);
}

TEST(EvidenceAge, WordsOfStatusAndStage) {
  EXPECT_EQ(to_string(EntryStatus::kUnmeasured), "unmeasured");
  EXPECT_EQ(to_string(EntryStatus::kTie), "tie");
  EXPECT_EQ(to_string(EntryStage::kPromoted), "promoted");
}

}  // namespace
}  // namespace weft::config

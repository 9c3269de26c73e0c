// SPDX-License-Identifier: Apache-2.0
#include "../tools/cli/npy.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "weft/error.hpp"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

class Npy : public ::testing::Test {
 protected:
  Npy() : folder_(fs::path(WEFT_BINARY_DIR) / ("npy_test." + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~Npy() override { fs::remove_all(folder_); }

  [[nodiscard]] fs::path path(const std::string& name) const { return folder_ / name; }

  fs::path put(const std::string& bytes) const {
    std::ofstream(path("x.npy"), std::ios::binary) << bytes;
    return path("x.npy");
  }

  /// The sentence that reading `bytes` as `shape` is refused with.
  std::string refusal(const std::string& bytes, const std::vector<std::int64_t>& shape) const {
    try {
      read_npy(put(bytes), shape, "--a");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return "";
  }

  fs::path folder_;
};

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::string file_bytes(int major, const std::string& dict, const std::string& values) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(major);
  bytes += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) {
    bytes += static_cast<char>(dict.size() >> (8 * i) & 0xFF);
  }
  return bytes + dict + values;
}

std::string floats(std::initializer_list<float> values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

const std::string kDict = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
const std::string kValues = floats({1, 2, 3, 4, 5, 6});

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(Npy, ReadsWhatItWrote) {
  const std::vector<std::int64_t> shape{2, 3};
  const std::vector<float> values{1, -2, 3.5F, 0, 1e-30F, 6};
  write_npy(path("c.npy"), shape, values);
  EXPECT_EQ(read_npy(path("c.npy"), shape, "--a"), values);
  // The format asks for values at a multiple of 64 bytes.
  const NpyHeader header = parse_npy_header(text_of(path("c.npy")), "c");
  EXPECT_EQ(header.data_offset % 64, 0u);
  EXPECT_EQ(header.descr, "<f4");
  EXPECT_EQ(text_of(path("c.npy")).substr(6, 2), std::string("\x01\x00", 2));
}

TEST_F(Npy, WritesOneDimensionAsPythonDoes) {
  write_npy(path("v.npy"), std::vector<std::int64_t>{3}, std::vector<float>{1, 2, 3});
  EXPECT_TRUE(mentions(text_of(path("v.npy")), "'shape': (3,), }"));
}

TEST_F(Npy, ReadsEveryVersionAndAnyOrderOfKeys) {
  const std::vector<std::int64_t> shape{2, 3};
  for (const int major : {1, 2, 3}) {
    EXPECT_EQ(read_npy(put(file_bytes(major, kDict, kValues)), shape, "--a").back(), 6) << major;
  }
  const std::string other = "{\"shape\":(2,3),\"descr\":\"<f4\",\"fortran_order\":False}";
  EXPECT_EQ(read_npy(put(file_bytes(1, other, kValues)), shape, "--a").front(), 1);
}

TEST_F(Npy, RefusesEveryTruncation) {
  const std::string whole = file_bytes(1, kDict, kValues);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(refusal(whole.substr(0, size), {2, 3}).empty()) << size;
  }
}

TEST_F(Npy, SurvivesEveryChangedHeaderByte) {
  const std::string whole = file_bytes(1, kDict, kValues);
  for (std::size_t at = 0; at < whole.size() - kValues.size(); ++at) {
    for (const char byte : {'\x00', '\xFF', '\'', '(', '9', '-'}) {
      std::string changed = whole;
      changed[at] = byte;
      try {
        const auto values = read_npy(put(changed), std::vector<std::int64_t>{2, 3}, "--a");
        EXPECT_EQ(values.size(), 6u) << at;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument) << at;
      }
    }
  }
}

TEST_F(Npy, RefusesWithValuesAndRemedy) {
  const auto dict = [](const std::string& descr, const std::string& order,
                       const std::string& shape) {
    return file_bytes(
        1, "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }",
        kValues);
  };
  EXPECT_TRUE(mentions(refusal("junk", {2, 3}), "no .npy file"));
  EXPECT_TRUE(mentions(refusal(file_bytes(4, kDict, kValues), {2, 3}), "version 4.0"));
  EXPECT_TRUE(mentions(refusal(dict("<f8", "False", "(2, 3)"), {2, 3}),
                       "holds '<f8', not '<f4' (little-endian f32); convert it"));
  EXPECT_TRUE(mentions(refusal(dict(">f4", "False", "(2, 3)"), {2, 3}), "'>f4'"));
  EXPECT_TRUE(mentions(refusal(dict("<f4", "True", "(2, 3)"), {2, 3}), "ascontiguousarray"));
  EXPECT_TRUE(
      mentions(refusal(dict("<f4", "False", "(2, 3)"), {3, 2}), "shape (2, 3) must be (3, 2)"));
  EXPECT_TRUE(mentions(refusal(dict("<f4", "False", "(6,)"), {2, 3}), "shape (6,)"));
  EXPECT_TRUE(mentions(refusal(dict("<f4", "False", "(2, -3)"), {2, 3}), "its header"));
  EXPECT_TRUE(mentions(refusal(dict("<f4", "maybe", "(2, 3)"), {2, 3}), "its header"));
  EXPECT_TRUE(mentions(refusal(file_bytes(1, kDict, kValues + "x"), {2, 3}),
                       "needs 24 bytes of values, the file has 25"));
  EXPECT_TRUE(mentions(refusal(file_bytes(1, "{'descr': '<f4', 'descr': '<f4'}", ""), {2, 3}),
                       "its header"));
}

TEST_F(Npy, RefusesAHugeShapeWithoutAllocatingIt) {
  const std::int64_t huge = std::int64_t{1} << 40;
  const std::string extent = std::to_string(huge);
  const auto bytes = [&](const std::string& shape) {
    return file_bytes(1, "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}",
                      kValues);
  };
  EXPECT_TRUE(mentions(refusal(bytes("(" + extent + ", 3)"), {huge, 3}), "the file has 24"));
  EXPECT_TRUE(
      mentions(refusal(bytes("(" + extent + ", " + extent + ")"), {huge, huge}), "too many"));
  EXPECT_TRUE(mentions(refusal(bytes("(99999999999999999999, 3)"), {2, 3}), "its header"));
  std::string long_header = file_bytes(2, kDict, kValues);
  long_header[11] = '\x7F';  // the header claims 2 GB
  EXPECT_TRUE(mentions(refusal(long_header, {2, 3}), "more than 65536"));
}

TEST_F(Npy, NamesAFileThatCannotBeRead) {
  for (const fs::path& missing : {path("absent.npy"), folder_}) {
    try {
      read_npy(missing, std::vector<std::int64_t>{2, 3}, "--bias");
      ADD_FAILURE() << missing;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      EXPECT_TRUE(mentions(error.what(), "--bias '" + missing.string() + "'")) << error.what();
    }
  }
}

TEST_F(Npy, LeavesTheOldFileWhenTheDiskIsFull) {
  const std::vector<std::int64_t> shape{1 << 16};
  write_npy(path("c.npy"), std::vector<std::int64_t>{1}, std::vector<float>{42});
  const std::string before = text_of(path("c.npy"));
  rlimit old_limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = old_limit;
  small.rlim_cur = 4096;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  ErrorCode code = ErrorCode::kInternal;
  try {
    write_npy(path("c.npy"), shape, std::vector<float>(1 << 16, 1.0F));
  } catch (const Error& error) {
    code = error.code();
  }
  ::setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(code, ErrorCode::kDeviceError);
  EXPECT_EQ(text_of(path("c.npy")), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(Npy, RefusesAFolderThatIsNotThere) {
  try {
    write_npy(path("no/c.npy"), std::vector<std::int64_t>{1}, std::vector<float>{1});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kDeviceError);
    EXPECT_TRUE(mentions(error.what(), "no/c.npy")) << error.what();
  }
}

TEST_F(Npy, ReplacesWhatALinkNames) {
  write_npy(path("real.npy"), std::vector<std::int64_t>{1}, std::vector<float>{1});
  fs::create_symlink("real.npy", path("link.npy"));
  write_npy(path("link.npy"), std::vector<std::int64_t>{1}, std::vector<float>{2});
  EXPECT_TRUE(fs::is_symlink(path("link.npy")));
  EXPECT_EQ(read_npy(path("real.npy"), std::vector<std::int64_t>{1}, "--a").front(), 2);
}

}  // namespace
}  // namespace weft::cli

// SPDX-License-Identifier: Apache-2.0
// A .npy file is: "\x93NUMPY", version (2 bytes), header length (2 or 4 bytes, little-endian), a
// Python dict literal with the keys descr, fortran_order and shape, then the raw values.
#include "npy.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>

#include "core/message.hpp"
#include "output_file.hpp"

namespace weft::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "values are copied as they are");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kVersionBytes = 2;
constexpr std::size_t kMaxHeaderBytes = 65536;
constexpr std::size_t kMaxDims = 32;
constexpr std::size_t kAlignBytes = 64;  // of the values, as the format asks
constexpr std::string_view kElement = "<f4";

/// Walks the dict literal. Every reader returns nothing where the text is not what it expects.
class Literal {
 public:
  explicit Literal(std::string_view text) : text_(text) {}

  bool take(char wanted) {
    skip_spaces();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  bool at_end() {
    skip_spaces();
    return at_ == text_.size();
  }

  std::optional<std::string> quoted() {
    skip_spaces();
    if (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return std::nullopt;
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string found(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return found;
  }

  std::optional<bool> boolean() {
    skip_spaces();
    for (const auto& [word, value] : {std::pair{"True", true}, {"False", false}}) {
      if (text_.substr(at_).starts_with(word)) {
        at_ += std::strlen(word);
        return value;
      }
    }
    return std::nullopt;
  }

  std::optional<std::vector<std::int64_t>> tuple() {
    if (!take('(')) return std::nullopt;
    std::vector<std::int64_t> extents;
    while (!take(')')) {
      if (extents.size() == kMaxDims) return std::nullopt;
      skip_spaces();
      std::int64_t extent = 0;
      const char* begin = text_.data() + at_;
      const auto [stop, error] = std::from_chars(begin, text_.data() + text_.size(), extent);
      if (error != std::errc{} || extent < 0) return std::nullopt;
      at_ += static_cast<std::size_t>(stop - begin);
      extents.push_back(extent);
      if (!take(',') && !(at_ < text_.size() && text_[at_] == ')')) return std::nullopt;
    }
    return extents;
  }

 private:
  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Each key once, in any order.
bool read_dict(Literal dict, NpyHeader& header) {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::int64_t>> shape;
  if (!dict.take('{')) return false;
  while (!dict.take('}')) {
    const std::optional<std::string> key = dict.quoted();
    if (!key || !dict.take(':')) return false;
    if (*key == "descr" && !descr) {
      if (!(descr = dict.quoted())) return false;
    } else if (*key == "fortran_order" && !fortran_order) {
      if (!(fortran_order = dict.boolean())) return false;
    } else if (*key == "shape" && !shape) {
      if (!(shape = dict.tuple())) return false;
    } else {
      return false;
    }
    if (!dict.take(',')) {
      if (!dict.take('}')) return false;
      break;
    }
  }
  if (!descr || !fortran_order || !shape || !dict.at_end()) return false;
  header.descr = *descr;
  header.fortran_order = *fortran_order;
  header.shape = *shape;
  return true;
}

Error bad_file(std::string_view what, std::string_view rule) {
  return invalid_argument("{}: {}; write the file with numpy.save", what, rule);
}

/// Bytes of the values, or nothing when that overflows.
std::optional<std::int64_t> value_bytes(std::span<const std::int64_t> shape) {
  std::int64_t bytes = sizeof(float);
  for (const std::int64_t extent : shape) {
    if (extent != 0 && bytes > std::numeric_limits<std::int64_t>::max() / extent) return {};
    bytes *= extent;
  }
  return bytes;
}

/// Printable, and not longer than a message bears.
std::string shown(std::string text) {
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  constexpr std::size_t kLongest = 40;
  return text.size() > kLongest ? text.substr(0, kLongest) + "..." : text;
}

}  // namespace

NpyHeader parse_npy_header(std::string_view bytes, std::string_view what) {
  if (!bytes.starts_with(kMagic)) throw bad_file(what, "this is no .npy file");
  const std::size_t length_at = kMagic.size() + kVersionBytes;
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  if (bytes.size() < length_at) throw bad_file(what, "the file ends inside its header");
  const int major = byte(kMagic.size());
  if (major < 1 || major > 3) {
    throw bad_file(what, fmt::format(".npy version {}.{} is none of 1.0, 2.0, 3.0", major,
                                     byte(kMagic.size() + 1)));
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t dict_at = length_at + length_bytes;
  if (bytes.size() < dict_at) throw bad_file(what, "the file ends inside its header");
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length << 8 | byte(length_at + i);
  if (length > kMaxHeaderBytes) {
    throw bad_file(
        what, fmt::format("its header claims {} bytes, more than {}", length, kMaxHeaderBytes));
  }
  if (bytes.size() < dict_at + length) throw bad_file(what, "the file ends inside its header");
  NpyHeader header;
  header.data_offset = dict_at + length;
  if (!read_dict(Literal(bytes.substr(dict_at, length)), header)) {
    throw bad_file(what, "its header is not a dict of descr, fortran_order and shape");
  }
  return header;
}

std::vector<float> read_npy(const std::filesystem::path& path, std::span<const std::int64_t> shape,
                            std::string_view what) {
  const std::string name = fmt::format("{} '{}'", what, path.string());
  std::error_code error;
  const auto file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(path, error));
  std::ifstream in(path, std::ios::binary);
  if (error || !in) {
    throw invalid_argument("{}: cannot be read ({}); name a readable .npy file", name,
                           error ? error.message() : "permission denied");
  }
  std::string head(kMagic.size() + kVersionBytes + 4 + kMaxHeaderBytes, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  in.clear();
  const NpyHeader header = parse_npy_header(head, name);
  if (header.descr != kElement) {
    throw invalid_argument(
        "{}: holds '{}', not '{}' (little-endian f32); convert it with "
        ".astype(numpy.float32)",
        name, shown(header.descr), kElement);
  }
  if (!std::equal(shape.begin(), shape.end(), header.shape.begin(), header.shape.end())) {
    throw invalid_argument(
        "{}: shape {} must be {}, as the problem says; correct M N K, "
        "--layout or the file",
        name, shape_text(header.shape), shape_text(shape));
  }
  if (header.fortran_order) {
    throw invalid_argument(
        "{}: is in Fortran order; save numpy.ascontiguousarray(x), or the "
        "transposed array with another --layout",
        name);
  }
  const std::optional<std::int64_t> bytes = value_bytes(header.shape);
  const std::int64_t found = file_bytes - static_cast<std::int64_t>(header.data_offset);
  if (!bytes || *bytes != found) {
    throw bad_file(name, fmt::format("shape {} needs {} bytes of values, the file has {}",
                                     shape_text(header.shape),
                                     bytes ? fmt::format("{}", *bytes) : "too many", found));
  }
  std::vector<float> values(static_cast<std::size_t>(*bytes) / sizeof(float));
  in.seekg(static_cast<std::streamoff>(header.data_offset));
  in.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(*bytes));
  if (in.gcount() != *bytes) throw device_error("{}: reading stopped early; read it again", name);
  return values;
}

void write_npy(const std::filesystem::path& path, std::span<const std::int64_t> shape,
               std::span<const float> values) {
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                 kElement, shape_text(shape));
  const std::size_t before = kMagic.size() + kVersionBytes + 2;
  const std::size_t total =
      (before + dict.size() + 1 + kAlignBytes - 1) / kAlignBytes * kAlignBytes;
  dict.resize(total - before - 1, ' ');
  dict += '\n';
  std::string head(kMagic);
  head += '\x01';
  head += '\x00';
  head += static_cast<char>(dict.size() & 0xFF);
  head += static_cast<char>(dict.size() >> 8);
  OutputFile file(path);
  file.write(head + dict);
  file.write(std::as_bytes(values));
  file.commit();
}

std::string shape_text(std::span<const std::int64_t> shape) {
  if (shape.size() == 1) return fmt::format("({},)", shape[0]);
  return fmt::format("({})", fmt::join(shape, ", "));
}

}  // namespace weft::cli

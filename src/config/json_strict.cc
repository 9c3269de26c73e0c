// SPDX-License-Identifier: Apache-2.0
#include "config/json_strict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>
#include <vector>

namespace weft::config {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestQuote = 60;

JsonError error_at(std::string_view text, std::size_t offset, std::string rule) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = newline == std::string_view::npos ? offset : offset - newline - 1;
  return {line, column + 1, std::move(rule)};
}

// Bytes of the well-formed UTF-8 sequence at `at`, or 0. (Unicode, table 3-7.)
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned lead = byte(at);
  const unsigned second = byte(at + 1);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4 || !continues(at + 1)) return 0;
  if (lead < 0xE0) return 2;
  if (!continues(at + 2)) return 0;
  if (lead < 0xF0) {
    const bool overlong = lead == 0xE0 && second < 0xA0;
    const bool surrogate = lead == 0xED && second > 0x9F;
    return overlong || surrogate ? 0 : 3;
  }
  const bool out_of_range = (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F);
  return out_of_range || !continues(at + 3) ? 0 : 4;
}

// Iterator that tells how far the parser has read.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* count) : at_(at), count_(count) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*count_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* count_;
};

// Builds the value and checks what the library leaves unchecked.
class StrictBuilder : public json::json_sax_t {
 public:
  StrictBuilder(std::string_view text, const std::size_t& offset) : text_(text), offset_(offset) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return fail("binary values are not JSON"); }

  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    const bool fresh = !open_.back()->contains(name);
    if (!fresh) {
      return fail(
          fmt::format("key '{}' occurs twice in one object", name.substr(0, kLongestQuote)));
    }
    slot_ = &(*open_.back())[name];
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const json::exception& e) override {
    // NOTE: the library counts the offending byte; its text has a prefix that repeats the place.
    const std::size_t at = position > 0 ? position - 1 : 0;
    std::string detail = e.what();
    const std::size_t prefix = detail.find(": ");
    if (prefix != std::string::npos) detail.erase(0, prefix + 2);
    detail.resize(std::min(detail.size(), detail.find("; last read")));
    std::string rule = "not valid JSON: " + detail;
    if (e.id == 406) rule = "a number is too large for a double";
    if (at >= text_.size()) rule = "not valid JSON: the text is cut off";
    error = error_at(text_, at, std::move(rule));
    return false;
  }

  json root;
  JsonError error;

 private:
  bool fail(std::string rule) {
    error = error_at(text_, offset_ > 0 ? offset_ - 1 : 0, std::move(rule));
    return false;
  }

  json* place(json value) {
    if (open_.empty()) {
      root = std::move(value);
      return &root;
    }
    if (open_.back()->is_array()) {
      open_.back()->push_back(std::move(value));
      return &open_.back()->back();
    }
    *slot_ = std::move(value);
    return slot_;
  }

  template <class T>
  bool put(T&& value) {
    place(json(std::forward<T>(value)));
    return true;
  }

  bool open(json container) {
    if (static_cast<int>(open_.size()) == kMaxJsonDepth) {
      return fail(fmt::format("nesting is deeper than {} levels", kMaxJsonDepth));
    }
    open_.push_back(place(std::move(container)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view text_;
  const std::size_t& offset_;
  std::vector<json*> open_;  // containers being read, outermost first; stable while they are open
  json* slot_ = nullptr;     // value of the key just read
};

}  // namespace

std::string JsonError::place() const { return fmt::format("line {}, column {}", line, column); }

JsonResult parse_strict(std::string_view text) {
  if (text.size() >= kMaxJsonBytes) {
    return {std::nullopt, error_at("", 0,
                                   fmt::format("the text has {} bytes; it must stay under {}",
                                               text.size(), kMaxJsonBytes))};
  }
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (length == 0) return {std::nullopt, error_at(text, i, "the text is not valid UTF-8")};
    // NOTE: the library takes a NUL for the end of the text and would ignore what follows.
    if (text[i] == '\0') return {std::nullopt, error_at(text, i, "the text holds a NUL byte")};
    i += length;
  }
  std::size_t offset = 0;
  StrictBuilder builder(text, offset);
  const CountingIterator begin(text.data(), &offset);
  const CountingIterator end(text.data() + text.size(), &offset);
  if (!json::sax_parse(begin, end, &builder)) return {std::nullopt, std::move(builder.error)};
  return {std::move(builder.root), {}};
}

}  // namespace weft::config

// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace weft::cli {
namespace {

constexpr double kTerminalSeconds = 0.1, kFileSeconds = 10;

double now() {
  const auto t = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(t).count();
}

std::size_t terminal_width(int file) {
  winsize size{};
  if (ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace

ProgressLine::ProgressLine(std::FILE* out) : out_(out), terminal_(isatty(fileno(out)) == 1) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::update(const std::string& text) {
  const double at = now();
  if (last_ != 0 && at - last_ < (terminal_ ? kTerminalSeconds : kFileSeconds)) return;
  last_ = at;
  if (terminal_) {
    // One column less than there are: a full line would wrap and could not be rewritten.
    const std::string cut = text.substr(0, terminal_width(fileno(out_)) - 1);
    std::fprintf(out_, "\r\x1b[K%s", cut.c_str());
    shown_ = true;
  } else {
    std::fprintf(out_, "%s\n", text.c_str());
  }
  std::fflush(out_);
}

void ProgressLine::clear() {
  if (!shown_) return;
  std::fprintf(out_, "\r\x1b[K");
  std::fflush(out_);
  shown_ = false;
}

std::string time_left(double seconds, double fraction) {
  const double left = seconds * (1 - fraction) / fraction;
  if (left < 100) return fmt::format("about {:.0f} s left", std::max(1.0, left));
  return fmt::format("about {:.0f} min left", std::ceil(left / 60));
}

}  // namespace weft::cli

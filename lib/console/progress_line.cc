#include "console/progress_line.h"

#include <algorithm>

#include "dormouse/error.h"

namespace dormouse {
namespace {

using Piece = InlineText<48>;

double megabytes(std::uint64_t bytes) {
  return static_cast<double>(bytes) / 1e6;
}

double bytes_per_ns(const ProgressFigures& figures) {
  return figures.elapsed_ns == 0
             ? 0
             : static_cast<double>(figures.done_bytes) / static_cast<double>(figures.elapsed_ns);
}

/// "0:03 left", "1:02:03 left", or once complete "in 5.2 s". The average since the beginning is the rate: it
/// is calm, and the early writeout keeps the real one even.
Piece time_text(const ProgressFigures& figures) {
  Piece text;
  const double rate = bytes_per_ns(figures);
  if (figures.complete()) {
    text.format("in {:.1f} s", static_cast<double>(figures.elapsed_ns) / 1e9);
  } else if (rate <= 0) {
    text.format("-:-- left");
  } else {
    constexpr double kMost = 99 * 3600;
    const double left = static_cast<double>(figures.total_bytes - figures.done_bytes) / rate / 1e9;
    const auto seconds = static_cast<unsigned>(std::min(left + 0.5, kMost));
    if (seconds < 3600)
      text.format("{}:{:02} left", seconds / 60, seconds % 60);
    else
      text.format("{}:{:02}:{:02} left", seconds / 3600, seconds / 60 % 60, seconds % 60);
  }
  return text;
}

Piece size_text(const ProgressFigures& figures) {
  Piece total;
  total.format("{:.1f}", megabytes(figures.total_bytes));
  Piece text;
  text.format("{:>{}.1f}/{} MB", megabytes(figures.done_bytes), total.view().size(), total.view());
  return text;
}

Piece rate_text(const ProgressFigures& figures) {
  Piece text;
  text.format("{:>6.1f} MB/s", bytes_per_ns(figures) * 1e3);
  return text;
}

/// Puts pieces one behind the other, and cuts where the room ends.
class LineBuilder {
 public:
  LineBuilder(ProgressText& out, std::size_t room) : out_(out), room_(std::min(room, out.size())) {}
  void add(std::string_view text) {
    const auto fits = std::min(text.size(), room_ - size_);
    std::copy_n(text.begin(), fits, out_.begin() + size_);
    size_ += fits;
  }
  void fill(char c, std::size_t count) {
    for (; count > 0; --count) add({&c, 1});
  }
  [[nodiscard]] std::size_t left() const { return room_ - size_; }
  [[nodiscard]] std::string_view view() const { return {out_.data(), size_}; }

 private:
  ProgressText& out_;
  std::size_t room_;
  std::size_t size_ = 0;
};

void add_bar(LineBuilder& line, unsigned percent, std::size_t width) {
  const auto inside = width - 2;
  const auto full = inside * percent / 100;
  line.add("[");
  line.fill('=', full);
  if (full < inside) line.add(">");
  line.fill(' ', full < inside ? inside - full - 1 : 0);
  line.add("]");
}

}  // namespace

unsigned ProgressFigures::percent() const {
  if (complete()) return 100;
  const auto part = static_cast<double>(done_bytes) / static_cast<double>(total_bytes);
  return std::min(static_cast<unsigned>(part * 100), 99U);
}

std::string_view format_bar(ProgressText& out, const ProgressFigures& figures, unsigned columns) {
  constexpr std::size_t kShortestBar = 12;
  constexpr std::size_t kReturn = 1;  // '\r' takes no column
  LineBuilder line(out, kReturn + std::max(columns, 2U) - 1);
  Piece head;
  head.format("\r{} {:>3} %", figures.phase, figures.percent());
  line.add(head.view());

  const auto sizes = size_text(figures);
  const auto rate = rate_text(figures);
  const auto time = time_text(figures);
  const auto needs = [](const Piece& piece) { return 1 + piece.view().size(); };
  const auto room = line.left();
  const bool with_time = room >= needs(time);
  const bool with_bar = room >= 1 + kShortestBar + needs(time);
  const bool with_rate = room >= 1 + kShortestBar + needs(rate) + needs(time);
  const bool with_sizes = room >= 1 + kShortestBar + needs(sizes) + needs(rate) + needs(time);

  const auto behind =
      (with_sizes ? needs(sizes) : 0) + (with_rate ? needs(rate) : 0) + (with_time ? needs(time) : 0);
  const auto add = [&](bool wanted, const Piece& piece) {
    if (!wanted) return;
    line.add(" ");
    line.add(piece.view());
  };
  if (with_bar) {
    line.add(" ");
    add_bar(line, figures.percent(), room - behind - 1);
  }
  add(with_sizes, sizes);
  add(with_rate, rate);
  add(with_time, time);
  line.fill(' ', line.left());
  return line.view();
}

std::string_view format_plain(ProgressText& out, const ProgressFigures& figures) {
  const auto end = fmt::format_to_n(
      out.data(), out.size(), "{}: {} % ({:.1f} of {:.1f} MB), {:.1f} MB/s, {}\n", figures.phase,
      figures.percent(), megabytes(figures.done_bytes), megabytes(figures.total_bytes),
      bytes_per_ns(figures) * 1e3, time_text(figures).view());
  return {out.data(), std::min(end.size, out.size())};
}

}  // namespace dormouse

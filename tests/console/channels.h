/// Where output goes to in these tests, and time that passes when told to.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "base/unique_fd.h"
#include "console/clock.h"

namespace dormouse::test {

/// What can be read from `fd` without waiting.
inline std::string read_available(int fd) {
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const auto got = ::read(fd, buffer.data(), buffer.size());
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

class Pipe {
 public:
  Pipe() {
    std::array<int, 2> ends{-1, -1};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    reader_.reset(ends[0]);
    writer_.reset(ends[1]);
  }
  [[nodiscard]] int writer() const { return writer_.get(); }
  [[nodiscard]] int reader() const { return reader_.get(); }
  [[nodiscard]] std::string read() const { return read_available(reader_.get()); }
  void close_reader() { reader_.reset(); }
  void close_writer() { writer_.reset(); }
  /// Writes until nothing more fits.
  void fill() const {
    const auto flags = ::fcntl(writer(), F_GETFL);
    ::fcntl(writer(), F_SETFL, flags | O_NONBLOCK);
    while (::write(writer(), "f", 1) == 1) {
    }
    ::fcntl(writer(), F_SETFL, flags);
  }

 private:
  UniqueFd reader_;
  UniqueFd writer_;
};

/// A pseudo-terminal: `screen` is the side of the person, `tool` that of the program. Output passes
/// unchanged.
class PseudoTerminal {
 public:
  explicit PseudoTerminal(unsigned short columns = 80) {
    const winsize size{.ws_row = 25, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    int screen = -1;
    int tool = -1;
    EXPECT_EQ(::openpty(&screen, &tool, nullptr, nullptr, &size), 0);
    screen_.reset(screen);
    tool_.reset(tool);
    auto unchanged = settings();
    unchanged.c_oflag &= ~static_cast<tcflag_t>(OPOST);
    EXPECT_EQ(::tcsetattr(tool, TCSANOW, &unchanged), 0);
  }
  [[nodiscard]] int tool() const { return tool_.get(); }
  [[nodiscard]] int screen() const { return screen_.get(); }
  [[nodiscard]] std::string read() const { return read_available(screen()); }
  void type(std::string_view keys) const {
    EXPECT_EQ(::write(screen(), keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  [[nodiscard]] termios settings() const {
    termios now{};
    EXPECT_EQ(::tcgetattr(tool(), &now), 0);
    return now;
  }
  void hang_up() { screen_.reset(); }

 private:
  UniqueFd screen_;
  UniqueFd tool_;
};

/// Ends the whole test, with a failure, if something waits that must not.
class HangGuard {
 public:
  HangGuard() { ::alarm(20); }
  ~HangGuard() { ::alarm(0); }
};

class FakeClock final : public Clock {
 public:
  [[nodiscard]] std::uint64_t now_ns() override { return now_ns_; }
  void pause_ns(std::uint64_t ns) override {
    now_ns_ += ns;
    if (at_pause) at_pause();
  }
  void pass_ms(std::uint64_t ms) { now_ns_ += ms * 1'000'000; }

  std::function<void()> at_pause;  ///< what happens meanwhile

 private:
  std::uint64_t now_ns_ = 5'000'000'000;
};

}  // namespace dormouse::test

/// How the library tells how far it is, and asks whether to go on.
#pragma once

#include <cstdint>
#include <string_view>

namespace dormouse {

/// All calls come from one thread, the one that called into the library, many times a second. Implementations
/// must not allocate, not wait for another process, and return quickly.
class Progress {
 public:
  virtual ~Progress() = default;
  /// A phase begins: "write", "verify", "read". `total_bytes` of the image will pass.
  virtual void begin(std::string_view phase, std::uint64_t total_bytes) = 0;
  /// `done_bytes` have passed since begin().
  virtual void advance(std::uint64_t done_bytes) = 0;
  virtual void end() = 0;
  /// True once the user has asked to stop (key or signal); the library then fails with kStopped and goes
  /// back.
  [[nodiscard]] virtual bool stop_requested() = 0;
};

/// Says nothing and never stops.
class NoProgress final : public Progress {
 public:
  void begin(std::string_view, std::uint64_t) override {}
  void advance(std::uint64_t) override {}
  void end() override {}
  bool stop_requested() override { return false; }
};

}  // namespace dormouse

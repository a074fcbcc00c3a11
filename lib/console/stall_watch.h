/// Says so when nothing has moved for a while: a machine that seems dead is the worst of all messages.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>

#include "dormouse/error.h"

#include "base/prepared_thread.h"
#include "console/clock.h"
#include "console/message_output.h"

namespace dormouse {

/// A thread of its own looks once a second whether the step or the count of bytes has changed; after 10 s
/// without, and then ever more rarely, it prints a line with the step's name. It ends nothing: whoever hangs
/// in the kernel cannot be ended from outside.
///
/// A thread made before the freeze is frozen with the rest: start() it after, and stop() it before the thaw.
/// Its memory is allocated by prepare(); nothing else allocates. Threads: one owner; moved() any.
class StallWatch {
 public:
  static constexpr std::uint64_t kFirstNs = 10'000'000'000;

  /// `tool` is put before the line; all must live as long.
  StallWatch(std::string_view tool, MessageOutput& out, Clock& clock)
      : tool_(tool), out_(out), clock_(clock) {}
  ~StallWatch() { stop(); }
  StallWatch(const StallWatch&) = delete;
  StallWatch& operator=(const StallWatch&) = delete;

  /// kNoMemory.
  Result<void> prepare();
  /// A step begins; `name` is static text.
  void step(std::string_view name);
  /// So many bytes have passed in this step.
  void moved(std::uint64_t done_bytes);
  /// Requires: prepared. Does nothing if it runs. A thread that cannot be made only means that nobody
  /// watches.
  void start();
  void stop();

  /// What the thread does each second; for tests, which let time pass themselves.
  void look();

 private:
  static void run(void* self);

  std::string_view tool_;
  MessageOutput& out_;
  Clock& clock_;
  std::optional<PreparedThread> thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::string_view step_;  // all below: under mutex_
  std::uint64_t done_bytes_ = 0;
  std::uint64_t since_ns_ = 0;
  std::uint64_t next_ns_ = kFirstNs;  // how long it has to stand still for the next line
};

}  // namespace dormouse

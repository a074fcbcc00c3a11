/// Who would not freeze: the kernel says it in its log only.
#pragma once

#include <cstddef>
#include <string_view>

#include "dormouse/error.h"

#include "kernel/host.h"

namespace dormouse {

/// Takes in the records of /dev/kmsg one by one and keeps what the last failed freeze said. Allocates
/// nothing. Source: what kernels 6.1 and 6.12 print ("Freezing ... failed after 20.004 seconds (1 tasks
/// refusing to freeze ...", then "task:NAME state:D ... pid:N" for each).
class FreezeRefusal {
 public:
  static constexpr std::size_t kMaxNamed = 4;

  void take(std::string_view record);

  /// "task cp (pid 812)" or "tasks cp (pid 812), dd (pid 900)"; empty where the log names none.
  [[nodiscard]] std::string_view tasks() const { return tasks_.view(); }
  [[nodiscard]] std::size_t count() const { return count_; }
  /// A wake-up event came; nobody refused.
  [[nodiscard]] bool aborted() const { return aborted_; }

 private:
  void name_task(std::string_view message);

  InlineText<200> tasks_;
  std::size_t count_ = 0;
  bool aborted_ = false;
  bool listing_ = false;  // the list of tasks goes on
};

/// The kernel log from the moment on when this was made. What cannot be read leaves the answer empty: it only
/// makes a message better. Allocates nothing after it was made.
class KernelLogTail {
 public:
  explicit KernelLogTail(const Host& host);
  /// What came since.
  [[nodiscard]] FreezeRefusal refusal();

 private:
  void read_on(FreezeRefusal* refusal);

  SystemCalls& calls_;
  OpenFile file_;
};

}  // namespace dormouse

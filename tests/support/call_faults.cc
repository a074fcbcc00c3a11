#include "support/call_faults.h"

#include <algorithm>
#include <cerrno>

namespace dormouse::test {

void CallFaults::fail_call(std::uint64_t number, int errnum) {
  const std::lock_guard lock(mutex_);
  failing_call_ = number;
  call_errnum_ = errnum;
}

void CallFaults::fail_name(std::string_view name, int errnum, std::uint64_t times) {
  fail_name_after(name, 0, errnum, times);
}

void CallFaults::fail_name_after(std::string_view name, std::uint64_t spared, int errnum,
                                 std::uint64_t times) {
  const std::lock_guard lock(mutex_);
  spared_ = spared;
  failing_name_ = name;
  name_errnum_ = errnum;
  times_left_ = times;
}

Result<void> CallFaults::pass(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto number = calls_.size();
  calls_.push_back(name);
  int errnum = 0;
  if (number == failing_call_) {
    errnum = call_errnum_;
  } else if (times_left_ > 0 && name == failing_name_) {
    if (spared_ > 0) {
      --spared_;
    } else {
      --times_left_;
      errnum = name_errnum_;
    }
  }
  if (errnum == 0) return {};
  fired_ = true;
  return fail(snapshot_errc(errnum), name).os(errnum).because("injected");
}

std::uint64_t CallFaults::count(std::string_view name) const {
  return static_cast<std::uint64_t>(std::ranges::count(calls_, name));
}

Errc snapshot_errc(int errnum) {
  switch (errnum) {
    case ENOSPC:
      return Errc::kNoSpace;
    case ENOMEM:
      return Errc::kNoMemory;
    case EBUSY:
    case EAGAIN:
      return Errc::kBusy;
    case ENODEV:
    case ENOTTY:
    case ENOSYS:
      return Errc::kImpossible;
    default:
      return Errc::kIo;
  }
}

}  // namespace dormouse::test

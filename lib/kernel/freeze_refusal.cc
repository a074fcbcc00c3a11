#include "kernel/freeze_refusal.h"

#include <fcntl.h>

#include <array>
#include <cerrno>

#include "kernel/text_file.h"

namespace dormouse {
namespace {

/// One record, its dictionary included, is not longer (the kernel's CONSOLE_EXT_LOG_MAX).
constexpr std::size_t kMaxRecordBytes = 8192;
/// The log is a ring: a machine that never stops talking must not keep us here.
constexpr int kMaxRecords = 200'000;

/// The message of a record "priority,sequence,time,flags;message\n KEY=value\n".
std::string_view message_of(std::string_view record) {
  const auto start = record.find(';');
  if (start == std::string_view::npos) return {};
  record.remove_prefix(start + 1);
  return record.substr(0, record.find('\n'));
}

/// The word behind `key`, blanks before it skipped.
std::string_view word_after(std::string_view message, std::string_view key) {
  const auto at = message.find(key);
  if (at == std::string_view::npos) return {};
  const auto rest = trimmed(message.substr(at + key.size()));
  return rest.substr(0, rest.find(' '));
}

}  // namespace

void FreezeRefusal::take(std::string_view record) {
  const auto message = message_of(record);
  if (message.starts_with("Freezing ")) {
    // Only the last freeze counts; what it says first is that it begins.
    *this = FreezeRefusal{};
    aborted_ = message.find("aborted after") != std::string_view::npos;
    listing_ = message.find("failed after") != std::string_view::npos;
    return;
  }
  if (listing_ && message.starts_with("task:")) name_task(message);
}

void FreezeRefusal::name_task(std::string_view message) {
  // A name may hold blanks; it ends where the state begins.
  const auto name = trimmed(message.substr(5, message.find(" state:") - 5));
  const auto pid = word_after(message, " pid:");
  if (name.empty() || pid.empty()) return;
  const InlineText<200> before = tasks_;
  if (++count_ == 1) {
    tasks_.format("task {} (pid {})", name, pid);
  } else if (count_ == 2) {
    tasks_.format("tasks {}, {} (pid {})", before.view().substr(5), name, pid);
  } else if (count_ <= kMaxNamed) {
    tasks_.format("{}, {} (pid {})", before.view(), name, pid);
  } else if (count_ == kMaxNamed + 1) {
    tasks_.format("{} and others", before.view());
  }
}

KernelLogTail::KernelLogTail(const Host& host) : calls_(host.calls) {
  const auto path = host.paths.dev + "/kmsg";
  const int fd = calls_.open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
  if (fd < 0) return;
  file_ = OpenFile(calls_, fd);
  read_on(nullptr);
}

FreezeRefusal KernelLogTail::refusal() {
  FreezeRefusal refusal;
  if (file_.valid()) read_on(&refusal);
  return refusal;
}

void KernelLogTail::read_on(FreezeRefusal* refusal) {
  std::array<char, kMaxRecordBytes> record;
  const iovec piece{.iov_base = record.data(), .iov_len = record.size()};
  for (int i = 0; i < kMaxRecords; ++i) {
    const auto got = calls_.readv(file_.fd(), &piece, 1);
    // EPIPE: older records were overwritten meanwhile; the next read goes on behind the gap.
    if (got == -EINTR || got == -EPIPE) continue;
    if (got <= 0) break;
    if (refusal != nullptr) refusal->take({record.data(), static_cast<std::size_t>(got)});
  }
}

}  // namespace dormouse

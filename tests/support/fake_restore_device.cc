#include "support/fake_restore_device.h"

#include <cerrno>
#include <cstring>

namespace dormouse::test {
namespace {

Failure refuse(std::string_view operation, int errnum) {
  return fail(snapshot_errc(errnum), operation).os(errnum).on("fake restore device");
}

std::uint64_t field(std::span<const std::byte> page, std::size_t offset) {
  std::uint64_t value = 0;
  std::memcpy(&value, page.data() + offset, sizeof value);
  return value;
}

}  // namespace

bool FakeRestoreDevice::announces_itself() const {
  if (loaded_.size() < page_bytes_) return false;
  const auto pages = field(loaded_, 424);
  return pages > 0 && field(loaded_, 432) == pages * page_bytes_;
}

bool FakeRestoreDevice::complete() const {
  if (announces_itself()) return loaded_.size() == field(loaded_, 432);
  return finished_;
}

Result<void> FakeRestoreDevice::write(std::span<const std::byte> pages) {
  if (auto r = faults_.pass("write"); !r) {
    broken_ = true;
    return r;
  }
  if (broken_) return refuse("write", EPERM);
  if (pages.size() % page_bytes_ != 0) return fail(Errc::kUsage, "write").because("a torn page");
  if (!pages.empty() && (finished_ || complete()))
    return fail(Errc::kCorrupt, "write").because("the image is complete");
  loaded_.insert(loaded_.end(), pages.begin(), pages.end());
  return {};
}

Result<void> FakeRestoreDevice::finish() {
  if (auto r = faults_.pass("finish"); !r) {
    broken_ = true;
    return r;
  }
  if (broken_) return refuse("finish", EPERM);
  if (announces_itself() && !complete()) {
    broken_ = true;
    return fail(Errc::kCorrupt, "finish").because("the kernel expects more pages");
  }
  finished_ = true;
  return {};
}

Result<void> FakeRestoreDevice::set_platform_support(bool on) {
  if (auto r = faults_.pass("SNAPSHOT_PLATFORM_SUPPORT"); !r) return r;
  platform_ = on;
  return {};
}

Result<void> FakeRestoreDevice::freeze() {
  if (auto r = faults_.pass("SNAPSHOT_FREEZE"); !r) return r;
  frozen_ = true;
  return {};
}

Result<void> FakeRestoreDevice::unfreeze() {
  if (auto r = faults_.pass("SNAPSHOT_UNFREEZE"); !r) return r;
  if (!loaded_.empty()) leaks_ = true;  // the kernel has just forgotten which pages it had loaded
  frozen_ = false;
  return {};
}

Result<void> FakeRestoreDevice::free_image() {
  if (auto r = faults_.pass("SNAPSHOT_FREE"); !r) return r;
  loaded_.clear();
  finished_ = false;
  broken_ = false;
  return {};
}

Result<void> FakeRestoreDevice::atomic_restore() {
  constexpr std::string_view kName = "SNAPSHOT_ATOMIC_RESTORE";
  if (auto r = faults_.pass(kName); !r) return r;
  if (!frozen_ || broken_ || !finished_ || !complete()) return refuse(kName, EPERM);
  restored_ = true;
  if (at_jump) at_jump();
  return fail(Errc::kIo, kName).because("the fake machine has jumped; a real one would not have returned");
}

void FakeRestoreDevice::closed() {
  loaded_.clear();
  finished_ = false;
  broken_ = false;
  frozen_ = false;
}

}  // namespace dormouse::test

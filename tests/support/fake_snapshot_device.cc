#include "support/fake_snapshot_device.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <random>

namespace dormouse::test {
namespace {

constexpr std::uint64_t kLongestRun = 8;

Failure refuse(std::string_view operation, int errnum) {
  return fail(snapshot_errc(errnum), operation).os(errnum).on("fake snapshot device");
}

/// Cuts `slots` into runs and shuffles the runs.
void fragment(std::vector<std::uint64_t>& slots, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<std::uint64_t>> runs;
  for (std::size_t at = 0; at < slots.size();) {
    const auto length = std::min<std::size_t>(1 + random() % kLongestRun, slots.size() - at);
    const auto first = slots.begin() + static_cast<std::ptrdiff_t>(at);
    runs.emplace_back(first, first + static_cast<std::ptrdiff_t>(length));
    at += length;
  }
  std::ranges::shuffle(runs, random);
  slots.clear();
  for (const auto& run : runs) slots.insert(slots.end(), run.begin(), run.end());
}

}  // namespace

FakeSnapshotDevice::FakeSnapshotDevice(FakeMachine machine) : machine_(machine) {
  lay_out_slots();
}

void FakeSnapshotDevice::lay_out_slots() {
  const auto usable = machine_.swap_pages > 0 ? machine_.swap_pages - 1 : 0;
  const auto used = std::min(machine_.used_slots, usable);
  for (std::uint64_t i = 0; i < usable; ++i) {
    // Evenly spread: slot i is taken where the share of taken slots passes the next whole number.
    const bool taken = (i + 1) * used / usable != i * used / usable;
    if (!taken) slots_.push_back(machine_.header_page + 1 + i);
  }
  if (machine_.fragmentation_seed != 0) fragment(slots_, machine_.fragmentation_seed);
}

Result<std::size_t> FakeSnapshotDevice::read(std::span<std::byte> out) {
  if (auto r = faults_.pass("read"); !r) return std::unexpected(r.error());
  if (!image_held_) return refuse("read", ENODATA);
  const auto total = image_is_real_ ? machine_.image_pages : 0;
  const auto pages = std::min<std::uint64_t>(out.size() / machine_.page_bytes, total - pages_read_);
  for (std::uint64_t i = 0; i < pages; ++i) {
    fill_page(machine_, pages_read_ + i, out.subspan(i * machine_.page_bytes, machine_.page_bytes));
  }
  pages_read_ += pages;
  return static_cast<std::size_t>(pages * machine_.page_bytes);
}

Result<void> FakeSnapshotDevice::set_swap_area(std::uint64_t device, std::uint64_t header_page) {
  constexpr std::string_view kName = "SNAPSHOT_SET_SWAP_AREA";
  if (auto r = faults_.pass(kName); !r) return r;
  if (allocated_ > 0) return refuse(kName, EPERM);
  if (device == 0) return refuse(kName, EINVAL);
  if (device != machine_.swap_device || header_page != machine_.header_page) return refuse(kName, ENODEV);
  area_chosen_ = true;
  return {};
}

Result<std::uint64_t> FakeSnapshotDevice::available_swap_bytes() {
  if (auto r = faults_.pass("SNAPSHOT_AVAIL_SWAP_SIZE"); !r) return std::unexpected(r.error());
  return area_chosen_ ? (slots_.size() - allocated_) * machine_.page_bytes : 0;
}

Result<DeviceOffset> FakeSnapshotDevice::allocate_swap_page() {
  constexpr std::string_view kName = "SNAPSHOT_ALLOC_SWAP_PAGE";
  if (auto r = faults_.pass(kName); !r) return std::unexpected(r.error());
  if (!area_chosen_) return refuse(kName, ENODEV);
  if (allocated_ == slots_.size()) return refuse(kName, ENOSPC);
  const std::uint64_t slot = slots_[allocated_++];
  most_allocated_ = std::max(most_allocated_, allocated_);
  return page_offset(slot, machine_.page_bytes);
}

Result<void> FakeSnapshotDevice::free_swap_pages() {
  constexpr std::string_view kName = "SNAPSHOT_FREE_SWAP_PAGES";
  if (auto r = faults_.pass(kName); !r) return r;
  if (!area_chosen_) return refuse(kName, ENODEV);
  allocated_ = 0;
  return {};
}

Result<void> FakeSnapshotDevice::set_preferred_image_bytes(std::uint64_t bytes) {
  if (auto r = faults_.pass("SNAPSHOT_PREF_IMAGE_SIZE"); !r) return r;
  preferred_image_bytes_ = bytes;
  return {};
}

Result<void> FakeSnapshotDevice::set_platform_support(bool on) {
  if (auto r = faults_.pass("SNAPSHOT_PLATFORM_SUPPORT"); !r) return r;
  platform_ = on;
  return {};
}

Result<void> FakeSnapshotDevice::freeze() {
  if (auto r = faults_.pass("SNAPSHOT_FREEZE"); !r) return r;
  frozen_ = true;
  return {};
}

Result<void> FakeSnapshotDevice::unfreeze() {
  if (auto r = faults_.pass("SNAPSHOT_UNFREEZE"); !r) return r;
  // As the kernel: success, and everything stays frozen.
  if (!image_held_) frozen_ = false;
  return {};
}

Result<SnapshotState> FakeSnapshotDevice::create_image() {
  constexpr std::string_view kName = "SNAPSHOT_CREATE_IMAGE";
  if (auto r = faults_.pass(kName); !r) return std::unexpected(r.error());
  if (!frozen_ || image_held_) return refuse(kName, EPERM);
  image_held_ = true;
  pages_read_ = 0;
  image_is_real_ = !machine_.comes_back_resumed && !machine_.stale_create;
  return machine_.comes_back_resumed ? SnapshotState::kResumed : SnapshotState::kCreated;
}

Result<std::uint64_t> FakeSnapshotDevice::image_bytes() {
  constexpr std::string_view kName = "SNAPSHOT_GET_IMAGE_SIZE";
  if (auto r = faults_.pass(kName); !r) return std::unexpected(r.error());
  if (!image_held_) return refuse(kName, ENODATA);
  // What the real device makes of the kernel's answer, one page, is this error.
  if (!image_is_real_) return fail(Errc::kIo, kName).because("{} bytes are no image", machine_.page_bytes);
  known_pages_ = machine_.image_pages;
  return machine_.image_pages * machine_.page_bytes;
}

Result<void> FakeSnapshotDevice::free_image() {
  if (auto r = faults_.pass("SNAPSHOT_FREE"); !r) return r;
  image_held_ = false;
  image_is_real_ = false;
  pages_read_ = 0;
  known_pages_ = 0;
  return {};
}

Result<void> FakeSnapshotDevice::power_off() {
  constexpr std::string_view kName = "SNAPSHOT_POWER_OFF";
  if (auto r = faults_.pass(kName); !r) return r;
  if (!platform_) return fail(Errc::kIo, kName).because("it returned without powering off");
  if (!machine_.has_platform) return refuse(kName, ENOSYS);
  powered_off_ = true;
  return fail(Errc::kIo, kName).because("the fake machine is off now; a real one would not have returned");
}

Result<void> FakeSnapshotDevice::suspend_to_ram() {
  constexpr std::string_view kName = "SNAPSHOT_S2RAM";
  if (auto r = faults_.pass(kName); !r) return r;
  if (!frozen_) return refuse(kName, EPERM);
  image_held_ = false;  // no longer "ready", though its memory stays until free_image()
  return {};
}

void FakeSnapshotDevice::closed() {
  allocated_ = 0;
  frozen_ = false;
  image_held_ = false;
  image_is_real_ = false;
  area_chosen_ = false;
}

void FakeSnapshotDevice::fill_page(const FakeMachine& machine, std::uint64_t index,
                                   std::span<std::byte> page) {
  std::ranges::fill(page, std::byte{0});
  if (index == 0) {
    // Image pages, pages, bytes; all metadata fits in one page for images of any size a test uses.
    const std::array<std::uint64_t, 3> counts{machine.image_pages - 2, machine.image_pages,
                                              machine.image_pages * machine.page_bytes};
    std::memcpy(page.data() + 416, counts.data(), sizeof counts);
    return;
  }
  std::mt19937_64 random(index);
  switch (index % 4) {
    case 0:
      break;
    case 1:
      for (std::size_t i = 0; i < page.size(); ++i)
        page[i] = static_cast<std::byte>("the quick brown dormouse "[i % 25]);
      std::memcpy(page.data(), &index, sizeof index);
      break;
    case 2:
      for (std::size_t i = 0; i + 8 <= page.size(); i += 8) {
        const std::uint64_t value = 0xffff888000000000U + index * 4096 + i;
        std::memcpy(page.data() + i, &value, sizeof value);
      }
      break;
    default:
      for (std::size_t i = 0; i + 8 <= page.size(); i += 8) {
        const std::uint64_t value = random();
        std::memcpy(page.data() + i, &value, sizeof value);
      }
  }
}

std::vector<std::byte> FakeSnapshotDevice::stream(const FakeMachine& machine) {
  std::vector<std::byte> all(machine.image_pages * machine.page_bytes);
  for (std::uint64_t i = 0; i < machine.image_pages; ++i) {
    fill_page(machine, i, std::span(all).subspan(i * machine.page_bytes, machine.page_bytes));
  }
  return all;
}

}  // namespace dormouse::test

/// A swap area on a block device: its header page, the mark, and the exact undoing of the mark.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "dormouse/block_device.h"
#include "dormouse/error.h"
#include "dormouse/swap_allocator.h"
#include "dormouse/units.h"

namespace dormouse {

/// Whose signature the header page carries.
enum class SwapSignature : std::uint8_t {
  kPlain,      ///< SWAPSPACE2: no image
  kUserMark,   ///< ULSUSPEND: ours or uswsusp's; the image header tells which
  kKernel,     ///< S1SUSPEND: the stock kernel's image
  kS2Suspend,  ///< S2SUSPEND: an old kernel's or TuxOnIce's
  kLinhib,     ///< LINHIB0001
  kTuxOnIce,   ///< TuxOnIce's binary magic at the start of the page
};

/// "plain swap", "a stock kernel's hibernation image (S1SUSPEND)" and so on, for messages.
[[nodiscard]] std::string_view describe(SwapSignature signature);

/// The bytes that a mark changes: the last 28 of the header page.
using MarkTailBytes = std::array<std::byte, 28>;

/// Holds the header page as it was when opened. `device` should use direct I/O: the page cache of a machine
/// that has just woken up may hold the header as it was before the mark. One thread. Only open() allocates.
class SwapArea {
 public:
  /// Reads and validates the header at `header_at`. kImpossible where there is no usable swap area, kIo where
  /// reading fails. `device` must live as long.
  static Result<SwapArea> open(BlockDevice& device, DeviceOffset header_at);
  SwapArea(SwapArea&&) noexcept;
  SwapArea& operator=(SwapArea&&) noexcept;
  ~SwapArea();

  [[nodiscard]] SwapSignature signature() const;
  [[nodiscard]] bool marked() const { return signature() != SwapSignature::kPlain; }
  [[nodiscard]] std::uint32_t page_bytes() const;
  [[nodiscard]] DeviceOffset header_at() const;
  /// Page index of the header on the block device: the resume offset.
  [[nodiscard]] std::uint64_t header_page() const { return to_bytes(header_at()) / page_bytes(); }
  /// Index of the last usable page, counted from the header page.
  [[nodiscard]] std::uint32_t last_page() const;
  [[nodiscard]] std::array<std::byte, 16> uuid() const;
  [[nodiscard]] MarkTailBytes tail() const;
  /// Where a kUserMark says the image header is; not checked yet.
  [[nodiscard]] DeviceOffset marked_image_header() const;
  /// The header page as read by open().
  [[nodiscard]] std::span<const std::byte> page() const;
  [[nodiscard]] BlockDevice& device() const;

  /// The commit point: makes the image at `image_header` findable, and returns once that is durable. Requires
  /// that the image itself has been flushed. kBusy if the header page is no longer what open() read; nothing
  /// is written then. After any other failure the mark may or may not be on the medium: call clear().
  Result<void> mark(DeviceOffset image_header);

  /// Takes a mark off: writes `original` over the last 28 bytes, and returns once that is durable.
  Result<void> clear(const MarkTailBytes& original);
  /// Undoes mark() of this object: the page as open() read it, byte for byte.
  Result<void> clear() { return clear(tail()); }

  /// After a failed mark() or clear(): whether the device took nothing, and the header page is what open()
  /// read. False also where it cannot be read, or where something was written that may still come through.
  [[nodiscard]] bool is_as_opened();
  /// Undoes clear(): the marked page as open() read it, byte for byte, durably. Requires that open() found it
  /// marked, and that nobody has used the area, or mounted what the image has open, since.
  Result<void> mark_again();
  /// clear() or restore_signature() was begun, and mark_again() has not undone it: the mark may be off.
  [[nodiscard]] bool mark_taken_off() const;

  /// For a mark whose image header is lost or not ours: only the signature goes back to what the mark kept of
  /// it. kImpossible where no usable original signature was kept.
  Result<void> restore_signature();

 private:
  struct State;
  explicit SwapArea(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Hands out the pages of an area that nobody uses and that lies in one piece on its device (a partition that
/// is not swapped on, or a regular file), from the first on, in as few runs as the bad pages allow.
std::unique_ptr<SwapAllocator> make_free_layout_allocator(const SwapArea& area);

}  // namespace dormouse

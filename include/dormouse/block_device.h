/// The storage seam: whatever holds a swap area.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "dormouse/error.h"
#include "dormouse/request_queue.h"
#include "dormouse/units.h"

namespace dormouse {

/// Storage written and read in whole blocks of kMinPageBytes.
///
/// Requires: offsets, lengths and the addresses of buffers are multiples of kMinPageBytes; ranges lie within
/// size_bytes(). A call that breaks this returns kUsage and touches nothing.
/// Errors: after the first failed write() or flush(), every later write() and flush() returns that same
/// error; an error of a writeout begun in the background is returned by the next flush(). Threads: read() and
/// write() may run concurrently on ranges that do not overlap; the rest is one at a time. Memory: no call
/// allocates, so all may be used after the snapshot is taken.
class BlockDevice {
 public:
  virtual ~BlockDevice() = default;

  /// Writes all of `data` or fails. Not durable before flush().
  virtual Result<void> write(DeviceOffset offset, std::span<const std::byte> data) = 0;

  /// Fills all of `out` or fails.
  virtual Result<void> read(DeviceOffset offset, std::span<std::byte> out) = 0;

  /// Asks that what was written to `ranges` begin to move towards the medium; waits for nothing, promises
  /// nothing. Buffered I/O: writeout of the ranges (sync_file_range(2)). Direct I/O: a flush of the device's
  /// cache, begun and left running; one that is asked for while another runs begins when that ends, at most
  /// one waits.
  virtual void start_writeout(std::span<const ByteRange> ranges) = 0;

  /// Returns once everything written before the call survives a power cut.
  virtual Result<void> flush() = 0;

  /// Lets write() and flush() be tried again after an error. Only for taking the mark off on the way back:
  /// what was lost before stays lost.
  virtual void forget_error() = 0;

  /// The device's own queue of requests, null where it has none: then threads that call read() and write()
  /// do.
  virtual RequestQueue* queue() { return nullptr; }

  /// Waits for what start_writeout() began and ends helper threads. Call it before user space is thawed,
  /// since threads made after the freeze must be gone then (kernel-facts: D.3). Writing may go on afterwards.
  virtual void quiesce() = 0;

  [[nodiscard]] virtual std::uint64_t size_bytes() const = 0;

  /// Path or other name for messages; lives as long as the device.
  [[nodiscard]] virtual std::string_view name() const = 0;
};

}  // namespace dormouse

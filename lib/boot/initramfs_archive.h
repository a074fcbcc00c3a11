/// An initramfs as a file: a row of cpio archives, of which the kernel unpacks one after the other.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "dormouse/error.h"

#include "boot/cpio_reader.h"
#include "kernel/host.h"

namespace dormouse {

/// What is unpacked at most of one file: more is no initramfs that a machine could boot with.
inline constexpr std::uint64_t kMaxInitramfsBytes = std::uint64_t{4} << 30;
inline constexpr std::uint64_t kMaxInitramfsEntries = 1'000'000;
inline constexpr std::size_t kMaxInitramfsText = std::size_t{1} << 20;

struct InitramfsVisitor {
  /// Should the contents of this regular file be read (at most kMaxInitramfsText)?
  std::function<bool(const CpioEntry&)> wants;
  /// Told of every entry in order; `text` is empty where it was not wanted. A later entry of a path replaces
  /// an earlier one.
  std::function<void(const CpioEntry&, std::string text)> takes;
};

/// Plain archives (early microcode) come first, one after the other; the first packed one is taken to be the
/// last. kIo where the file cannot be read, kCorrupt with the byte where it is damaged.
Result<void> walk_initramfs(const std::string& path, const InitramfsVisitor& visitor, const Host& host = {});

}  // namespace dormouse

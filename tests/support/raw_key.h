/// Raw key files that are read as any other.
#pragma once

#include <span>

#include "dormouse/sealing.h"

#include "support/temporary_directory.h"

namespace dormouse::test {

/// Requires: what a key file may hold, 32 bytes that are not all zero.
inline KeyFile make_raw_key(std::span<const std::byte> bytes) {
  const TemporaryDirectory directory;
  const std::string path =
      directory.write("raw.key", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return KeyFile::read(path).value();
}

}  // namespace dormouse::test

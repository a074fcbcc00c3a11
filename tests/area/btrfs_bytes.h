/// btrfs's records as bytes, written down apart from the code under test: the offsets are those of the
/// format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dormouse::test {

using Bytes = std::vector<std::byte>;

inline void append(Bytes& bytes, std::span<const std::byte> more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

/// Little-endian, `size` bytes of it.
inline void append_number(Bytes& bytes, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
}

/// An item in the answer of a search. Its header has the byte order of the machine; tests run on
/// little-endian ones.
inline Bytes answer_item(std::uint64_t object, std::uint32_t type, std::uint64_t offset, const Bytes& data) {
  Bytes bytes;
  append_number(bytes, 77, 8);  // transaction
  append_number(bytes, object, 8);
  append_number(bytes, offset, 8);
  append_number(bytes, type, 4);
  append_number(bytes, data.size(), 4);
  append(bytes, data);
  return bytes;
}

struct ChunkFields {
  std::uint64_t bytes = 1 << 20;
  std::uint64_t type = 1;  // data, single
  std::uint16_t stripes = 1;
  std::uint64_t device = 1;
  std::uint64_t physical = 4096;
};

inline Bytes chunk_bytes(const ChunkFields& fields) {
  Bytes bytes;
  append_number(bytes, fields.bytes, 8);
  append_number(bytes, 2, 8);      // owner
  append_number(bytes, 65536, 8);  // stripe length
  append_number(bytes, fields.type, 8);
  append_number(bytes, 65536, 4);
  append_number(bytes, 65536, 4);
  append_number(bytes, 4096, 4);
  append_number(bytes, fields.stripes, 2);
  append_number(bytes, 0, 2);
  append_number(bytes, fields.device, 8);
  append_number(bytes, fields.physical, 8);
  bytes.resize(bytes.size() + 16);  // UUID of the device
  return bytes;
}

struct FileExtentFields {
  std::uint8_t compression = 0;
  std::uint8_t encryption = 0;
  std::uint16_t other_encoding = 0;
  std::uint8_t type = 1;
  std::uint64_t disk = 1 << 30;
  std::uint64_t inner = 0;
  std::uint64_t bytes = 4096;
};

inline Bytes file_extent_bytes(const FileExtentFields& fields) {
  Bytes bytes;
  append_number(bytes, 77, 8);  // generation
  append_number(bytes, fields.bytes, 8);
  append_number(bytes, fields.compression, 1);
  append_number(bytes, fields.encryption, 1);
  append_number(bytes, fields.other_encoding, 2);
  append_number(bytes, fields.type, 1);
  append_number(bytes, fields.disk, 8);
  append_number(bytes, fields.inner + fields.bytes, 8);
  append_number(bytes, fields.inner, 8);
  append_number(bytes, fields.bytes, 8);
  return bytes;
}

}  // namespace dormouse::test

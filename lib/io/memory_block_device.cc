#include "io/memory_block_device.h"

#include <sys/mman.h>

#include <cstring>
#include <new>
#include <utility>

#include "io/block_range.h"

namespace dormouse {
namespace {

std::byte* map_sparse(std::uint64_t bytes) {
  void* memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

}  // namespace

MemoryBlockDevice::MemoryBlockDevice(std::uint64_t size_bytes, std::string name)
    : size_bytes_(size_bytes), name_(std::move(name)), data_(map_sparse(size_bytes)) {
  try {
    written_ = map_sparse(divide_up(size_bytes, kMinPageBytes));
  } catch (...) {
    ::munmap(data_, size_bytes_);
    throw;
  }
}

MemoryBlockDevice::MemoryBlockDevice(MemoryBlockDevice&& other) noexcept
    : size_bytes_(other.size_bytes_),
      name_(std::move(other.name_)),
      data_(std::exchange(other.data_, nullptr)),
      written_(std::exchange(other.written_, nullptr)) {}

MemoryBlockDevice::~MemoryBlockDevice() {
  if (data_ != nullptr) ::munmap(data_, size_bytes_);
  if (written_ != nullptr) ::munmap(written_, divide_up(size_bytes_, kMinPageBytes));
}

MemoryBlockDevice MemoryBlockDevice::clone() const {
  MemoryBlockDevice copy(size_bytes_, name_);
  for (std::uint64_t block = 0; block < size_bytes_ / kMinPageBytes; ++block) {
    if (written_[block] == std::byte{0}) continue;
    copy.written_[block] = std::byte{1};
    std::memcpy(copy.data_ + block * kMinPageBytes, data_ + block * kMinPageBytes, kMinPageBytes);
  }
  return copy;
}

Result<void> MemoryBlockDevice::write(DeviceOffset offset, std::span<const std::byte> data) {
  if (auto r = check_block_range(*this, "write", offset, data.data(), data.size()); !r) return r;
  if (data.empty()) return {};
  std::memcpy(data_ + to_bytes(offset), data.data(), data.size());
  std::memset(written_ + to_bytes(offset) / kMinPageBytes, 1, data.size() / kMinPageBytes);
  return {};
}

Result<void> MemoryBlockDevice::read(DeviceOffset offset, std::span<std::byte> out) {
  if (auto r = check_block_range(*this, "read", offset, out.data(), out.size()); !r) return r;
  // Reading a block never written maps the kernel's one zero page: no memory is used up.
  if (!out.empty()) std::memcpy(out.data(), data_ + to_bytes(offset), out.size());
  return {};
}

std::span<std::byte> MemoryBlockDevice::mutable_bytes(std::uint64_t offset, std::uint64_t length) {
  for (auto block = offset / kMinPageBytes; block < divide_up(offset + length, kMinPageBytes); ++block) {
    written_[block] = std::byte{1};
  }
  return {data_ + offset, length};
}

std::uint64_t MemoryBlockDevice::written_blocks() const {
  std::uint64_t count = 0;
  for (std::uint64_t block = 0; block < size_bytes_ / kMinPageBytes; ++block) {
    if (written_[block] != std::byte{0}) ++count;
  }
  return count;
}

}  // namespace dormouse

#include "base/aligned_buffer.h"

#include <sys/mman.h>

#include <cerrno>

namespace dormouse {

Result<AlignedBuffer> AlignedBuffer::allocate(std::size_t bytes) {
  void* memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) {
    return fail(Errc::kNoMemory, "allocate buffers").os(errno).because("{} bytes were asked for", bytes);
  }
  return AlignedBuffer(static_cast<std::byte*>(memory), bytes);
}

AlignedBuffer& AlignedBuffer::operator=(AlignedBuffer&& other) noexcept {
  if (this != &other) {
    release();
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

void AlignedBuffer::release() {
  if (data_ != nullptr) ::munmap(data_, size_);
  data_ = nullptr;
  size_ = 0;
}

}  // namespace dormouse

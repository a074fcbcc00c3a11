#include "base/private_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/errno_meaning.h"

namespace dormouse {
namespace {

constexpr std::string_view kAllocate = "allocate memory for keys";

std::size_t whole_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

/// Zeros in the child rather than a hole: a child that makes keys of its own finds memory that can be used.
bool hide(void* memory, std::size_t bytes) {
  if (::madvise(memory, bytes, MADV_DONTDUMP) != 0) return false;
  return ::madvise(memory, bytes, MADV_WIPEONFORK) == 0 || ::madvise(memory, bytes, MADV_DONTFORK) == 0;
}

Failure refused(int errnum, std::size_t bytes) {
  // mlock(2) says EPERM or EAGAIN, too, where the limit does not allow it.
  return fail(Errc::kNoMemory, kAllocate)
      .os(errnum)
      .because("{} bytes of locked memory were asked for; root may lock all, others are bound by ulimit -l",
               bytes);
}

}  // namespace

Result<PrivatePages> map_private_pages(std::size_t bytes, PageLock lock) {
  if (bytes > (std::size_t{1} << 60)) return refused(ENOMEM, bytes);
  const std::size_t mapped = whole_pages(bytes);
  void* memory = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return refused(errno, mapped);
  int errnum = 0;
  if (!hide(memory, mapped)) errnum = errno;
  if (errnum == 0 && ::mlock(memory, mapped) != 0) {
    if (lock == PageLock::kRequired) errnum = errno;
  }
  if (errnum != 0) {
    ::munmap(memory, mapped);
    return refused(errnum, mapped);
  }
  return PrivatePages{.data = static_cast<std::byte*>(memory), .bytes = mapped};
}

void keep_private_if_allowed(std::span<std::byte> memory) {
  (void)::madvise(memory.data(), memory.size(), MADV_DONTDUMP);
  (void)::mlock(memory.data(), memory.size());
}

void unmap_private_pages(const PrivatePages& pages) {
  if (pages.data == nullptr) return;
  ::explicit_bzero(pages.data, pages.bytes);
  ::munmap(pages.data, pages.bytes);
}

}  // namespace dormouse

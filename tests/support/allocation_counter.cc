#include "support/allocation_counter.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DORMOUSE_SANITIZER_ALLOCATES
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DORMOUSE_SANITIZER_ALLOCATES
#endif

namespace {

// Plain thread-local integers: reading them must not allocate.
thread_local bool counting = false;
thread_local std::uint64_t allocations = 0;

void note() {
  if (counting) ++allocations;
}

}  // namespace

namespace dormouse::test {

AllocationCounter::AllocationCounter() {
  allocations = 0;
  counting = true;
}

AllocationCounter::~AllocationCounter() {
  counting = false;
}

std::uint64_t AllocationCounter::count() const {
  return allocations;
}

}  // namespace dormouse::test

#ifdef DORMOUSE_SANITIZER_ALLOCATES

// Declared here: GCC's package on Debian 12 ships the function but not the header.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, std::size_t),
                                                         void (*on_free)(const volatile void*));

namespace {

void on_allocate(const volatile void*, std::size_t) {
  note();
}
void on_free(const volatile void*) {}

[[maybe_unused]] const int hooks = __sanitizer_install_malloc_and_free_hooks(on_allocate, on_free);

}  // namespace

#else

// operator new reaches malloc, so that one place sees all. glibc's own names do the work.
extern "C" {

void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* old, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);

void* malloc(std::size_t bytes) {
  note();
  return __libc_malloc(bytes);
}

void* calloc(std::size_t count, std::size_t bytes) {
  note();
  return __libc_calloc(count, bytes);
}

void* realloc(void* old, std::size_t bytes) {
  note();
  return __libc_realloc(old, bytes);
}

void* memalign(std::size_t alignment, std::size_t bytes) {
  note();
  return __libc_memalign(alignment, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  note();
  return __libc_memalign(alignment, bytes);
}

int posix_memalign(void** out, std::size_t alignment, std::size_t bytes) {
  note();
  void* memory = __libc_memalign(alignment, bytes);
  if (memory == nullptr) return ENOMEM;
  *out = memory;
  return 0;
}

void* mmap(void* address, std::size_t length, int protection, int flags, int fd, off_t offset) {
  note();
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, length, protection, flags, fd, offset));
}

}  // extern "C"

#endif

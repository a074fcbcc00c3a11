/// Proves that code allocates nothing: counts every allocation of this thread, whoever asks for it.
#pragma once

#include <cstdint>

namespace dormouse::test {

/// Counts malloc, calloc, realloc, aligned allocations, operator new and mmap, by our code or by a library,
/// between construction and count(). One at a time per thread. Linked into a program, it takes the place of
/// the C library's allocation functions there; in builds with a sanitizer, whose own functions must stay, it
/// uses the sanitizer's hooks and does not see mmap. Example:
///     AllocationCounter allocations;
///     codec.pack(in, out);
///     EXPECT_EQ(allocations.count(), 0U);
class AllocationCounter {
 public:
  AllocationCounter();
  ~AllocationCounter();
  AllocationCounter(const AllocationCounter&) = delete;
  AllocationCounter& operator=(const AllocationCounter&) = delete;
  [[nodiscard]] std::uint64_t count() const;
};

}  // namespace dormouse::test

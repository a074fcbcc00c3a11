// Holds pages full of zeros where physical memory ends, so that a snapshot ends in them.
//
//   zero_tail MIB FILE
//
// It takes nearly all free memory, keeps the MIB with the highest page frames, gives the rest back, and notes
// in FILE which frames it has. SIGTERM ends it: status 0 if all it holds is still zero, 1 if not.

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kPagesPerMib = (1U << 20U) / kPageBytes;
constexpr std::size_t kPagesLeftFree = 24 * kPagesPerMib;

[[noreturn]] void die(const char* step) {
  std::perror(step);
  std::exit(EXIT_FAILURE);
}

struct HeldPage {
  std::uint64_t frame;
  std::byte* memory;
};

std::size_t free_pages() {
  struct sysinfo info{};
  if (::sysinfo(&info) != 0) die("sysinfo");
  return info.freeram * info.mem_unit / kPageBytes;
}

/// Maps `count` pages of zeros, each with memory of its own.
std::byte* map_zeros(std::size_t count) {
  void* mapped =
      ::mmap(nullptr, count * kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) die("mmap");
  ::madvise(mapped, count * kPageBytes, MADV_NOHUGEPAGE);
  auto* memory = static_cast<std::byte*>(mapped);
  for (std::size_t page = 0; page < count; ++page) memory[page * kPageBytes] = std::byte{0};
  return memory;
}

/// The page frames behind `count` pages at `memory`, as root may read them from pagemap.
std::vector<HeldPage> look_up_frames(std::byte* memory, std::size_t count) {
  constexpr std::uint64_t kPresent = std::uint64_t{1} << 63U;
  constexpr std::uint64_t kFrameMask = (std::uint64_t{1} << 55U) - 1;
  const int pagemap = ::open("/proc/self/pagemap", O_RDONLY);
  if (pagemap < 0) die("pagemap");
  std::vector<std::uint64_t> entries(count);
  const auto bytes = count * sizeof(std::uint64_t);
  const auto from = reinterpret_cast<std::uintptr_t>(memory) / kPageBytes * sizeof(std::uint64_t);
  if (::pread(pagemap, entries.data(), bytes, static_cast<off_t>(from)) != static_cast<ssize_t>(bytes))
    die("pagemap");
  ::close(pagemap);
  std::vector<HeldPage> pages;
  for (std::size_t page = 0; page < count; ++page) {
    if ((entries[page] & kPresent) != 0)
      pages.push_back({entries[page] & kFrameMask, memory + page * kPageBytes});
  }
  return pages;
}

bool all_zero(std::span<const HeldPage> pages) {
  return std::ranges::all_of(pages, [](const HeldPage& page) {
    return std::all_of(page.memory, page.memory + kPageBytes, [](std::byte b) { return b == std::byte{0}; });
  });
}

void note(const char* path, std::span<const HeldPage> kept) {
  std::FILE* out = std::fopen(path, "w");
  if (out == nullptr) die(path);
  std::fprintf(out, "%zu pages, frames %llu to %llu\n", kept.size(),
               static_cast<unsigned long long>(kept.back().frame),
               static_cast<unsigned long long>(kept.front().frame));
  if (std::fclose(out) != 0) die(path);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: zero_tail MIB FILE\n", stderr);
    return 2;
  }
  sigset_t end;
  ::sigemptyset(&end);
  ::sigaddset(&end, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &end, nullptr);

  const std::size_t wanted = std::strtoul(argv[1], nullptr, 10) * kPagesPerMib;
  const std::size_t free = free_pages();
  if (wanted == 0 || free < wanted + kPagesLeftFree) {
    std::fputs("zero_tail: so much is not free\n", stderr);
    return 2;
  }
  const std::size_t taken = free - kPagesLeftFree;
  std::byte* memory = map_zeros(taken);
  std::vector<HeldPage> pages = look_up_frames(memory, taken);
  std::ranges::sort(pages, std::ranges::greater{}, &HeldPage::frame);
  pages.resize(std::min(pages.size(), wanted));
  std::vector<bool> kept(taken);
  for (const HeldPage& page : pages) kept[static_cast<std::size_t>(page.memory - memory) / kPageBytes] = true;
  for (std::size_t page = 0; page < taken; ++page) {
    if (!kept[page]) ::madvise(memory + page * kPageBytes, kPageBytes, MADV_DONTNEED);
  }
  note(argv[2], pages);

  int signal = 0;
  ::sigwait(&end, &signal);
  return all_zero(pages) ? 0 : 1;
}

// The guest's payload: a process with memory worth keeping, which can prove afterwards that it was kept.
//
//   payload --mib N --seed S --directory DIR [--shares ZEROS:TEXT:POINTERS:RANDOM]
//
// It fills N MiB with data drawn from the seed, pages of each kind in the given shares (see Shares), notes a
// checksum of every page and a nonce that exists nowhere but in its memory, and then answers commands, one a
// line, from the FIFO DIR/commands:
//
//   verify      sum every page again
//   pageout M   push the first M MiB out to swap
//   corrupt     flip one bit, so that the next verify must complain
//   quit        end
//
// Each answer goes to the FIFO DIR/answers as lines of key=value: who answers (pid, start, nonce, counter of
// answers), the clocks, and after verify what it found (pages, damaged, first_damaged, digest).

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kPageWords = kPageBytes / sizeof(std::uint64_t);
constexpr std::size_t kPagesPerMib = (1U << 20U) / kPageBytes;

using Page = std::span<std::uint64_t, kPageWords>;

[[noreturn]] void die(std::string_view step) {
  const int errnum = errno;
  std::fprintf(stderr, "payload: %.*s: %s\n", static_cast<int>(step.size()), step.data(),
               std::strerror(errnum));
  std::exit(EXIT_FAILURE);
}

[[noreturn]] void die_of_usage(std::string_view complaint) {
  std::fprintf(stderr,
               "payload: %.*s\nusage: payload --mib N --seed S --directory DIR [--shares "
               "ZEROS:TEXT:POINTERS:RANDOM]\n",
               static_cast<int>(complaint.size()), complaint.data());
  std::exit(2);
}

/// A small generator of our own: an odd-step counter, stirred by two multiplications.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t word = state_;
    word = (word ^ (word >> 32U)) * 0xD6E8FEB86659FD93U;
    word = (word ^ (word >> 32U)) * 0xD6E8FEB86659FD93U;
    return word ^ (word >> 32U);
  }

 private:
  std::uint64_t state_;
};

enum class PageKind : std::uint8_t { kZeros, kText, kPointers, kRandom };

/// How many pages are of which kind; only the proportions count. The default is what real memory is made of:
/// a desktop's snapshot has 8 % zero pages and packs to about a half.
struct Shares {
  unsigned zeros = 1;
  unsigned text = 4;
  unsigned pointers = 3;
  unsigned random = 2;
};

PageKind draw_kind(Generator& generator, const Shares& shares) {
  const unsigned total = shares.zeros + shares.text + shares.pointers + shares.random;
  auto drawn = static_cast<unsigned>(generator.next() % total);
  if (drawn < shares.zeros) return PageKind::kZeros;
  drawn -= shares.zeros;
  if (drawn < shares.text) return PageKind::kText;
  drawn -= shares.text;
  return drawn < shares.pointers ? PageKind::kPointers : PageKind::kRandom;
}

void fill_with_text(std::span<char, kPageBytes> text, Generator& generator) {
  constexpr std::string_view kWords[] = {"swap",  "the ", "page", "and ", "wake", "of a", "slow", "disk",
                                         "to \n", "byte", "hold", "in, ", "long", "rest", "dor",  "mouse"};
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t choice = generator.next();
    for (int i = 0; i < 16 && at < text.size(); ++i, choice >>= 4U) {
      const std::string_view word = kWords[choice & 15U].substr(0, text.size() - at);
      std::memcpy(text.data() + at, word.data(), word.size());
      at += word.size();
    }
  }
}

/// Fills one page; the same seed and number always give the same page.
void fill(Page page, std::uint64_t seed, std::size_t number, const Shares& shares) {
  Generator generator(seed + number * 0x100000001B3U);
  switch (draw_kind(generator, shares)) {
    case PageKind::kZeros:
      break;  // fresh pages are zero
    case PageKind::kText:
      fill_with_text(std::span<char, kPageBytes>(reinterpret_cast<char*>(page.data()), kPageBytes),
                     generator);
      break;
    case PageKind::kPointers:
      for (std::uint64_t& word : page) {
        const std::uint64_t drawn = generator.next();
        word = drawn % 3U == 0 ? drawn % 64U : 0x00007F0000000000U + (drawn & 0x0FFFFFF0U);
      }
      break;
    case PageKind::kRandom:
      for (std::uint64_t& word : page) word = generator.next();
      break;
  }
}

/// Any single changed word changes the sum: every step is a bijection of it.
std::uint64_t checksum(Page page, std::size_t number) {
  std::uint64_t sum = number + 1;
  for (const std::uint64_t word : page) {
    sum = (sum ^ word) * 0xD6E8FEB86659FD93U;
    sum ^= sum >> 29U;
  }
  return sum;
}

struct Findings {
  std::size_t damaged = 0;
  std::size_t first_damaged = 0;
  std::uint64_t digest = 0;  // over all pages, in order
};

/// The memory to be kept: filled once, then only looked at. Mapped for the life of the process.
class Hoard {
 public:
  Hoard(std::size_t pages, std::uint64_t seed, const Shares& shares) : sums_(pages) {
    void* mapped =
        mmap(nullptr, pages * kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) die("mmap");
    words_ = static_cast<std::uint64_t*>(mapped);
    madvise(mapped, pages * kPageBytes,
            MADV_NOHUGEPAGE);  // refused where there are no huge pages: just as well
    for (std::size_t number = 0; number < pages; ++number) {
      page(number)[0] = 0;  // a zero page too shall be a page of its own
      fill(page(number), seed, number, shares);
      sums_[number] = checksum(page(number), number);
    }
  }

  std::size_t pages() const { return sums_.size(); }

  Findings verify() const {
    Findings findings;
    for (std::size_t number = 0; number < pages(); ++number) {
      const std::uint64_t sum = checksum(page(number), number);
      findings.digest = (findings.digest ^ sum) * 0x9E3779B97F4A7C15U;
      if (sum == sums_[number]) continue;
      if (findings.damaged++ == 0) findings.first_damaged = number;
    }
    return findings;
  }

  void page_out(std::size_t count) {
    if (count > pages()) count = pages();
    if (madvise(words_, count * kPageBytes, MADV_PAGEOUT) != 0) die("madvise(MADV_PAGEOUT)");
  }

  void corrupt() { page(pages() / 2)[kPageWords / 2] ^= 1U << 20U; }

 private:
  Page page(std::size_t number) const { return Page(words_ + number * kPageWords, kPageWords); }

  std::uint64_t* words_ = nullptr;
  std::vector<std::uint64_t> sums_;
};

std::int64_t milliseconds(clockid_t clock) {
  timespec now{};
  if (clock_gettime(clock, &now) != 0) die("clock_gettime");
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

/// The kernel's own note of when this process began, in ticks since boot: field 22 of its stat file.
std::string start_ticks() {
  std::ifstream stat("/proc/self/stat");
  std::string field;
  for (int number = 1; number <= 22; ++number) stat >> field;  // our name, field 2, has no blank in it
  return stat ? field : "unknown";
}

std::uint64_t draw_nonce() {
  std::uint64_t nonce = 0;
  // It need not be secret, only different: a fresh guest would wait for seconds until its numbers are secure.
  if (getrandom(&nonce, sizeof nonce, GRND_INSECURE) != static_cast<ssize_t>(sizeof nonce)) die("getrandom");
  return nonce;
}

/// Answers one command; `findings` is null where nothing was looked at, as looking would bring pages back
/// from swap.
void answer(const std::string& path, std::uint64_t nonce, unsigned counter, const Hoard& hoard,
            const Findings* findings) {
  std::FILE* out = std::fopen(path.c_str(), "w");  // waits until somebody reads
  if (out == nullptr) die(path);
  std::fprintf(out, "pid=%d\nstart=%s\nnonce=%016" PRIx64 "\ncounter=%u\n", static_cast<int>(getpid()),
               start_ticks().c_str(), nonce, counter);
  std::fprintf(out, "monotonic_ms=%" PRId64 "\nboottime_ms=%" PRId64 "\n", milliseconds(CLOCK_MONOTONIC),
               milliseconds(CLOCK_BOOTTIME));
  if (findings != nullptr) {
    std::fprintf(out, "pages=%zu\ndamaged=%zu\nfirst_damaged=%zu\ndigest=%016" PRIx64 "\n", hoard.pages(),
                 findings->damaged, findings->first_damaged, findings->digest);
  }
  if (std::fclose(out) != 0) die(path);
}

std::uint64_t parse_number(std::string_view text, std::string_view what) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) die_of_usage(what);
  return number;
}

struct Options {
  std::size_t mib = 0;
  std::uint64_t seed = 0;
  std::string directory;
  Shares shares;
};

Shares parse_shares(std::string_view text) {
  constexpr std::string_view kComplaint = "--shares wants four numbers of at most 100, such as 1:4:3:2";
  Shares shares;
  unsigned total = 0;
  for (unsigned* const share : {&shares.zeros, &shares.text, &shares.pointers, &shares.random}) {
    const std::size_t length = std::min(text.find(':'), text.size());
    const std::uint64_t number = parse_number(text.substr(0, length), kComplaint);
    text.remove_prefix(std::min(length + 1, text.size()));
    if (number > 100) die_of_usage(kComplaint);
    *share = static_cast<unsigned>(number);
    total += *share;
  }
  if (total == 0 || !text.empty()) die_of_usage(kComplaint);
  return shares;
}

Options parse_options(std::span<char*> arguments) {
  Options options;
  for (std::size_t i = 1; i < arguments.size(); i += 2) {
    const std::string_view name = arguments[i];
    if (i + 1 == arguments.size()) die_of_usage("an option lacks its value");
    const std::string_view value = arguments[i + 1];
    if (name == "--mib") {
      options.mib = parse_number(value, "--mib wants a number");
    } else if (name == "--seed") {
      options.seed = parse_number(value, "--seed wants a number");
    } else if (name == "--directory") {
      options.directory = value;
    } else if (name == "--shares") {
      options.shares = parse_shares(value);
    } else {
      die_of_usage("unknown option");
    }
  }
  if (options.mib == 0 || options.directory.empty()) die_of_usage("--mib and --directory are needed");
  return options;
}

void serve(const Options& options, Hoard& hoard) {
  const std::string answers = options.directory + "/answers";
  const std::uint64_t nonce = draw_nonce();
  // Opened for both, so that it never ends: a reader that reopens a FIFO can lose what came in between.
  std::fstream commands(options.directory + "/commands", std::ios::in | std::ios::out);
  if (!commands) die("open the FIFO of commands");
  unsigned counter = 0;
  for (std::string line; std::getline(commands, line);) {
    if (line == "verify") {
      const Findings findings = hoard.verify();
      answer(answers, nonce, ++counter, hoard, &findings);
      continue;
    }
    if (line == "corrupt") {
      hoard.corrupt();
    } else if (line.starts_with("pageout ")) {
      hoard.page_out(parse_number(std::string_view(line).substr(8), "pageout wants a number") * kPagesPerMib);
    } else if (line != "quit") {
      die_of_usage("unknown command");
    }
    answer(answers, nonce, ++counter, hoard, nullptr);
    if (line == "quit") return;
  }
  die("read the FIFO of commands");
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse_options(std::span(argv, static_cast<std::size_t>(argc)));
  for (const char* name : {"/commands", "/answers"}) {
    if (mkfifo((options.directory + name).c_str(), 0600) != 0) die("mkfifo");
  }
  Hoard hoard(options.mib * kPagesPerMib, options.seed, options.shares);
  serve(options, hoard);
}

#include "check/memory_sample.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>

#include "check/processes.h"
#include "kernel/text_file.h"

namespace dormouse {
namespace {

/// A range of a process's own memory, in pages.
struct PageRun {
  std::uint64_t first = 0;
  std::uint64_t pages = 0;
};

constexpr int kTriesForAChunk = 32;

std::string_view next_word(std::string_view& line) {
  line = trimmed(line);
  const auto word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  return word;
}

std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "5581e000-5583f000 rw-p 00000000 00:00 0   [heap]". Neither files nor devices, whose memory may have
/// effects when it is read, nor what the kernel lends ([vvar], [vdso]).
std::optional<PageRun> own_memory(std::string_view line, std::uint32_t page_bytes) {
  const auto range = next_word(line);
  const auto rights = next_word(line);
  next_word(line);  // offset
  const auto device = next_word(line);
  const auto inode = next_word(line);
  const auto name = trimmed(line);
  if (rights.size() != 4 || rights[0] != 'r' || rights[3] != 'p') return std::nullopt;
  if (device != "00:00" || inode != "0") return std::nullopt;
  if (!name.empty() && name != "[heap]" && name != "[stack]" && !name.starts_with("[anon:"))
    return std::nullopt;
  const auto dash = range.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto start = hexadecimal(range.substr(0, dash));
  const auto end = hexadecimal(range.substr(dash + 1));
  if (!start || !end || *end <= *start) return std::nullopt;
  return PageRun{.first = *start / page_bytes, .pages = (*end - *start) / page_bytes};
}

std::vector<PageRun> own_memory_of(const std::string& directory, std::uint32_t page_bytes, const Host& host) {
  std::vector<PageRun> runs;
  const auto maps = read_text_file(directory + "/maps", host.calls);
  if (!maps) return runs;
  for (std::string_view rest = *maps; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (const auto run = own_memory(line, page_bytes); run && run->pages > 0) runs.push_back(*run);
  }
  return runs;
}

/// RssAnon of /proc/PID/status, in KiB; 0 for kernel threads, which have no such line.
std::uint64_t own_kibibytes(const std::string& directory, const Host& host) {
  constexpr std::string_view kKey = "RssAnon:";
  const auto text = read_text_file(directory + "/status", host.calls);
  const auto at = text ? text->find(kKey) : std::string::npos;
  if (at == std::string::npos) return 0;
  const auto number = trimmed(std::string_view(*text).substr(at + kKey.size()));
  std::uint64_t kibibytes = 0;
  std::from_chars(number.data(), number.data() + number.size(), kibibytes);
  return kibibytes;
}

OpenFile open_to_read(const std::string& path, const Host& host) {
  const int fd = host.calls.open(path.c_str(), O_RDONLY | O_CLOEXEC, 0);
  return fd >= 0 ? OpenFile(host.calls, fd) : OpenFile();
}

bool read_at(const OpenFile& file, std::uint64_t offset, std::span<std::byte> out, const Host& host) {
  if (offset > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max())) return false;
  return host.calls.pread(file.fd(), out.data(), out.size(), static_cast<off_t>(offset)) ==
         static_cast<ssize_t>(out.size());
}

/// One process, from which chunks are taken.
class ChunkTaker {
 public:
  ChunkTaker(const std::string& directory, const SampleOptions& options, const Host& host)
      : options_(options),
        host_(host),
        runs_(own_memory_of(directory, options.page_bytes, host)),
        memory_(open_to_read(directory + "/mem", host)),
        page_map_(open_to_read(directory + "/pagemap", host)) {
    for (const PageRun& run : runs_) pages_ += run.pages;
  }

  /// False where none was found that lies in memory.
  bool take(std::mt19937_64& random, std::span<std::byte> out) {
    if (pages_ == 0 || !memory_.valid() || !page_map_.valid()) return false;
    const std::size_t wanted = out.size() / options_.page_bytes;
    for (int tries = 0; tries < kTriesForAChunk; ++tries) {
      const auto first = place(random() % pages_, wanted);
      if (first && in_memory(*first, wanted) && read_at(memory_, *first * options_.page_bytes, out, host_))
        return true;
    }
    return false;
  }

 private:
  /// The page with this number among all of its own, where so many follow in one run.
  [[nodiscard]] std::optional<std::uint64_t> place(std::uint64_t number, std::size_t wanted) const {
    for (const PageRun& run : runs_) {
      if (number < run.pages) {
        if (run.pages < wanted) return std::nullopt;
        return run.first + std::min(number, run.pages - wanted);
      }
      number -= run.pages;
    }
    return std::nullopt;
  }

  /// Bit 63 of each entry: the page is in memory (Documentation/admin-guide/mm/pagemap.rst of the kernel).
  bool in_memory(std::uint64_t first, std::size_t pages) {
    constexpr std::uint64_t kPresent = std::uint64_t{1} << 63;
    entries_.resize(pages);
    return read_at(page_map_, first * sizeof(std::uint64_t), std::as_writable_bytes(std::span(entries_)),
                   host_) &&
           std::ranges::all_of(entries_, [](std::uint64_t entry) { return (entry & kPresent) != 0; });
  }

  const SampleOptions& options_;
  const Host& host_;
  std::vector<PageRun> runs_;
  std::uint64_t pages_ = 0;
  OpenFile memory_;
  OpenFile page_map_;
  std::vector<std::uint64_t> entries_;
};

/// Packs chunk by chunk and adds up.
class Packer {
 public:
  static std::optional<Packer> prepare(const std::vector<CodecSpec>& specs, std::size_t chunk_bytes) {
    Packer packer;
    packer.out_.resize(chunk_bytes);
    packer.packed_.resize(specs.size());
    for (const CodecSpec& spec : specs) {
      auto codec = make_codec(spec, chunk_bytes);
      if (!codec) return std::nullopt;
      packer.codecs_.push_back(std::move(*codec));
    }
    return packer;
  }

  void pack(std::span<const std::byte> chunk) {
    bytes_ += chunk.size();
    for (std::size_t i = 0; i < codecs_.size(); ++i)
      packed_[i] += codecs_[i]->pack(chunk, out_).value_or(chunk.size());
  }

  [[nodiscard]] PackedSample sample() const {
    PackedSample sample{.bytes = bytes_, .ratios = {}};
    for (const std::uint64_t packed : packed_)
      sample.ratios.push_back(bytes_ == 0 ? 1.0 : static_cast<double>(packed) / static_cast<double>(bytes_));
    return sample;
  }

 private:
  std::vector<std::unique_ptr<Codec>> codecs_;
  std::vector<std::uint64_t> packed_;
  std::vector<std::byte> out_;
  std::uint64_t bytes_ = 0;
};

struct Share {
  std::string directory;
  std::uint64_t kibibytes = 0;
};

std::vector<Share> shares_of(const Host& host) {
  std::vector<Share> shares;
  for (const Process& process : all_processes(host)) {
    if (process.pid == ::getpid()) continue;  // we are gone by then
    const auto directory = fmt::format("{}/{}", host.paths.proc, process.pid);
    if (const auto kibibytes = own_kibibytes(directory, host); kibibytes > 0)
      shares.push_back({.directory = directory, .kibibytes = kibibytes});
  }
  return shares;
}

}  // namespace

PackedSample pack_sample(const std::vector<CodecSpec>& codecs, const SampleOptions& options,
                         const Host& host) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::nanoseconds(options.most_ns);
  auto packer = Packer::prepare(codecs, options.chunk_bytes);
  if (!packer) return {.bytes = 0, .ratios = std::vector<double>(codecs.size(), 1.0)};
  const auto shares = shares_of(host);
  std::uint64_t all = 0;
  for (const Share& share : shares) all += share.kibibytes;
  std::mt19937_64 random(
      2006);  // NOLINT(cert-msc32-c, cert-msc51-cpp): the same machine gives the same answer
  std::vector<std::byte> chunk(options.chunk_bytes);
  double due = 0;
  for (const Share& share : shares) {
    due += static_cast<double>(options.most_chunks) * static_cast<double>(share.kibibytes) /
           static_cast<double>(all);
    if (due < 1) continue;
    ChunkTaker taker(share.directory, options, host);
    for (; due >= 1; due -= 1) {
      if (Clock::now() > deadline) return packer->sample();
      if (taker.take(random, chunk)) packer->pack(chunk);
    }
  }
  return packer->sample();
}

}  // namespace dormouse

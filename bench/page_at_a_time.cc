/// What user space did before dormouse, as a yardstick: one thread reads the snapshot page by page, packs
/// small blocks with LZO1X-1, and writes page by page through the page cache; and the way back.
///
///     page_at_a_time write EARLY_WRITEOUT_PERCENT SNAPSHOT AREA      0: one flush at the end
///     page_at_a_time read AREA SINK
///
/// Writing prints the bytes it stored. AREA: a file or block device with a swap area that nobody uses; its
/// header page stays as it is. SINK: where the pages go, one system call each, as the kernel takes them;
/// /dev/null for measuring. Written from what such programs do, as far as it costs time: a system call a page
/// in and out, blocks of 32 pages packed on the same thread that waits for the disk, everything copied into
/// the page cache, the pages of a share of the image pushed out by sync_file_range(2), and fsync(2) at the
/// end. There is no table of pages and no checksum, which makes it a little quicker than they are.
#include <fcntl.h>
#include <fmt/format.h>
#include <lzo/lzo1x.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dormouse/error.h"
#include "dormouse/units.h"

#include "arguments.h"
#include "base/unique_fd.h"

namespace dormouse::bench {
namespace {

constexpr std::size_t kPage = kMinPageBytes;
constexpr std::size_t kBlockPages = 32;
constexpr std::size_t kBlockBytes = kBlockPages * kPage;
/// What LZO may make of a block that does not shrink.
constexpr std::size_t kPackedRoom = kBlockBytes + kBlockBytes / 16 + 64 + 3;
constexpr std::array<char, 8> kMagic = {'p', 'a', 'g', 'e', '-', 'l', 'z', 'o'};

/// First page behind the swap header: what the blocks that follow add up to.
struct StreamHeader {
  std::array<char, 8> magic = kMagic;
  std::uint64_t image_pages = 0;
};
/// Before each block.
struct BlockHeader {
  std::uint32_t pages = 0;
  std::uint32_t packed_bytes = 0;
};

Result<UniqueFd> open_file(const std::string& path, int flags) {
  UniqueFd fd(::open(path.c_str(), flags | O_CLOEXEC));
  if (!fd.valid()) return fail(Errc::kIo, "open").os(errno).on(path);
  return fd;
}

/// The bytes of a file one page after the other, in system calls of one page.
class PageWriter {
 public:
  /// Pushes out what was written each time `early_bytes` more were; 0: never.
  PageWriter(UniqueFd fd, std::string path, std::uint64_t early_bytes)
      : fd_(std::move(fd)), path_(std::move(path)), early_bytes_(early_bytes) {}

  Result<void> put(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const std::size_t step = std::min(bytes.size(), kPage - used_);
      std::memcpy(page_.data() + used_, bytes.data(), step);
      used_ += step;
      bytes = bytes.subspan(step);
      if (used_ < kPage) continue;
      if (auto r = write_page(); !r) return r;
    }
    return {};
  }

  /// Fills up the last page and waits until all of them are on the medium; the bytes of all of them.
  Result<std::uint64_t> finish() {
    if (used_ > 0) {
      std::fill(page_.begin() + static_cast<std::ptrdiff_t>(used_), page_.end(), std::byte{0});
      if (auto r = write_page(); !r) return std::unexpected(r.error());
    }
    if (::fsync(fd_.get()) != 0) return fail(Errc::kIo, "fsync").os(errno).on(path_);
    return offset_ - kPage;
  }

 private:
  Result<void> write_page() {
    if (::pwrite(fd_.get(), page_.data(), kPage, static_cast<off_t>(offset_)) != static_cast<ssize_t>(kPage))
      return fail(Errc::kIo, "write page").os(errno).on(path_).at(offset_);
    offset_ += kPage;
    used_ = 0;
    if (early_bytes_ > 0 && offset_ - pushed_ >= early_bytes_) {
      ::sync_file_range(fd_.get(), static_cast<off_t>(pushed_), static_cast<off_t>(offset_ - pushed_),
                        SYNC_FILE_RANGE_WRITE);
      pushed_ = offset_;
    }
    return {};
  }

  UniqueFd fd_;
  std::string path_;
  std::uint64_t early_bytes_;
  std::array<std::byte, kPage> page_{};
  std::size_t used_ = 0;
  std::uint64_t offset_ = kPage;  // behind the swap header
  std::uint64_t pushed_ = kPage;
};

/// The same the other way.
class PageReader {
 public:
  PageReader(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  Result<void> get(std::span<std::byte> out) {
    while (!out.empty()) {
      if (used_ == kPage) {
        if (::pread(fd_.get(), page_.data(), kPage, static_cast<off_t>(offset_)) !=
            static_cast<ssize_t>(kPage))
          return fail(Errc::kIo, "read page").os(errno).on(path_).at(offset_);
        offset_ += kPage;
        used_ = 0;
      }
      const std::size_t step = std::min(out.size(), kPage - used_);
      std::memcpy(out.data(), page_.data() + used_, step);
      used_ += step;
      out = out.subspan(step);
    }
    return {};
  }

 private:
  UniqueFd fd_;
  std::string path_;
  std::array<std::byte, kPage> page_{};
  std::size_t used_ = kPage;
  std::uint64_t offset_ = kPage;
};

template <class Record>
std::span<const std::byte> bytes_of(const Record& record) {
  return std::as_bytes(std::span(&record, 1));
}

/// Fills `block` with up to kBlockPages pages of `snapshot`, one system call each.
Result<std::size_t> read_block(int snapshot, const std::string& path, std::span<std::byte> block) {
  std::size_t filled = 0;
  while (filled < block.size()) {
    const auto got = ::read(snapshot, block.data() + filled, kPage);
    if (got == 0) break;
    if (got != static_cast<ssize_t>(kPage)) return fail(Errc::kIo, "read snapshot page").os(errno).on(path);
    filled += kPage;
  }
  return filled;
}

Result<std::uint64_t> write_area(std::uint64_t percent, const std::string& snapshot_path,
                                 const std::string& area_path) {
  auto snapshot = open_file(snapshot_path, O_RDONLY);
  if (!snapshot) return std::unexpected(snapshot.error());
  struct stat status{};
  if (::fstat(snapshot->get(), &status) != 0) return fail(Errc::kIo, "open").os(errno).on(snapshot_path);
  const auto image_bytes = static_cast<std::uint64_t>(status.st_size);
  if (image_bytes == 0 || image_bytes % kPage != 0)
    return fail(Errc::kUsage, "open snapshot").on(snapshot_path).because("it is not made of whole pages");
  auto area = open_file(area_path, O_WRONLY);
  if (!area) return std::unexpected(area.error());
  PageWriter writer(std::move(*area), area_path, image_bytes * percent / 100);

  std::vector<std::byte> block(kBlockBytes);
  std::vector<std::byte> packed(kPackedRoom);
  std::vector<std::byte> work(LZO1X_1_MEM_COMPRESS);
  const StreamHeader header{.image_pages = image_bytes / kPage};
  if (auto r = writer.put(bytes_of(header)); !r) return std::unexpected(r.error());
  while (true) {
    const auto filled = read_block(snapshot->get(), snapshot_path, block);
    if (!filled) return std::unexpected(filled.error());
    if (*filled == 0) return writer.finish();
    lzo_uint size = packed.size();
    lzo1x_1_compress(reinterpret_cast<const unsigned char*>(block.data()), *filled,
                     reinterpret_cast<unsigned char*>(packed.data()), &size, work.data());
    const BlockHeader of_block{.pages = static_cast<std::uint32_t>(*filled / kPage),
                               .packed_bytes = static_cast<std::uint32_t>(size)};
    if (auto r = writer.put(bytes_of(of_block)); !r) return std::unexpected(r.error());
    if (auto r = writer.put(std::span(packed).first(size)); !r) return std::unexpected(r.error());
  }
}

Result<void> hand_over(int sink, const std::string& path, std::span<const std::byte> pages) {
  for (std::size_t at = 0; at < pages.size(); at += kPage) {
    if (::write(sink, pages.data() + at, kPage) != static_cast<ssize_t>(kPage))
      return fail(Errc::kIo, "hand over page").os(errno).on(path);
  }
  return {};
}

Result<void> read_area(const std::string& area_path, const std::string& sink_path) {
  auto area = open_file(area_path, O_RDONLY);
  if (!area) return std::unexpected(area.error());
  auto sink = open_file(sink_path, O_WRONLY);
  if (!sink) return std::unexpected(sink.error());
  PageReader reader(std::move(*area), area_path);
  const auto damaged = [&](std::string_view what) {
    return fail(Errc::kCorrupt, "read image").on(area_path).because("{}", what);
  };
  StreamHeader header;
  if (auto r = reader.get(std::as_writable_bytes(std::span(&header, 1))); !r) return r;
  if (header.magic != kMagic) return damaged("no image of page_at_a_time is in it");
  std::vector<std::byte> block(kBlockBytes);
  std::vector<std::byte> packed(kPackedRoom);
  for (std::uint64_t left = header.image_pages; left > 0;) {
    BlockHeader of_block;
    if (auto r = reader.get(std::as_writable_bytes(std::span(&of_block, 1))); !r) return r;
    if (of_block.pages == 0 || of_block.pages > std::min<std::uint64_t>(left, kBlockPages) ||
        of_block.packed_bytes > packed.size())
      return damaged("a block's header makes no sense");
    const auto from = std::span(packed).first(of_block.packed_bytes);
    if (auto r = reader.get(from); !r) return r;
    lzo_uint size = block.size();
    const int status = lzo1x_decompress_safe(reinterpret_cast<const unsigned char*>(from.data()), from.size(),
                                             reinterpret_cast<unsigned char*>(block.data()), &size, nullptr);
    if (status != LZO_E_OK || size != of_block.pages * kPage) return damaged("a block does not unpack");
    if (auto r = hand_over(sink->get(), sink_path, std::span(block).first(size)); !r) return r;
    left -= of_block.pages;
  }
  return {};
}

std::optional<Result<void>> run(std::span<char*> args) {
  const std::vector<std::string> words(args.begin() + 1, args.end());
  if (words.size() == 3 && words[0] == "read") return read_area(words[1], words[2]);
  std::uint64_t percent = 0;
  if (words.size() != 4 || words[0] != "write" || !take_number(percent, words[1]) || percent > 100)
    return std::nullopt;
  const auto stored = write_area(percent, words[2], words[3]);
  if (!stored) return std::unexpected(stored.error());
  fmt::print("{}\n", *stored);
  return Result<void>{};
}

}  // namespace
}  // namespace dormouse::bench

int main(int argc, char** argv) {
  if (lzo_init() != LZO_E_OK) {
    fmt::print(stderr, "page_at_a_time: the LZO library is not what it was compiled against\n");
    return 1;
  }
  const auto done = dormouse::bench::run({argv, static_cast<std::size_t>(argc)});
  if (!done) {
    fmt::print(stderr,
               "usage: page_at_a_time write EARLY_WRITEOUT_PERCENT SNAPSHOT AREA\n"
               "       page_at_a_time read AREA SINK\n");
    return 2;
  }
  if (*done) return 0;
  fmt::print(stderr, "page_at_a_time: {}\n", done->error().what());
  return dormouse::exit_code(done->error().code);
}

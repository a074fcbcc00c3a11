#include "boot/initramfs_archive.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace dormouse {
namespace {

constexpr std::string_view kStep = "read initramfs";

/// The file in the page cache: nothing is copied, however large it is.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::string& path, const Host& host) {
    const int fd = host.calls.open(path.c_str(), O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) return fail(Errc::kIo, kStep).on(path).os(-fd);
    const OpenFile file(host.calls, fd);
    struct stat info{};
    if (::fstat(fd, &info) != 0) return fail(Errc::kIo, kStep).on(path).os(errno);
    if (!S_ISREG(info.st_mode) || info.st_size <= 0) {
      return fail(Errc::kCorrupt, kStep).on(path).because("it is empty or no file");
    }
    const auto size = static_cast<std::size_t>(info.st_size);
    void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (start == MAP_FAILED) return fail(Errc::kIo, kStep).on(path).os(errno);
    return MappedFile({static_cast<const std::byte*>(start), size});
  }
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile() {
    // munmap() takes what mmap() gave.
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
};

/// The plain archives at the start: ends where something else begins.
std::size_t plain_bytes(std::span<const std::byte> bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (bytes[at] == std::byte{0}) {
      ++at;
      continue;
    }
    if (bytes.size() - at < kCpioHeaderBytes) break;
    const auto entry = cpio_entry_bytes(bytes.subspan(at));
    if (!entry) break;
    if (*entry > bytes.size() - at) return bytes.size();  // it ends within an entry: its reader will say so
    at += static_cast<std::size_t>(*entry);
  }
  return at;
}

Result<void> walk(ByteStream& stream, const std::string& path, const InitramfsVisitor& visitor,
                  std::uint64_t& entries) {
  CpioReader reader(stream, path);
  while (true) {
    auto entry = reader.next();
    if (!entry) return std::unexpected(entry.error());
    if (!*entry) return {};
    if (++entries > kMaxInitramfsEntries || reader.position() > kMaxInitramfsBytes) {
      return fail(Errc::kCorrupt, kStep)
          .on(path)
          .because(
              "it unpacks to more than {} bytes or {} entries, which no machine boots with: make it anew "
              "with "
              "update-initramfs -u",
              kMaxInitramfsBytes, kMaxInitramfsEntries);
    }
    std::string text;
    if ((*entry)->regular() && (*entry)->size > 0 && visitor.wants(**entry)) {
      auto contents = reader.contents(kMaxInitramfsText);
      if (!contents) return std::unexpected(contents.error());
      text = std::move(*contents);
    }
    visitor.takes(**entry, std::move(text));
  }
}

}  // namespace

Result<void> walk_initramfs(const std::string& path, const InitramfsVisitor& visitor, const Host& host) {
  const auto file = MappedFile::open(path, host);
  if (!file) return std::unexpected(file.error());
  std::uint64_t entries = 0;
  const std::size_t plain = plain_bytes(file->bytes());
  if (plain > 0) {
    const auto stream = make_plain_stream(file->bytes().first(plain));
    if (auto r = walk(*stream, path, visitor, entries); !r) return r;
  }
  if (plain == file->bytes().size()) return {};
  const auto stream = make_unpacking_stream(file->bytes().subspan(plain), path, plain);
  if (!stream) return std::unexpected(stream.error());
  return walk(**stream, path, visitor, entries);
}

}  // namespace dormouse

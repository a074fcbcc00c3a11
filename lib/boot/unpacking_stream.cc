/// The only file that knows libarchive: it unpacks, and knows the packers by their first bytes.
#include <archive.h>
#include <archive_entry.h>

#include <memory>

#include "boot/byte_stream.h"

namespace dormouse {
namespace {

constexpr std::string_view kStep = "unpack initramfs";

struct Closer {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
using Archive = std::unique_ptr<archive, Closer>;

Failure damaged(archive* reader, const std::string& path, std::uint64_t at) {
  const char* said = archive_error_string(reader);
  return fail(Errc::kCorrupt, kStep)
      .on(path)
      .at(at)
      .because("the archive that begins there cannot be unpacked ({})",
               said != nullptr ? said : "no reason is known");
}

class UnpackingStream final : public ByteStream {
 public:
  UnpackingStream(Archive reader, std::string path, std::uint64_t at)
      : reader_(std::move(reader)), path_(std::move(path)), at_(at) {}

  Result<std::size_t> read(std::span<std::byte> out) override {
    std::size_t done = 0;
    while (done < out.size()) {
      const la_ssize_t got = archive_read_data(reader_.get(), out.data() + done, out.size() - done);
      if (got < 0) return damaged(reader_.get(), path_, at_);
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  Archive reader_;
  std::string path_;
  std::uint64_t at_;
};

}  // namespace

Result<std::unique_ptr<ByteStream>> make_unpacking_stream(std::span<const std::byte> bytes,
                                                          const std::string& path, std::uint64_t at) {
  Archive reader(archive_read_new());
  if (!reader) return fail(Errc::kNoMemory, kStep).on(path);
  archive_read_support_filter_gzip(reader.get());
  archive_read_support_filter_bzip2(reader.get());
  archive_read_support_filter_lzma(reader.get());
  archive_read_support_filter_xz(reader.get());
  archive_read_support_filter_lz4(reader.get());
  archive_read_support_filter_zstd(reader.get());
  archive_read_support_format_raw(reader.get());
  archive_entry* whole = nullptr;
  if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK ||
      archive_read_next_header(reader.get(), &whole) != ARCHIVE_OK) {
    return damaged(reader.get(), path, at);
  }
  // One filter besides the bytes themselves, or it is packed in no known way.
  if (archive_filter_count(reader.get()) < 2) {
    return fail(Errc::kCorrupt, kStep)
        .on(path)
        .at(at)
        .because("neither a cpio archive nor one that is packed in a way the kernel knows begins there");
  }
  return std::make_unique<UnpackingStream>(std::move(reader), path, at);
}

}  // namespace dormouse

#include "boot/packers.h"

#include <archive.h>
#include <archive_entry.h>
#include <lz4.h>

#include <memory>
#include <stdexcept>

namespace dormouse::test {
namespace {

/// What the kernel calls lz4: blocks of 8 MiB with a length before each, and a magic number of its own.
std::string pack_lz4_legacy(std::string_view bytes) {
  constexpr std::size_t kBlock = 8u << 20;
  std::string packed("\x02\x21\x4c\x18", 4);
  while (!bytes.empty()) {
    const std::string_view block = bytes.substr(0, kBlock);
    bytes.remove_prefix(block.size());
    std::string out(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(block.size()))), '\0');
    const int length = LZ4_compress_default(block.data(), out.data(), static_cast<int>(block.size()),
                                            static_cast<int>(out.size()));
    for (int shift = 0; shift < 32; shift += 8) packed += static_cast<char>((length >> shift) & 0xff);
    packed.append(out, 0, static_cast<std::size_t>(length));
  }
  return packed;
}

std::string pack_by_filter(int filter, std::string_view bytes) {
  const std::unique_ptr<archive, int (*)(archive*)> writer(archive_write_new(), archive_write_free);
  std::string packed(bytes.size() + (1u << 20), '\0');
  std::size_t used = 0;
  archive_write_set_format_raw(writer.get());
  archive_write_add_filter(writer.get(), filter);
  archive_write_set_bytes_in_last_block(writer.get(), 1);
  archive_write_open_memory(writer.get(), packed.data(), packed.size(), &used);
  const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(),
                                                                       archive_entry_free);
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_pathname(entry.get(), "data");
  if (archive_write_header(writer.get(), entry.get()) != ARCHIVE_OK ||
      archive_write_data(writer.get(), bytes.data(), bytes.size()) != static_cast<la_ssize_t>(bytes.size()) ||
      archive_write_close(writer.get()) != ARCHIVE_OK)
    throw std::runtime_error(archive_error_string(writer.get()));
  packed.resize(used);
  return packed;
}

}  // namespace

const std::vector<std::string>& packer_names() {
  static const std::vector<std::string> names = {"gzip", "bzip2", "xz", "lzma", "zstd", "lz4"};
  return names;
}

std::string pack(std::string_view name, std::string_view bytes) {
  if (name == "lz4") return pack_lz4_legacy(bytes);
  if (name == "gzip") return pack_by_filter(ARCHIVE_FILTER_GZIP, bytes);
  if (name == "bzip2") return pack_by_filter(ARCHIVE_FILTER_BZIP2, bytes);
  if (name == "xz") return pack_by_filter(ARCHIVE_FILTER_XZ, bytes);
  if (name == "lzma") return pack_by_filter(ARCHIVE_FILTER_LZMA, bytes);
  return pack_by_filter(ARCHIVE_FILTER_ZSTD, bytes);
}

}  // namespace dormouse::test

/// Makes the seeds of the corpus anew: make_corpus DIRECTORY. Each file is named by what it is. What a fuzzer
/// found is added by hand, under a name that says what was wrong, and is not touched.
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>

#include "fuzz/faint_pages.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/sparse_disk.h"
#include "image/reference_image.h"
#include "image/seal_bed.h"
#include "support/bytes.h"
#include "support/page_patterns.h"
#include "swap/swap_disk.h"

namespace dormouse::test {
namespace {

constexpr CodecSpec kNone{.id = CodecId::kStored, .level = 0};
constexpr CodecSpec kLzf{.id = CodecId::kLzf, .level = 0};
constexpr CodecSpec kLz4{.id = CodecId::kLz4, .level = 1};
constexpr CodecSpec kZstd{.id = CodecId::kZstd, .level = 1};

class Corpus {
 public:
  explicit Corpus(std::filesystem::path root) : root_(std::move(root)) {}
  void in(const std::string& target) {
    directory_ = root_ / target;
    std::filesystem::create_directories(directory_);
  }
  void add(const std::string& name, std::span<const std::byte> bytes) {
    std::ofstream file(directory_ / name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) throw std::runtime_error("cannot write " + (directory_ / name).string());
  }
  void add(const std::string& name, std::string_view text) { add(name, std::as_bytes(std::span(text))); }

 private:
  std::filesystem::path root_;
  std::filesystem::path directory_;
};

Bytes without_zeros_at_end(std::span<const std::byte> bytes) {
  std::size_t size = bytes.size();
  while (size > 0 && bytes[size - 1] == std::byte{0}) --size;
  return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)};
}

void make_swap_headers(Corpus& corpus) {
  corpus.in("swap_header");
  corpus.add("plain-4k", make_swap_page({.last_page = 99}));
  corpus.add("plain-16k", make_swap_page({.page_bytes = 16384, .last_page = 99}));
  corpus.add("bad-pages", make_swap_page({.last_page = 99, .bad_pages = {7, 99, 1, 7}}));
  corpus.add("bad-page-outside", make_swap_page({.last_page = 99, .bad_pages = {100}}));
  for (const std::string_view signature :
       {"ULSUSPEND", "S1SUSPEND", "S2SUSPEND", "LINHIB0001", "SWAP-SPACE"}) {
    auto page = make_swap_page({.last_page = 99});
    std::fill(page.end() - 10, page.end(), std::byte{0});
    put_text_at(page, 4096 - 10, signature);
    corpus.add("signature-" + std::string(signature), page);
  }
  const auto with = [&](const std::string& name, std::size_t at, std::uint64_t value, std::size_t size) {
    auto page = make_swap_page({.last_page = 99});
    put_integer(page, at, value, size);
    corpus.add(name, page);
  };
  with("tuxonice", 0, 0x0ce55698e902c3ed, 8);
  with("other-byte-order", 1024, 0x01000000, 4);
  with("version-2", 1024, 2, 4);
  with("last-page-0", 1028, 0, 4);
  with("last-page-all-ones", 1028, 0xffffffff, 4);
  with("bad-pages-all-ones", 1032, 0xffffffff, 4);
}

struct Seed {
  MemoryBlockDevice disk;
  std::uint64_t image_header;
};

Seed make_seed(const SwapShape& shape, std::size_t pages, std::uint32_t chunk_pages,
               std::vector<CodecSpec> codecs, std::optional<ReferenceSealing> sealing = {}) {
  Seed seed{.disk = make_swap_disk(shape), .image_header = 0};
  // Boot bits and label are nothing to a reader of images.
  std::ranges::fill(seed.disk.mutable_bytes(shape.header_page * shape.page_bytes, 1024), std::byte{0});
  ReferenceSettings settings;
  settings.page_bytes = shape.page_bytes;
  settings.chunk_pages = chunk_pages;
  settings.codecs = std::move(codecs);
  settings.sealing = std::move(sealing);
  settings.image_id.fill(std::byte{0x5a});
  settings.area_header_page = shape.header_page;
  const auto page = make_swap_page(shape);
  std::copy_n(page.end() - 28, 28, settings.original_tail.begin());
  settings.places.resize(shape.last_page);
  std::iota(settings.places.begin(), settings.places.end(), shape.header_page + 1);
  seed.image_header = write_reference_image(faint_pages(pages, shape.page_bytes), settings, seed.disk);
  mark_reference_area(seed.disk, shape.header_page * shape.page_bytes, shape.page_bytes, seed.image_header);
  return seed;
}

void make_images(Corpus& corpus) {
  const std::vector<CodecSpec> all = {kNone, kLzf, kLz4, kZstd};
  const auto add = [&](const std::string& name, const SwapShape& shape, std::size_t pages,
                       std::uint32_t chunk_pages, const std::vector<CodecSpec>& codecs) {
    const Seed seed = make_seed(shape, pages, chunk_pages, codecs);
    for (const char* target : {"image", "resealed_image"}) {
      corpus.in(target);
      corpus.add(name, fold_disk(seed.disk, shape.header_page));
    }
    corpus.in("image_header");
    const auto header = seed.disk.bytes().subspan(seed.image_header, 4096);
    corpus.add(name, without_zeros_at_end(header));
    corpus.in("map_page");
    const std::uint64_t map = get_integer(header, 72, 8) * shape.page_bytes;
    corpus.add(name, without_zeros_at_end(seed.disk.bytes().subspan(map, shape.page_bytes)));
  };
  add("one-page", {.last_page = 7}, 1, 1, {kNone});
  add("every-codec", {.last_page = 23}, 9, 2, all);
  add("swap-file-16k", {.page_bytes = 16384, .last_page = 23, .header_page = 3}, 9, 2, all);
  add("two-map-pages", {.last_page = 95}, 80, 1, {kNone});
  add("extents-over-map-pages", {.last_page = 245}, 240, 60, {kNone, kNone, kNone, kLz4});
  for (const char* target : {"image", "resealed_image"}) {
    corpus.in(target);
    corpus.add("plain-swap", fold_disk(make_swap_disk({.last_page = 9}), 0));
    corpus.add("nothing", std::string_view());
  }
}

void make_sealed_images(Corpus& corpus) {
  const auto sealed_with = [](Cipher cipher, std::vector<ReferenceWay> ways) {
    ReferenceSealing sealing{.cipher = static_cast<std::uint8_t>(cipher), .ways = std::move(ways)};
    sealing.image_key.fill(static_cast<std::byte>(cipher));
    return sealing;
  };
  const auto add = [&](const std::string& name, std::size_t pages, std::uint32_t chunk_pages,
                       const std::vector<CodecSpec>& codecs, const ReferenceSealing& sealing) {
    const SwapShape shape{.last_page = 15};
    const Seed seed = make_seed(shape, pages, chunk_pages, codecs, sealing);
    for (const char* target : {"image", "sealed_image"}) {
      corpus.in(target);
      corpus.add(name, fold_disk(seed.disk, shape.header_page));
    }
    corpus.in("image_header");
    corpus.add(name, without_zeros_at_end(seed.disk.bytes().subspan(seed.image_header, 4096)));
  };
  const ReferenceWay passphrase{.way = 1, .passphrase = std::string(kPassphrase)};
  ReferenceWay pair{.way = 2, .passphrase = std::string(kPassphrase)};
  pair.private_key.fill(std::byte{0x33});
  pair.ephemeral_key.fill(std::byte{0x44});
  add("sealed-gcm", 1, 1, {kNone}, sealed_with(Cipher::kAes256Gcm, {raw_secret()}));
  add("sealed-ocb", 4, 2, {kLz4, kZstd}, sealed_with(Cipher::kAes256Ocb, {passphrase, pair, raw_secret()}));
  add("sealed-chacha20", 2, 2, {kLzf}, sealed_with(Cipher::kChaCha20Poly1305, {raw_secret(), raw_secret()}));
  add("sealed-other-key", 2, 2, {kLz4}, sealed_with(Cipher::kAes256Gcm, {passphrase}));
}

void make_chunks(Corpus& corpus) {
  corpus.in("chunk");
  const auto add = [&](const std::string& name, const CodecSpec& spec, std::size_t length,
                       std::span<const std::byte> packed) {
    Bytes input(3);
    input[0] = static_cast<std::byte>(spec.id);
    put_integer(input, 1, length - 1, 2);
    input.insert(input.end(), packed.begin(), packed.end());
    corpus.add(name, input);
  };
  const std::pair<const char*, Bytes> kinds[] = {{"zeros", Bytes(4096)},
                                                 {"text", make_pattern(PagePattern::kText, 1, 4096)},
                                                 {"pointers", make_pattern(PagePattern::kPointers, 2, 2048)},
                                                 {"repeated", faint_pages(8, 512)}};
  for (const CodecSpec& spec : {kLzf, kLz4, kZstd}) {
    for (const auto& [kind, pages] : kinds) {
      Bytes packed(2 * pages.size());
      const auto size = make_codec(spec, pages.size()).value()->pack(pages, packed);
      if (!size) continue;
      const std::string name = std::string(codec_name(spec.id)) + "-" + kind;
      add(name, spec, pages.size(), std::span(packed).first(*size));
      add(name + "-cut-short", spec, pages.size(), std::span(packed).first(*size / 2));
      add(name + "-too-long", spec, pages.size() / 2, std::span(packed).first(*size));
    }
  }
  add("stored", kNone, 64, make_pattern(PagePattern::kText, 3, 64));
}

void make_config_files(Corpus& corpus) {
  corpus.in("config_file");
  corpus.add("empty", std::string_view());
  corpus.add(
      "every-key",
      "snapshot device = /dev/snapshot\nresume device = /dev/sda2\nresume offset = 34816\nimage size = 40%\n"
      "compress = lz4:4\nearly writeout = 1.5%\nio = direct\nthreads = auto\nformat = dormouse\nverify = y\n"
      "shutdown method = platform\nreport = json\nreport file = \"/var/log/a b\"\nprogress = bar\n"
      "suspend loglevel = 2\nmax loglevel = 7\n");
  corpus.add("of-uswsusp",
             "resume device: UUID=01234567-89ab-cdef-0123-456789abcdef # of the laptop\nencrypt = n\n"
             "RSA key file = /etc/suspend.key\ncompute checksum = y\nsplash = n\nfbsplash theme = x\nresume "
             "pause = 0\n"
             "debug test file = f\ndebug verify image = n\nimage size = 536870912\n");
  corpus.add("bom-and-crlf", "\xEF\xBB\xBFimage size = 512M\r\n\r\n# comment\r\ncompress = none");
  corpus.add("quotes", "report file = 'a # b'\nreport file = \"a' b\" # again\n");
  corpus.add("open-quote", "report file = \"never closed\n");
  corpus.add("unknown-key", "imagesize = 40%\nresume devise = /dev/sda2\n");
  corpus.add("no-separator", "image size 40%\n");
  corpus.add("control-character", std::string_view("io = di\0rect\n", 13));
  corpus.add("sizes",
             "image size = 1.5G\nimage size = 512KiB\nimage size = 0\nimage size = 18446744073709551616\n");
}

}  // namespace
}  // namespace dormouse::test

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_corpus DIRECTORY\n", stderr);
    return 2;
  }
  dormouse::test::Corpus corpus{argv[1]};
  make_swap_headers(corpus);
  make_images(corpus);
  make_sealed_images(corpus);
  make_chunks(corpus);
  make_config_files(corpus);
  return 0;
}

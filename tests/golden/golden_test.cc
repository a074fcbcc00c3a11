/// Files of every version that was ever released are read for ever. And FORMAT.md says what is in them.
#include <gtest/gtest.h>
#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "dormouse/image_reader.h"
#include "dormouse/swap_area.h"

#include "golden/golden_image.h"
#include "image/memory_pages.h"
#include "image/reference_image.h"
#include "image/seal_bed.h"
#include "swap/swap_disk.h"

namespace dormouse::test {
namespace {

std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

constexpr const char* kPlain = "plain-v1.swap";
constexpr const char* kSealed = "sealed-v1.swap";

std::vector<std::byte> golden_file(const std::string& name = kPlain) {
  return read_file(std::string(DORMOUSE_GOLDEN_DIR) + "/" + name);
}

MemoryBlockDevice golden_disk(const std::string& name = kPlain) {
  const auto bytes = golden_file(name);
  MemoryBlockDevice disk(bytes.size(), name);
  std::ranges::copy(bytes, disk.mutable_bytes(0, bytes.size()).begin());
  return disk;
}

TEST(GoldenImage, OfVersion1IsReadAndGivenBack) {
  MemoryBlockDevice disk = golden_disk();
  auto area = SwapArea::open(disk, DeviceOffset{0});
  ASSERT_TRUE(area) << area.error().what();
  ASSERT_EQ(area->signature(), SwapSignature::kUserMark);
  auto reader = ImageReader::prepare(2 * 4096, 1);
  const auto opened =
      reader->open(disk, area->marked_image_header(), {.end_page = 12, .swap_header_page = 0});
  ASSERT_TRUE(opened) << opened.error().what();
  EXPECT_EQ(reader->info().host, "teapot");
  EXPECT_EQ(reader->info().created_unix_seconds, 1'150'000'000U);
  EXPECT_EQ(reader->info().id, "101112131415161718191a1b1c1d1e1f");
  MemoryPageSink sink(reader->figures().bytes());
  NoProgress progress;
  const auto read = reader->read(sink, progress);
  ASSERT_TRUE(read) << read.error().what();
  EXPECT_TRUE(sink.pages() == golden_stream());
  ASSERT_TRUE(area->clear(reader->original_tail()));
  EXPECT_TRUE(swap_page_of(disk, {}) == make_swap_page({.last_page = 11})) << "byte for byte";
}

TEST(GoldenImage, HasAChunkOfEveryCodec) {
  const auto bytes = golden_file();
  std::vector<unsigned> codecs;
  for (std::size_t at = 2 * 4096 + 64; get_integer(bytes, at, 2) == 1;
       at += 48 + 8 * get_integer(bytes, at + 2, 2)) {
    codecs.push_back(std::to_integer<unsigned>(bytes[at + 4]));
  }
  EXPECT_EQ(codecs, (std::vector<unsigned>{0, 1, 2, 3}));
}

TEST(GoldenImage, IsWhatTheReferenceWriterMakes) {
  // Other versions of the codecs may pack to other bytes, which every reader still unpacks.
  if (LZ4_versionNumber() != 10904 || ZSTD_versionNumber() != 10504)
    GTEST_SKIP() << "made with lz4 1.9.4, zstd 1.5.4";
  EXPECT_TRUE(std::ranges::equal(make_golden_area().bytes(), golden_file()));
}

/// A passphrase, the passphrase of a key pair, and a key file.
TEST(SealedGoldenImage, OfVersion1IsOpenedInEveryWay) {
  MemoryBlockDevice disk = golden_disk(kSealed);
  auto area = SwapArea::open(disk, DeviceOffset{0});
  ASSERT_TRUE(area) << area.error().what();
  const ReferenceSealing sealing = golden_sealing();
  const KeyFile file = make_raw_key(sealing.ways[2].raw_key);
  auto reader = must(ImageReader::prepare(2 * 4096, 1));
  must(reader.open(disk, area->marked_image_header(), {.end_page = 12, .swap_header_page = 0}));
  EXPECT_EQ(reader.info().cipher, Cipher::kAes256Ocb);
  EXPECT_EQ(reader.info().ways, (std::vector{KeyWay::kPassphrase, KeyWay::kKeyPair, KeyWay::kKeyFile}));
  EXPECT_EQ(reader.info().host, "teapot");
  EXPECT_EQ(reader.unlock(bytes_of("seven mice")).error().code, Errc::kWrongKey);
  for (const std::size_t way : {0U, 1U, 2U}) {
    const auto unlocked =
        way == 2 ? reader.unlock(file) : reader.unlock(bytes_of(sealing.ways[way].passphrase));
    ASSERT_TRUE(unlocked) << unlocked.error().what();
    MemoryPageSink sink(reader.figures().bytes());
    NoProgress progress;
    const auto read = reader.read(sink, progress);
    ASSERT_TRUE(read) << read.error().what();
    EXPECT_TRUE(sink.pages() == golden_stream());
    reader.forget_key();
  }
  ASSERT_TRUE(area->clear(reader.original_tail()));
  EXPECT_TRUE(swap_page_of(disk, {}) == make_swap_page({.last_page = 11})) << "byte for byte";
}

TEST(SealedGoldenImage, IsWhatTheReferenceWriterMakes) {
  if (LZ4_versionNumber() != 10904 || ZSTD_versionNumber() != 10504)
    GTEST_SKIP() << "made with lz4 1.9.4, zstd 1.5.4";
  EXPECT_TRUE(std::ranges::equal(make_sealed_golden_area().bytes(), golden_file(kSealed)));
}

TEST(FormatText, ShowsTheKeysOfTheSealedGoldenFile) {
  if (LZ4_versionNumber() != 10904 || ZSTD_versionNumber() != 10504)
    GTEST_SKIP() << "made with lz4 1.9.4, zstd 1.5.4";
  const auto bytes = read_file(DORMOUSE_FORMAT_MD);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const auto& [name, digits] : golden_key_texts())
    EXPECT_NE(text.find(fmt::format("    {:<16} {}\n", name, digits)), std::string_view::npos)
        << name << " " << digits;
}

/// The hex lines of FORMAT.md: eight digits, then sixteen bytes.
std::vector<std::pair<std::size_t, std::vector<std::byte>>> example_lines() {
  std::ifstream file(std::string(DORMOUSE_FORMAT_MD));
  std::vector<std::pair<std::size_t, std::vector<std::byte>>> lines;
  for (std::string line; std::getline(file, line);) {
    if (line.size() < 12 + 48 || line.compare(0, 4, "    ") != 0 ||
        !std::all_of(line.begin() + 4, line.begin() + 12,
                     [](unsigned char c) { return std::isxdigit(c) != 0; })) {
      continue;
    }
    std::istringstream words(line);
    std::string word;
    words >> word;
    const std::size_t at = std::stoul(word, nullptr, 16);
    std::vector<std::byte> bytes;
    for (int i = 0; i < 16 && words >> word; ++i)
      bytes.push_back(static_cast<std::byte>(std::stoul(word, nullptr, 16)));
    lines.emplace_back(at, bytes);
  }
  return lines;
}

TEST(FormatText, ItsExampleIsTheGoldenFile) {
  const auto golden = golden_file();
  auto lines = example_lines();
  ASSERT_GT(lines.size(), 20U);
  std::vector<bool> shown(golden.size());
  for (const auto& [at, bytes] : lines) {
    ASSERT_EQ(bytes.size(), 16U);
    ASSERT_LE(at + 16, golden.size());
    EXPECT_TRUE(std::ranges::equal(bytes, std::span(golden).subspan(at, 16)))
        << fmt::format("line {:08x}", at);
    std::fill_n(shown.begin() + static_cast<std::ptrdiff_t>(at), 16, true);
  }
  for (std::size_t at = 1024; at < 3 * 4096; ++at) {
    ASSERT_TRUE(shown[at] || golden[at] == std::byte{0})
        << fmt::format("byte {:08x} is not in the example", at);
  }
}

}  // namespace
}  // namespace dormouse::test

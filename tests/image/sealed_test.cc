/// Sealed images: what comes back, to whom, and what lies on the disk.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "image/image_bed.h"
#include "image/reference_image.h"
#include "image/seal_bed.h"
#include "support/fault_block_device.h"
#include "support/page_patterns.h"

namespace dormouse::test {
namespace {

constexpr std::uint32_t kChunkBytes = 4 * 4096;

/// One sealed image on a disk.
struct Sealed {
  std::vector<std::byte> image;
  MemoryBlockDevice disk = make_swap_disk({});
  std::unique_ptr<ImageBed> bed = std::make_unique<ImageBed>(disk);
  WrittenImage written;

  Sealed(ImageSeal& seal, const ImageOptions& options, std::uint64_t pages = 40)
      : image(make_mix(5, pages * 4096)) {
    write(seal, options);
  }
  explicit Sealed(ImageSeal& seal)
      : Sealed(seal, {.codec = kLz4, .chunk_bytes = kChunkBytes, .threads = 2}) {}

  void write(ImageSeal& seal, const ImageOptions& options) {
    auto writer = must(ImageWriter::prepare(options, 4096, &seal));
    MemoryPageSource source(image);
    NoProgress progress;
    bed->allocator().release_all().value();
    written = must(bed->write_with(writer, source, bed->allocator(), progress));
  }
  ImageReader open(unsigned threads = 2) {
    auto reader = must(ImageReader::prepare(kChunkBytes, threads));
    must(reader.open(disk, written.header_at, bed->bounds()));
    return reader;
  }
  Result<std::vector<std::byte>> read(ImageReader& reader) const {
    MemoryPageSink sink(image.size());
    NoProgress progress;
    if (auto r = reader.read(sink, progress); !r) return std::unexpected(r.error());
    return sink.pages();
  }
  void expect_opened_by(const std::function<Result<void>(ImageReader&)>& unlock) {
    auto reader = open();
    const auto unlocked = unlock(reader);
    ASSERT_TRUE(unlocked) << unlocked.error().what();
    const auto pages = read(reader);
    ASSERT_TRUE(pages) << pages.error().what();
    EXPECT_TRUE(*pages == image);
  }
  void expect_refused(const std::function<Result<void>(ImageReader&)>& unlock, Errc code) {
    auto reader = open();
    const auto unlocked = unlock(reader);
    ASSERT_FALSE(unlocked);
    EXPECT_EQ(unlocked.error().code, code) << unlocked.error().what();
    EXPECT_EQ(unlocked.error().object.view(), "disk");
    const auto pages = read(reader);
    ASSERT_FALSE(pages);
    EXPECT_EQ(pages.error().code, Errc::kUsage) << "a key that was refused is no key";
  }
};

Result<void> by_key_file(ImageReader& reader) {
  return reader.unlock(make_raw_key());
}

/// Is any piece of `bytes`, cut every 64 bytes, on the disk? Pieces that are all alike are in any memory.
bool is_shown(std::span<const std::byte> bytes, std::span<const std::byte> disk) {
  for (std::size_t at = 0; at + 64 <= bytes.size(); at += 64) {
    const auto piece = bytes.subspan(at, 64);
    if (std::ranges::all_of(piece, [&](std::byte b) { return b == piece[0]; })) continue;
    if (::memmem(disk.data(), disk.size(), piece.data(), piece.size()) != nullptr) return true;
  }
  return false;
}

TEST(SealedImage, ComesBackWithEveryCipherAndCodec) {
  for (const Cipher cipher : kCiphers) {
    auto seal = make_seal(cipher);
    for (const CodecSpec& codec : {kNone, kLzf, kLz4, kZstd}) {
      for (const std::uint64_t pages : {1U, 4U, 5U, 100U}) {
        SCOPED_TRACE(fmt::format("{}, {}, {} pages", cipher_name(cipher), codec_name(codec.id), pages));
        Sealed sealed(seal, {.codec = codec, .chunk_bytes = kChunkBytes, .threads = 2}, pages);
        sealed.expect_opened_by(by_key_file);
        EXPECT_TRUE(read_reference_image(sealed.disk, to_bytes(sealed.written.header_at), raw_secret()) ==
                    sealed.image)
            << "the oracle's stream differs";
      }
    }
    Sealed adaptive(seal, {.adaptive = true, .chunk_bytes = kChunkBytes, .threads = 2}, 100);
    adaptive.expect_opened_by(by_key_file);
  }
}

TEST(SealedImage, OfTheOracleComesBackToo) {
  for (const Cipher cipher : kCiphers) {
    ReferenceSealing sealing{.cipher = static_cast<std::uint8_t>(cipher), .ways = {raw_secret()}};
    sealing.image_key.fill(std::byte{0x42});
    const SwapShape area{.last_page = 300};
    ReferenceSettings settings{.chunk_pages = 4, .codecs = {kLz4, kNone, kZstd, kLzf}, .sealing = sealing};
    const auto swap_page = make_swap_page(area);
    std::ranges::copy(std::span(swap_page).last(28), settings.original_tail.begin());
    for (std::uint64_t page = 1; page <= area.last_page; ++page) settings.places.push_back(page);
    MemoryBlockDevice disk = make_swap_disk(area);
    const auto image = make_mix(8, 120 * 4096);
    const auto header_at = write_reference_image(image, settings, disk);
    ImageBed bed(disk, area);
    auto reader = must(ImageReader::prepare(kChunkBytes, 2));
    must(reader.open(disk, DeviceOffset{header_at}, bed.bounds()));
    const auto unlocked = by_key_file(reader);
    ASSERT_TRUE(unlocked) << unlocked.error().what();
    MemoryPageSink sink(image.size());
    NoProgress progress;
    const auto read = reader.read(sink, progress);
    ASSERT_TRUE(read) << read.error().what();
    EXPECT_TRUE(sink.pages() == image) << cipher_name(cipher);
  }
}

TEST(SealedImage, ShowsNothingOfItsPages) {
  auto seal = make_seal();
  // Stored as they are, pages would lie there word for word; packed, some of their words do.
  for (const CodecSpec& codec : {kNone, kLz4}) {
    Sealed sealed(seal, {.codec = codec, .chunk_bytes = kChunkBytes});
    EXPECT_FALSE(is_shown(sealed.image, sealed.disk.bytes())) << codec_name(codec.id);
    EXPECT_FALSE(is_shown(seal.data_key(), sealed.disk.bytes()));
  }
  MemoryBlockDevice plain_disk = make_swap_disk({});
  ImageBed plain(plain_disk);
  const auto image = make_mix(5, 40 * 4096);
  must(plain.write(image, {.codec = kNone, .chunk_bytes = kChunkBytes}));
  EXPECT_TRUE(is_shown(image, plain_disk.bytes())) << "this test can fail";
}

TEST(SealedImage, IsOpenedByEachOfItsWaysAlone) {
  auto seal = must(ImageSeal::prepare(Cipher::kChaCha20Poly1305));
  const auto pair = must(KeyFile::generate(bytes_of("of the pair"), kCheap));
  must(seal.add_passphrase(bytes_of(kPassphrase), kCheap));
  must(seal.add_key_file(pair));
  must(seal.add_key_file(make_raw_key()));
  Sealed sealed(seal);
  const auto info = sealed.open().info();
  EXPECT_EQ(info.cipher, Cipher::kChaCha20Poly1305);
  EXPECT_EQ(info.ways, (std::vector{KeyWay::kPassphrase, KeyWay::kKeyPair, KeyWay::kKeyFile}));
  EXPECT_TRUE(sealed.open().takes_passphrase());
  EXPECT_TRUE(sealed.open().takes_key_file());
  sealed.expect_opened_by([](ImageReader& r) { return r.unlock(bytes_of(kPassphrase)); });
  sealed.expect_opened_by([](ImageReader& r) { return r.unlock(bytes_of("of the pair")); });
  sealed.expect_opened_by(by_key_file);
  sealed.expect_opened_by([&](ImageReader& r) { return r.unlock(seal); });
  sealed.expect_refused([](ImageReader& r) { return r.unlock(bytes_of("of the pear")); }, Errc::kWrongKey);
  sealed.expect_refused([](ImageReader& r) { return r.unlock(bytes_of("")); }, Errc::kWrongKey);
  std::string other(kRawKey);
  other.back() ^= 1;
  sealed.expect_refused([&](ImageReader& r) { return r.unlock(make_raw_key(bytes_of(other))); },
                        Errc::kWrongKey);
  sealed.expect_refused([&](ImageReader& r) { return r.unlock(pair); }, Errc::kUsage);
  EXPECT_EQ(exit_code(Errc::kWrongKey), 3);
}

TEST(SealedImage, TheOracleOpensEachKindOfSlot) {
  const auto expect_read = [](ImageSeal& seal, const ReferenceWay& secret) {
    Sealed sealed(seal);
    EXPECT_TRUE(read_reference_image(sealed.disk, to_bytes(sealed.written.header_at), secret) ==
                sealed.image);
  };
  auto passphrase = must(ImageSeal::prepare(Cipher::kAes256Ocb));
  must(passphrase.add_passphrase(bytes_of(kPassphrase), {.memory_kib = 64, .passes = 2, .lanes = 2}));
  expect_read(passphrase, {.passphrase = std::string(kPassphrase)});
  auto pair = must(ImageSeal::prepare(Cipher::kAes256Gcm));
  must(pair.add_key_file(must(KeyFile::generate(bytes_of("of the pair"), kCheap))));
  expect_read(pair, {.passphrase = "of the pair"});
  auto raw = make_seal();
  expect_read(raw, raw_secret());
}

TEST(SealedImage, IsNotReadWithoutItsKey) {
  auto seal = make_seal();
  Sealed sealed(seal);
  auto reader = sealed.open();
  EXPECT_TRUE(reader.sealed());
  EXPECT_FALSE(reader.takes_passphrase());
  EXPECT_TRUE(reader.takes_key_file());
  EXPECT_EQ(sealed.read(reader).error().code, Errc::kUsage);
  must(by_key_file(reader));
  EXPECT_TRUE(sealed.read(reader));
  EXPECT_TRUE(sealed.read(reader)) << "and again";
  reader.forget_key();
  EXPECT_EQ(sealed.read(reader).error().code, Errc::kUsage);
  must(by_key_file(reader));
  must(reader.open(sealed.disk, sealed.written.header_at, sealed.bed->bounds()));
  EXPECT_EQ(sealed.read(reader).error().code, Errc::kUsage) << "another image may lie there now";
}

TEST(SealedImage, APlainOneNeedsNoKey) {
  MemoryBlockDevice disk = make_swap_disk({});
  ImageBed bed(disk);
  const auto image = make_mix(5, 40 * 4096);
  const auto written = must(bed.write(image, {.codec = kLz4, .chunk_bytes = kChunkBytes}));
  auto reader = must(ImageReader::prepare(kChunkBytes, 1));
  must(reader.open(disk, written.header_at, bed.bounds()));
  EXPECT_FALSE(reader.sealed());
  EXPECT_FALSE(reader.takes_passphrase());
  EXPECT_FALSE(reader.takes_key_file());
  EXPECT_FALSE(reader.info().cipher);
  EXPECT_TRUE(reader.info().ways.empty());
  EXPECT_EQ(by_key_file(reader).error().code, Errc::kUsage);
  EXPECT_EQ(reader.unlock(bytes_of(kPassphrase)).error().code, Errc::kUsage);
}

TEST(SealedImage, WithoutAWayToOpenItIsNotBegun) {
  auto seal = must(ImageSeal::prepare(Cipher::kAes256Gcm));
  const auto writer = ImageWriter::prepare({.codec = kLz4, .chunk_bytes = kChunkBytes}, 4096, &seal);
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().code, Errc::kUsage);
}

TEST(SealedImage, EveryOneHasItsOwnKey) {
  auto seal = make_seal();
  const ImageOptions options{.codec = kNone, .chunk_bytes = kChunkBytes};
  Sealed first(seal, options);
  const std::vector<std::byte> first_key(seal.data_key().begin(), seal.data_key().end());
  const auto before = first.disk.clone();
  // The same pages at the same places: no block of them is the same.
  first.write(seal, options);
  EXPECT_FALSE(std::ranges::equal(seal.data_key(), first_key));
  const std::uint64_t pages = first.written.image.stored_bytes / 4096;
  for (std::uint64_t at = 3 * 4096; at < (pages + 1) * 4096; at += 16) {
    ASSERT_FALSE(std::ranges::equal(first.disk.bytes().subspan(at, 16), before.bytes().subspan(at, 16)))
        << "byte " << at;
  }
  first.expect_opened_by(by_key_file);
}

TEST(SealedImage, IsNotTheOneThatTheSealDrewLastFor) {
  auto seal = make_seal();
  Sealed first(seal);
  first.expect_opened_by([&](ImageReader& r) { return r.unlock(seal); });
  Sealed second(seal);
  first.expect_refused([&](ImageReader& r) { return r.unlock(seal); }, Errc::kCorrupt);
}

TEST(SealedImage, KeepsItsSealWhenSomethingIsNoted) {
  auto seal = make_seal();
  Sealed sealed(seal);
  auto reader = sealed.open();
  must(reader.note_attempt());
  must(reader.note_read({.duration_ns = 5}));
  must(reader.note_state(ResumeState::kJumping));
  sealed.expect_opened_by(by_key_file);
  EXPECT_EQ(sealed.open().info().attempts, 1U);
}

TEST(SealedImage, AFailureOfAnyDeviceCallIsSaidAndTheNextTryIsSound) {
  auto seal = make_seal();
  const auto image = make_mix(5, 12 * 4096);
  auto writer = must(ImageWriter::prepare({.codec = kLz4, .chunk_bytes = kChunkBytes}, 4096, &seal));
  for (std::uint64_t call = 0;; ++call) {
    SCOPED_TRACE(fmt::format("call {} of the device fails", call));
    MemoryBlockDevice disk = make_swap_disk({});
    FaultBlockDevice faulty(disk, {.fail_at_call = call + 1});  // the area is opened first
    ImageBed bed(faulty);
    MemoryPageSource source(image);
    NoProgress progress;
    const auto written = bed.write_with(writer, source, bed.allocator(), progress);
    if (!faulty.fired()) {
      ASSERT_TRUE(written) << written.error().what();
      EXPECT_TRUE(read_reference_image(disk, to_bytes(written->header_at), raw_secret()) == image);
      EXPECT_GT(call, 4U);
      return;
    }
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, Errc::kIo) << written.error().what();
  }
}

}  // namespace
}  // namespace dormouse::test

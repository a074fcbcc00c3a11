/// Sealing an image: ciphers, keys, and the ways to open it. Format and threat model: FORMAT.md, "Sealed
/// images".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dormouse/error.h"
#include "dormouse/secret.h"

namespace dormouse {

/// Values are those of the image header.
enum class Cipher : std::uint8_t { kAes256Gcm = 1, kAes256Ocb = 2, kChaCha20Poly1305 = 3 };

/// "aes-256-gcm", "aes-256-ocb", "chacha20-poly1305".
[[nodiscard]] std::string_view cipher_name(Cipher cipher);
[[nodiscard]] std::optional<Cipher> cipher_of(std::string_view name);
/// The quickest of this processor, measured now; takes some milliseconds.
Result<Cipher> fastest_cipher();

/// How a sealed image can be opened. Values are those of the image header.
enum class KeyWay : std::uint8_t {
  kPassphrase = 1,  ///< typed when suspending and when resuming
  kKeyPair = 2,     ///< suspending takes the public half; resuming the passphrase of the private half
  kKeyFile = 3,     ///< 32 raw bytes in a file
};

inline constexpr std::size_t kMaxKeyWays = 8;
inline constexpr std::size_t kMaxPassphraseBytes = 512;
inline constexpr std::size_t kKeyBytes = 32;

/// Parameters of Argon2id (RFC 9106). What resume is told by an image is bounded before it is used.
struct PassphraseCost {
  std::uint32_t memory_kib = 64 * 1024;
  std::uint32_t passes = 3;
  std::uint32_t lanes = 1;
  friend bool operator==(const PassphraseCost&, const PassphraseCost&) = default;
};
inline constexpr std::uint32_t kMinCostMemoryKib = 8;
/// What a writer chooses at most: an initramfs on a machine of 256 MB can still pay it.
inline constexpr std::uint32_t kMaxChosenMemoryKib = 64 * 1024;
/// What a reader accepts at most.
inline constexpr std::uint32_t kMaxCostMemoryKib = 256 * 1024;
inline constexpr std::uint32_t kMaxCostPasses = 64;
inline constexpr std::uint32_t kMaxCostLanes = 4;
/// Memory times passes, and so the time that it takes at most.
inline constexpr std::uint64_t kMaxCostWorkKib = std::uint64_t{4} << 20;

/// Is this a cost that a reader pays? A lane needs eight blocks (RFC 9106, 3.1).
[[nodiscard]] constexpr bool is_payable(const PassphraseCost& cost) {
  return cost.lanes >= 1 && cost.lanes <= kMaxCostLanes && cost.passes >= 1 &&
         cost.passes <= kMaxCostPasses && cost.memory_kib >= kMinCostMemoryKib * cost.lanes &&
         cost.memory_kib <= kMaxCostMemoryKib &&
         std::uint64_t{cost.memory_kib} * cost.passes <= kMaxCostWorkKib;
}

/// The cost that takes about `milliseconds` on this processor: as much memory as is allowed first, then
/// passes, at least 3. `memory_limit_kib`: of what is free; at most kMaxChosenMemoryKib is taken.
Result<PassphraseCost> measure_passphrase_cost(unsigned milliseconds, std::uint64_t memory_limit_kib);
/// What a new passphrase is given: about a second, in at most half of the memory that is free now.
Result<PassphraseCost> choose_passphrase_cost(std::uint64_t free_bytes);

/// A key file, as it was read. Two kinds: 32 raw bytes, or the text that suspend-keygen writes.
class KeyFile {
 public:
  /// kIo with errno where it cannot be read; kUsage, with what was found and what to do, for anything that is
  /// not exactly one of the two kinds: a file cut short or too long, with a broken check line, or uswsusp's
  /// RSA key.
  static Result<KeyFile> read(const std::string& path);
  /// Makes a new key pair whose private half `passphrase` seals. Takes as long as `cost` says.
  static Result<KeyFile> generate(std::span<const std::byte> passphrase, const PassphraseCost& cost);
  /// Makes a new raw key of kKeyBytes.
  static Result<KeyFile> generate_raw();
  /// Could write() make this file? To be asked before a person is. kUsage where it exists.
  static Result<void> check_new(const std::string& path);
  /// Creates `path` with mode 0600, and flushes it. kUsage where it exists: no key is ever written over.
  Result<void> write(const std::string& path) const;

  KeyFile(KeyFile&&) noexcept;
  KeyFile& operator=(KeyFile&&) noexcept;
  ~KeyFile();
  [[nodiscard]] KeyWay way() const;  ///< kKeyPair or kKeyFile
  /// Of a key pair, 64 hexadecimal digits of its public half.
  [[nodiscard]] std::string public_text() const;
  /// Of a key pair, what it costs to try a passphrase on its private half.
  [[nodiscard]] std::optional<PassphraseCost> cost() const;

  struct State;
  [[nodiscard]] const State& state() const { return *state_; }

 private:
  explicit KeyFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Seals one image after the other. The ways are added before the freeze; of each only a public half is kept.
/// The keys of an image are drawn after the snapshot, so that none of them is in it. One thread.
///
///     auto seal = ImageSeal::prepare(*fastest_cipher());
///     if (seal) seal->add_passphrase(passphrase.span(), *cost);
///     auto writer = ImageWriter::prepare(options, page_bytes, &*seal);
class ImageSeal {
 public:
  static Result<ImageSeal> prepare(Cipher cipher);
  ImageSeal(ImageSeal&&) noexcept;
  ImageSeal& operator=(ImageSeal&&) noexcept;
  ~ImageSeal();  ///< wipes everything

  /// Takes as long as `cost` says. kUsage for an empty passphrase, one too long, or a ninth way.
  Result<void> add_passphrase(std::span<const std::byte> passphrase, const PassphraseCost& cost);
  Result<void> add_key_file(const KeyFile& key);
  [[nodiscard]] Cipher cipher() const;
  [[nodiscard]] std::size_t ways() const;

  // For the image writer, after the snapshot. None of these allocates.

  /// Draws a new image key, derives the data key and wraps the image key once for each way. kUsage without a
  /// way.
  Result<void> draw(std::span<const std::byte, 16> image_id);
  /// What the AEAD of chunks and header is keyed with. Requires: draw() succeeded, and neither
  /// forget_drawn() nor wipe() was called since.
  [[nodiscard]] std::span<const std::byte, kKeyBytes> data_key() const;
  /// The key slots, for the header: kMaxKeyWays x 256 bytes, those without a way zero.
  void put_slots(std::span<std::byte> target) const;
  /// Overwrites what draw() drew, once the image is written and verified. The ways stay, for another image.
  void forget_drawn();
  /// Forgets keys and ways.
  void wipe();

  struct State;

 private:
  explicit ImageSeal(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dormouse

#include "seal/image_opener.h"

#include <algorithm>
#include <optional>

#include "seal/image_key.h"
#include "seal/slot_key.h"
#include "seal/wipe_stack.h"

namespace dormouse {
namespace {

constexpr std::string_view kOpen = "open sealed image";

bool for_passphrase(const KeySlot& slot) {
  const auto way = static_cast<KeyWay>(slot.way);
  return way == KeyWay::kPassphrase || way == KeyWay::kKeyPair;
}

bool for_key_file(const KeySlot& slot) {
  return static_cast<KeyWay>(slot.way) == KeyWay::kKeyFile;
}

/// What the trying needs, made once.
struct Opener {
  ImageBinding binding;
  HmacSha256 hmac;
  Aead unwrapper;
  Secret slot_key;
  Secret image_key;
  Secret data_key;

  static Result<Opener> prepare(const SealedImage& image) {
    auto hmac = HmacSha256::prepare();
    if (!hmac) return std::unexpected(hmac.error());
    auto unwrapper = Aead::prepare(Cipher::kChaCha20Poly1305);
    if (!unwrapper) return std::unexpected(unwrapper.error());
    auto slot_key = Secret::allocate(kKeyBytes);
    auto image_key = Secret::allocate(kKeyBytes);
    auto data_key = Secret::allocate(kKeyBytes);
    for (const auto* key : {&slot_key, &image_key, &data_key})
      if (!*key) return std::unexpected(key->error());
    return Opener{.binding = {.image_id = image.image_id, .cipher = image.cipher},
                  .hmac = std::move(*hmac),
                  .unwrapper = std::move(*unwrapper),
                  .slot_key = std::move(*slot_key),
                  .image_key = std::move(*image_key),
                  .data_key = std::move(*data_key)};
  }

  Result<void> finish(const KeySlot& slot) {
    const auto wrapping = slot_key.span().first<kKeyBytes>();
    const auto key = image_key.span().first<kKeyBytes>();
    if (auto r = unwrap_image_key(unwrapper, slot, wrapping, binding, key); !r) return r;
    return derive_data_key(hmac, key, binding, data_key.span().first<kKeyBytes>());
  }
};

/// The first slot whose key `find(opener, slot)` can make, and which that key opens. `wrong` where there is
/// none.
template <class Suits, class Find>
Result<Secret> try_slots(const SealedImage& image, Suits suits, Find find, Failure wrong) {
  const StackWiper wiper;
  auto opener = Opener::prepare(image);
  if (!opener) return std::unexpected(opener.error());
  std::optional<Error> trouble;
  for (const KeySlot& slot : image.slots) {
    if (!suits(slot)) continue;
    Result<void> opened = find(*opener, slot);
    if (opened) opened = opener->finish(slot);
    if (opened) return std::move(opener->data_key);
    // A slot that is damaged, or whose cost cannot be paid now, must not hide one that opens. That it could
    // not be tried is told, though, rather than that the key is wrong.
    const Errc code = opened.error().code;
    if (code != Errc::kWrongKey && code != Errc::kCorrupt && !trouble) trouble = opened.error();
  }
  if (trouble) return std::unexpected(*trouble);
  return wrong;
}

}  // namespace

Result<Secret> open_with_passphrase(const SealedImage& image, std::span<const std::byte> passphrase) {
  const auto find = [&](Opener& opener, const KeySlot& slot) {
    return passphrase_slot_key(opener.hmac, slot, passphrase, opener.slot_key.span().first<kKeyBytes>());
  };
  return try_slots(
      image, for_passphrase, find,
      fail(Errc::kWrongKey, kOpen)
          .because("{}", takes_passphrase(image.slots) ? "the passphrase is not one that opens it"
                                                       : "no passphrase opens it, only a key file"));
}

Result<Secret> open_with_key_file(const SealedImage& image, const KeyFile& key) {
  if (key.way() != KeyWay::kKeyFile) {
    return fail(Errc::kUsage, kOpen)
        .because("the key file holds a key pair, whose private half the passphrase opens: give that instead");
  }
  const auto raw = key.state().raw.span().first<kKeyBytes>();
  const auto find = [&](Opener& opener, const KeySlot& slot) {
    return key_file_slot_key(opener.hmac, slot, raw, opener.slot_key.span().first<kKeyBytes>());
  };
  return try_slots(
      image, for_key_file, find,
      fail(Errc::kWrongKey, kOpen)
          .because("{}", takes_key_file(image.slots) ? "the key file is not one that opens it"
                                                     : "no key file opens it, only a passphrase"));
}

bool takes_passphrase(std::span<const KeySlot> slots) {
  return std::ranges::any_of(slots, for_passphrase);
}

bool takes_key_file(std::span<const KeySlot> slots) {
  return std::ranges::any_of(slots, for_key_file);
}

}  // namespace dormouse

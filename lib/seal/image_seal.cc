#include <algorithm>
#include <cstring>

#include "dormouse/sealing.h"

#include "seal/image_key.h"
#include "seal/slot_key.h"
#include "seal/wipe_stack.h"

namespace dormouse {
namespace {

/// All that is secret, in one locked page. All of it is made after the snapshot.
struct Keys {
  std::array<std::byte, kKeyBytes> ephemeral;
  std::array<std::byte, kKeyBytes> shared;
  std::array<std::byte, kKeyBytes> slot;
  std::array<std::byte, kKeyBytes> image;
  std::array<std::byte, kKeyBytes> data;
  std::array<std::byte, kKeyBytes> drawn;
  std::array<std::byte, ImageKeySource::kSeedBytes> seed;
};
static_assert(alignof(Keys) == 1);

}  // namespace

struct ImageSeal::State {
  Cipher cipher;
  Secret memory;
  Aead wrapper;
  HmacSha256 hmac;
  std::array<KeySlot, kMaxKeyWays> slots{};
  std::array<PublicKey, kMaxKeyWays> public_halves{};
  std::size_t ways = 0;
  std::uint64_t draws = 0;

  [[nodiscard]] Keys& keys() const {
    // The bytes are there from the start, and any bytes are Keys.
    return *reinterpret_cast<Keys*>(const_cast<std::byte*>(memory.span().data()));
  }

  /// One way more, if `make(slot, public half)` can make it.
  template <class Make>
  Result<void> add(Make make) {
    if (ways == kMaxKeyWays) {
      return fail(Errc::kUsage, "add way to open the image")
          .because("there are {} already, and an image has room for no more", kMaxKeyWays);
    }
    if (auto r = make(slots[ways], public_halves[ways]); !r) {
      slots[ways] = {};
      return r;
    }
    ++ways;
    return {};
  }

  Result<void> draw_for(const ImageBinding& binding) {
    ImageKeySource source(hmac, std::span(keys().seed));
    if (auto r = source.open(binding.image_id, draws++); !r) return r;
    if (auto r = source.draw(KeySpan(keys().image)); !r) return r;
    for (std::size_t i = 0; i < ways; ++i) {
      if (auto r = source.draw(KeySpan(keys().drawn)); !r) return r;
      std::ranges::copy(std::span(keys().drawn).first(slots[i].wrap_nonce.size()),
                        slots[i].wrap_nonce.begin());
      if (auto r = source.draw(KeySpan(keys().ephemeral)); !r) return r;
      if (auto r = agree_on_slot_key(hmac, keys().ephemeral, public_halves[i], slots[i],
                                     KeySpan(keys().shared), KeySpan(keys().slot));
          !r) {
        return r;
      }
      if (auto r = wrap_image_key(wrapper, slots[i], keys().slot, binding, keys().image); !r) return r;
    }
    return derive_data_key(hmac, keys().image, binding, KeySpan(keys().data));
  }
};

ImageSeal::ImageSeal(std::unique_ptr<State> state) : state_(std::move(state)) {}
ImageSeal::ImageSeal(ImageSeal&&) noexcept = default;
ImageSeal& ImageSeal::operator=(ImageSeal&&) noexcept = default;
ImageSeal::~ImageSeal() = default;

Result<ImageSeal> ImageSeal::prepare(Cipher cipher) {
  auto memory = Secret::allocate(sizeof(Keys));
  if (!memory) return std::unexpected(memory.error());
  auto wrapper = Aead::prepare(Cipher::kChaCha20Poly1305);
  if (!wrapper) return std::unexpected(wrapper.error());
  auto hmac = HmacSha256::prepare();
  if (!hmac) return std::unexpected(hmac.error());
  // Once through, so that its memory is there after the snapshot.
  if (const auto tried = x25519_public(memory->span().first<kKeyBytes>()); !tried)
    return std::unexpected(tried.error());
  return ImageSeal(std::make_unique<State>(State{.cipher = cipher,
                                                 .memory = std::move(*memory),
                                                 .wrapper = std::move(*wrapper),
                                                 .hmac = std::move(*hmac)}));
}

Result<void> ImageSeal::add_passphrase(std::span<const std::byte> passphrase, const PassphraseCost& cost) {
  return state_->add(
      [&](KeySlot& slot, PublicKey& half) { return make_passphrase_slot(passphrase, cost, slot, half); });
}

Result<void> ImageSeal::add_key_file(const KeyFile& key_file) {
  const KeyFile::State& state = key_file.state();
  return state_->add([&](KeySlot& slot, PublicKey& half) -> Result<void> {
    if (state.way == KeyWay::kKeyFile)
      return make_key_file_slot(state_->hmac, state.raw.span().first<kKeyBytes>(), slot, half);
    auto made = make_key_pair_slot(state.half, slot, half);
    // Here it is the file that is wrong, and no image.
    if (!made && made.error().code == Errc::kCorrupt) made.error().code = Errc::kUsage;
    return made;
  });
}

Cipher ImageSeal::cipher() const {
  return state_->cipher;
}

std::size_t ImageSeal::ways() const {
  return state_->ways;
}

Result<void> ImageSeal::draw(std::span<const std::byte, 16> image_id) {
  if (state_->ways == 0)
    return fail(Errc::kUsage, "seal image")
        .because("there is no way to open it: no passphrase and no key file");
  auto drawn = state_->draw_for({.image_id = image_id, .cipher = state_->cipher});
  Keys& keys = state_->keys();
  for (const auto used : {&Keys::ephemeral, &Keys::shared, &Keys::slot, &Keys::image, &Keys::drawn})
    ::explicit_bzero((keys.*used).data(), (keys.*used).size());
  if (!drawn) ::explicit_bzero(keys.data.data(), keys.data.size());
  wipe_stack();
  return drawn;
}

std::span<const std::byte, kKeyBytes> ImageSeal::data_key() const {
  return state_->keys().data;
}

void ImageSeal::put_slots(std::span<std::byte> target) const {
  std::ranges::copy(std::as_bytes(std::span(state_->slots)), target.begin());
}

void ImageSeal::forget_drawn() {
  state_->memory.wipe();
  state_->wrapper.forget();
  state_->hmac.forget();
}

void ImageSeal::wipe() {
  forget_drawn();
  state_->slots = {};
  state_->public_halves = {};
  state_->ways = 0;
}

}  // namespace dormouse

/// After each use no passphrase and no key is left in memory: not in what was given back, not on the stack.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "dormouse/sealing.h"

#include "seal/argon2id.h"
#include "seal/key_file.h"
#include "seal/sealed.h"
#include "seal/wipe_stack.h"
#include "seal/x25519.h"
#include "support/memory_scan.h"

namespace dormouse::test {
namespace {

#ifdef DORMOUSE_LOOKS_THROUGH_MEMORY

/// A passphrase that is nowhere but in the Secret: what the compiler put into the program is another text.
Secret make_passphrase() {
  constexpr std::string_view kOneOff =
      "uijt!qbttqisbtf!jt!opu!jo!uif!qsphsbn";  // each letter moved on by one
  Secret secret = Secret::allocate(kOneOff.size()).value();
  for (std::size_t i = 0; i < kOneOff.size(); ++i) secret.span()[i] = static_cast<std::byte>(kOneOff[i] - 1);
  return secret;
}

Masked passphrase_mask() {
  const Secret passphrase = make_passphrase();
  return Masked(passphrase.span());
}

TEST(NoTrace, TheSearchFindsWhatIsThere) {
  const Masked mask = passphrase_mask();
  EXPECT_EQ(count_in_memory(mask), 0U);
  const Secret passphrase = make_passphrase();
  EXPECT_EQ(count_in_memory(mask), 1U);
  std::string copy(reinterpret_cast<const char*>(passphrase.span().data()), passphrase.size());
  EXPECT_EQ(count_in_memory(mask), 2U);
  std::fill(copy.begin(), copy.end(), 'x');
  EXPECT_EQ(count_in_memory(mask), 1U);
}

TEST(NoTrace, OfAPassphraseAndItsKey) {
  const Masked passphrase = passphrase_mask();
  // The first has one block of the hash, the other is large enough for pages of its own.
  for (const std::uint32_t memory_kib : {8U, 1024U}) {
    Masked key({});
    {
      const Secret given = make_passphrase();
      const auto made = passphrase_key(given.span(), bytes_of("a salt of sorts."), {memory_kib, 2, 1});
      ASSERT_TRUE(made);
      key = Masked(made->span());
      EXPECT_EQ(count_in_memory(passphrase), 1U) << "more than the caller's own";
      EXPECT_EQ(count_in_memory(key), 1U) << "more than the result";
    }
    EXPECT_EQ(count_in_memory(passphrase), 0U);
    EXPECT_EQ(count_in_memory(key), 0U);
  }
}

TEST(NoTrace, OfSealing) {
  const TemporaryDirectory directory;
  const Masked passphrase = passphrase_mask();
  const Bytes raw(unhex("00112233445566778899aabbccddeeff0123456789abcdef0f1e2d3c4b5a6978"));
  const Masked raw_mask(raw);
  std::string path = directory.write("key", {reinterpret_cast<const char*>(raw.data()), raw.size()});
  std::ranges::fill(const_cast<Bytes&>(raw), std::byte{0});
  const std::size_t in_test = count_in_memory(raw_mask);  // what unhex() and the file's buffers have left

  auto seal = ImageSeal::prepare(Cipher::kAes256Gcm).value();
  {
    const Secret given = make_passphrase();
    ASSERT_TRUE(seal.add_passphrase(given.span(), kCheap));
    const KeyFile key = KeyFile::read(path).value();
    ASSERT_TRUE(seal.add_key_file(key));
  }
  EXPECT_EQ(count_in_memory(passphrase), 0U);
  EXPECT_EQ(count_in_memory(raw_mask), in_test);
  // What a snapshot taken now would hold opens nothing: the private halves are made of what was given alone.
  Masked half({});
  {
    const Slots before = slots_of(seal);
    const Secret given = make_passphrase();
    const auto made = passphrase_key(given.span(), before[0].salt, kCheap);
    ASSERT_TRUE(made);
    half = Masked(made->span());
    EXPECT_EQ(count_in_memory(half), 1U) << "more than the one made here";
  }
  EXPECT_EQ(count_in_memory(half), 0U);
  ASSERT_TRUE(seal.draw(kImageId));
  EXPECT_EQ(count_in_memory(half), 0U);
  const Masked data_key(seal.data_key());
  EXPECT_EQ(count_in_memory(data_key), 1U);
  seal.wipe();
  EXPECT_EQ(count_in_memory(data_key), 0U);
}

TEST(NoTrace, OfTheCipherThatHadTheKey) {
  Masked key({});
  {
    Secret secret = make_passphrase();
    secret.shrink(kKeyBytes);
    key = Masked(secret.span());
    for (const Cipher cipher : {Cipher::kAes256Gcm, Cipher::kAes256Ocb, Cipher::kChaCha20Poly1305}) {
      auto aead = Aead::prepare(cipher).value();
      ASSERT_TRUE(aead.set_key(secret.span().first<kKeyBytes>()));
      EXPECT_GE(count_in_memory(key), 1U);
      aead.forget();
      EXPECT_EQ(count_in_memory(key), 1U) << cipher_name(cipher) << ": more than the caller's own";
    }
  }
  EXPECT_EQ(count_in_memory(key), 0U);
}

TEST(NoTrace, OfAKeyPair) {
  const Masked passphrase = passphrase_mask();
  const Secret given = make_passphrase();
  auto seal = ImageSeal::prepare(Cipher::kAes256Gcm).value();
  const KeyFile pair = KeyFile::generate(given.span(), kCheap).value();
  ASSERT_TRUE(seal.add_key_file(pair));
  ASSERT_TRUE(seal.draw(kImageId));
  const Slots slots = slots_of(seal);
  Masked private_half({});
  Masked shared({});
  {
    const auto half = open_private_half(pair.state().half, given.span());
    ASSERT_TRUE(half);
    private_half = Masked(half->span());
    EXPECT_EQ(count_in_memory(private_half), 1U);
    Secret agreed = Secret::allocate(kKeyBytes).value();
    ASSERT_TRUE(x25519_shared(half->span().first<kKeyBytes>(), slots[0].ephemeral_public,
                              agreed.span().first<kKeyBytes>()));
    shared = Masked(agreed.span());
    EXPECT_EQ(count_in_memory(shared), 1U);
  }
  EXPECT_EQ(count_in_memory(private_half), 0U);
  EXPECT_EQ(count_in_memory(shared), 0U);
  {
    const auto opened = open_with_passphrase(image_of(slots, 1), given.span());
    ASSERT_TRUE(opened);
    EXPECT_EQ(count_in_memory(private_half), 0U);
    EXPECT_EQ(count_in_memory(shared), 0U);
    const Masked data_key(opened->span());
    EXPECT_EQ(count_in_memory(data_key), 2U) << "the reader's and the writer's";
  }
  EXPECT_EQ(count_in_memory(passphrase), 1U) << "more than the caller's own";
}

constexpr std::size_t kDepth = std::size_t{8} << 10;

[[gnu::noinline]] void leave_bytes_on_the_stack() {
  volatile unsigned char deep[kDepth];
  for (auto& byte : deep) byte = 0x5a;
}

/// How many of them are below the frame of the caller's callee.
[[gnu::noinline]] std::size_t count_left_bytes() {
  const auto* frame = static_cast<const volatile unsigned char*>(__builtin_frame_address(0));
  std::size_t count = 0;
  for (std::size_t below = 256; below < kDepth; ++below) count += *(frame - below) == 0x5a ? 1 : 0;
  return count;
}

TEST(NoTrace, OnTheStack) {
  leave_bytes_on_the_stack();
  EXPECT_GT(count_left_bytes(), kDepth / 2) << "the count sees nothing";
  leave_bytes_on_the_stack();
  wipe_stack();
  EXPECT_LT(count_left_bytes(), 64U);
}

#endif

}  // namespace
}  // namespace dormouse::test

#include "seal/key_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "dormouse/sealing.h"

#include "seal/key_file_text.h"
#include "seal/sealed.h"

namespace dormouse::test {
namespace {

using ::testing::HasSubstr;

class KeyFiles : public ::testing::Test {
 protected:
  const TemporaryDirectory directory_;

  Result<KeyFile> read(std::string_view content) { return KeyFile::read(directory_.write("key", content)); }

  /// The message about content that is no key, which must name the file and be a mistake of usage.
  std::string refusal(std::string_view content) {
    const auto key = read(content);
    if (key) return "taken";
    EXPECT_EQ(key.error().code, Errc::kUsage);
    EXPECT_EQ(key.error().object.view(), directory_.file("key"));
    EXPECT_THAT(key.error().what(), HasSubstr("suspend-keygen"));
    return key.error().what();
  }

  std::string pair_text(std::string_view passphrase = "x") {
    const auto pair = KeyFile::generate(bytes_of(passphrase), kCheap);
    EXPECT_TRUE(pair);
    const std::string path = directory_.file("pair-" + std::to_string(++made_));
    EXPECT_TRUE(pair->write(path));
    return read_whole(path);
  }
  int made_ = 0;
};

TEST_F(KeyFiles, ARawKeyIsExactly32Bytes) {
  const auto key = read(std::string(31, '\0') + "\x01");
  ASSERT_TRUE(key) << key.error().what();
  EXPECT_EQ(key->way(), KeyWay::kKeyFile);
  EXPECT_EQ(key->cost(), std::nullopt);
  EXPECT_EQ(to_hex(key->state().raw.span()), std::string(63, '0') + "1");
  EXPECT_TRUE(read(std::string(32, '\xff')));
  EXPECT_TRUE(read(std::string(16, '\n') + std::string(16, '\0')))
      << "white space and zeros count like any byte";
}

TEST_F(KeyFiles, WhatIsNoRawKeyIsRefusedByWhatItLooksLike) {
  EXPECT_THAT(refusal(""), HasSubstr("it is empty"));
  EXPECT_THAT(refusal("x"), HasSubstr("1 bytes: it is cut short"));
  EXPECT_THAT(refusal(std::string(31, 'k')), HasSubstr("31 bytes: it is cut short"));
  EXPECT_THAT(refusal(std::string(32, '\0')), HasSubstr("all zero"));
  EXPECT_THAT(refusal(std::string(32, 'k') + "\n"), HasSubstr("too long by the end of a line"));
  EXPECT_THAT(refusal(std::string(33, 'k')), HasSubstr("33 bytes: too long"));
  EXPECT_THAT(refusal(std::string(64, 'a')), HasSubstr("hexadecimal"));
  EXPECT_THAT(refusal(std::string(64, 'a') + "\n"), HasSubstr("hexadecimal"));
  EXPECT_THAT(refusal(std::string(64, 'z')), HasSubstr("64 bytes: too long"));
  EXPECT_THAT(refusal(std::string(1 << 20, 'k')), HasSubstr("more than 4096 bytes"));
}

TEST_F(KeyFiles, UswsuspsRsaKeyIsNamed) {
  // A record of binary numbers, a few hundred bytes to a few thousand, by the length of the key.
  for (const std::size_t bytes : {std::size_t{600}, std::size_t{2084}, std::size_t{4096}}) {
    std::string record(bytes, '\x9c');
    record[0] = '\0';
    EXPECT_THAT(refusal(record), HasSubstr("RSA key that uswsusp"));
  }
  EXPECT_THAT(refusal("-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----\n"),
              HasSubstr("PEM"));
  EXPECT_THAT(refusal(std::string("-----BEGIN RSA PRIVATE KEY-----\n")), HasSubstr("PEM"))
      << "32 bytes of it";
}

TEST_F(KeyFiles, OneThatCannotBeReadIsAnErrorOfTheSystem) {
  const auto missing = KeyFile::read(directory_.file("missing"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::kIo);
  EXPECT_EQ(missing.error().errnum, ENOENT);
  EXPECT_EQ(missing.error().object.view(), directory_.file("missing"));
  const auto is_directory = KeyFile::read(directory_.path());
  ASSERT_FALSE(is_directory);
  EXPECT_EQ(is_directory.error().errnum, EISDIR);
}

TEST_F(KeyFiles, AKeyPairIsReadAsItWasWritten) {
  const auto pair = KeyFile::generate(bytes_of("correct"), kCheap);
  ASSERT_TRUE(pair) << pair.error().what();
  const std::string path = directory_.file("pair");
  ASSERT_TRUE(pair->write(path));
  struct stat status{};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);

  const auto again = KeyFile::read(path);
  ASSERT_TRUE(again) << again.error().what();
  EXPECT_EQ(again->way(), KeyWay::kKeyPair);
  EXPECT_EQ(again->public_text(), pair->public_text());
  EXPECT_EQ(again->public_text().size(), 64U);
  EXPECT_EQ(again->cost(), kCheap);
  const SealedPrivateHalf& half = again->state().half;
  EXPECT_TRUE(open_private_half(half, bytes_of("correct")));
  EXPECT_EQ(open_private_half(half, bytes_of("incorrect")).error().code, Errc::kWrongKey);
  EXPECT_EQ(open_private_half(half, {}).error().code, Errc::kUsage);
}

TEST_F(KeyFiles, TheTextIsAsTheFormatSays) {
  const std::string text = pair_text();
  EXPECT_THAT(text, ::testing::MatchesRegex("dormouse key 1\n"
                                            "public [0-9a-f]+\n"
                                            "salt [0-9a-f]+\n"
                                            "argon2id 8 1 1\n"
                                            "nonce [0-9a-f]+\n"
                                            "private [0-9a-f]+ [0-9a-f]+\n"
                                            "check [0-9a-f]+\n"));
  EXPECT_EQ(text.size(), 300U);
}

TEST_F(KeyFiles, NoTwoPairsAreAlike) {
  const std::string one = pair_text();
  const std::string other = pair_text();
  for (const std::string_view word : {"public ", "salt ", "nonce ", "private ", "check "}) {
    const auto line = [&](const std::string& text) { return text.substr(text.find(word), 30); };
    EXPECT_NE(line(one), line(other)) << word;
  }
}

TEST_F(KeyFiles, NoKeyIsWrittenOver) {
  const auto pair = KeyFile::generate(bytes_of("x"), kCheap);
  const auto raw = KeyFile::generate_raw();
  ASSERT_TRUE(pair && raw);
  const std::string path = directory_.write("precious", "content");
  for (const KeyFile* key : {&*pair, &*raw}) {
    const auto written = key->write(path);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, Errc::kUsage);
  }
  EXPECT_EQ(read_whole(path), "content");
  EXPECT_EQ(KeyFile::check_new(path).error().code, Errc::kUsage);
  EXPECT_EQ(KeyFile::check_new(directory_.file("no/such/directory")).error().errnum, ENOENT);
  EXPECT_TRUE(KeyFile::check_new(directory_.file("new")));
  ASSERT_EQ(symlink("nowhere", directory_.file("link").c_str()), 0);
  EXPECT_FALSE(raw->write(directory_.file("link")));
  EXPECT_FALSE(KeyFile::check_new(directory_.file("link")));
  EXPECT_EQ(raw->write(directory_.file("no/such/directory")).error().errnum, ENOENT);
}

TEST_F(KeyFiles, AMadeRawKeyIsReadBack) {
  const auto raw = KeyFile::generate_raw();
  ASSERT_TRUE(raw);
  ASSERT_TRUE(raw->write(directory_.file("raw")));
  const auto again = KeyFile::read(directory_.file("raw"));
  ASSERT_TRUE(again);
  EXPECT_EQ(to_hex(again->state().raw.span()), to_hex(raw->state().raw.span()));
  EXPECT_NE(to_hex(again->state().raw.span()), to_hex(KeyFile::generate_raw()->state().raw.span()));
}

TEST_F(KeyFiles, AKeyPairCutShortAnywhereIsRefused) {
  const std::string text = pair_text();
  for (std::size_t length = 0; length < text.size(); ++length) {
    const std::string message = refusal(text.substr(0, length));
    EXPECT_THAT(message, HasSubstr(length == 0 ? "empty" : "cut short")) << length;
  }
}

TEST_F(KeyFiles, AKeyPairWithAnyCharacterChangedIsRefused) {
  const std::string text = pair_text();
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char other :
         {'\n', '0', ' ', static_cast<char>(text[i] ^ 1), static_cast<char>(text[i] ^ 0x20)}) {
      if (other == text[i]) continue;
      std::string changed = text;
      changed[i] = other;
      EXPECT_NE(refusal(changed), "taken") << i << " is " << static_cast<int>(other);
    }
  }
  EXPECT_NE(refusal(text + "\n"), "taken");
  EXPECT_NE(refusal(text + text), "taken");
  EXPECT_NE(refusal("\n" + text), "taken");
  EXPECT_NE(refusal(text + std::string(5000, '#')), "taken");
}

/// The text with a check line that fits.
std::string rechecked(const SealedPrivateHalf& half) {
  return render_key_text(half).value();
}

TEST_F(KeyFiles, WhatThePassphraseCostsIsBounded) {
  const auto pair = KeyFile::generate(bytes_of("x"), kCheap);
  for (const PassphraseCost& cost :
       {PassphraseCost{262145, 1, 1}, PassphraseCost{8, 65, 1}, PassphraseCost{8, 1, 5},
        PassphraseCost{8, 0, 1}, PassphraseCost{4294967295U, 4294967295U, 4294967295U}}) {
    SealedPrivateHalf half = pair->state().half;
    half.cost = cost;
    EXPECT_THAT(refusal(rechecked(half)), HasSubstr("out of range"));
  }
}

TEST_F(KeyFiles, ALaterVersionIsNamed) {
  std::string text = pair_text();
  text.replace(text.find("key 1"), 5, "key 2");
  EXPECT_THAT(refusal(text), HasSubstr("version '2'"));
}

TEST_F(KeyFiles, APublicHalfThatIsNoKeySealsNothing) {
  SealedPrivateHalf half = KeyFile::generate(bytes_of("x"), kCheap)->state().half;
  for (const unsigned value : {0U, 1U}) {
    half.public_key = {};
    half.public_key[0] = static_cast<std::byte>(value);
    const auto key = read(rechecked(half));
    ASSERT_TRUE(key) << key.error().what();
    auto seal = ImageSeal::prepare(Cipher::kAes256Gcm).value();
    const auto added = seal.add_key_file(*key);
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().code, Errc::kUsage);
    EXPECT_EQ(seal.ways(), 0U);
  }
}

TEST_F(KeyFiles, APublicHalfExchangedUnderASealedPrivateOneOpensNothing) {
  SealedPrivateHalf half = KeyFile::generate(bytes_of("x"), kCheap)->state().half;
  half.public_key = KeyFile::generate(bytes_of("x"), kCheap)->state().half.public_key;
  const auto key = read(rechecked(half));
  ASSERT_TRUE(key);
  EXPECT_EQ(open_private_half(key->state().half, bytes_of("x")).error().code, Errc::kWrongKey);
}

}  // namespace
}  // namespace dormouse::test

#include "seal/argon2id.h"

#include <gcrypt.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "seal/bytes.h"
#include "seal/gcrypt_start.h"

namespace dormouse::test {
namespace {

struct Vector {
  PassphraseCost cost;
  std::string_view passphrase;
  std::string_view salt;
  std::string_view key;
};

// The reference implementation's own tests (P-H-C/phc-winner-argon2, src/test.c, Argon2id, version 0x13):
// without a secret and associated data, as it is used here.
constexpr std::array kVectors = std::to_array<Vector>({
    {{.memory_kib = 65536, .passes = 2, .lanes = 1},
     "password",
     "somesalt",
     "09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7"},
    {{.memory_kib = 256, .passes = 2, .lanes = 1},
     "password",
     "somesalt",
     "9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe"},
    {{.memory_kib = 256, .passes = 2, .lanes = 2},
     "password",
     "somesalt",
     "6d093c501fd5999645e0ea3bf620d7b8be7fd2db59c20d9fff9539da2bf57037"},
    {{.memory_kib = 65536, .passes = 1, .lanes = 1},
     "password",
     "somesalt",
     "f6a5adc1ba723dddef9b5ac1d464e180fcd9dffc9d1cbf76cca2fed795d9ca98"},
    {{.memory_kib = 65536, .passes = 2, .lanes = 1},
     "differentpassword",
     "somesalt",
     "0b84d652cf6b0c4beaef0dfe278ba6a80df6696281d7e0d2891b817d8c458fde"},
    {{.memory_kib = 65536, .passes = 2, .lanes = 1},
     "password",
     "diffsalt",
     "bdf32b05ccc42eb15d58fd19b1f856b113da1e9a5874fdcc544308565aa8141c"},
});

TEST(Argon2id, GivesThePublishedResults) {
  for (const Vector& vector : kVectors) {
    std::array<std::byte, 32> key{};
    const auto r = argon2id(bytes_of(vector.passphrase), bytes_of(vector.salt), vector.cost, key);
    ASSERT_TRUE(r) << r.error().what();
    EXPECT_EQ(to_hex(key), vector.key);
  }
}

// RFC 9106, section 5.3. It has a secret and associated data, which nothing here uses, so libgcrypt is called
// without our function in between.
TEST(Argon2id, LibgcryptGivesTheResultOfTheStandard) {
  ASSERT_TRUE(start_gcrypt());
  const Bytes passphrase(32, std::byte{1});
  const Bytes salt(16, std::byte{2});
  const Bytes secret(8, std::byte{3});
  const Bytes associated(12, std::byte{4});
  const std::array<unsigned long, 4> parameters{32, 3, 32, 4};
  gcry_kdf_hd_t handle = nullptr;
  ASSERT_EQ(gcry_kdf_open(&handle, GCRY_KDF_ARGON2, GCRY_KDF_ARGON2ID, parameters.data(), 4,
                          passphrase.data(), 32, salt.data(), 16, secret.data(), 8, associated.data(), 12),
            0U);
  Bytes key(32);
  EXPECT_EQ(gcry_kdf_compute(handle, nullptr), 0U);
  EXPECT_EQ(gcry_kdf_final(handle, 32, key.data()), 0U);
  gcry_kdf_close(handle);
  EXPECT_EQ(to_hex(key), "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659");
}

TEST(Argon2id, RefusesWhatIsNoPassphraseAndWhatNobodyPays) {
  std::array<std::byte, 32> key{};
  const PassphraseCost cheap{.memory_kib = 8, .passes = 1, .lanes = 1};
  const auto code = [&](std::span<const std::byte> passphrase, const PassphraseCost& cost) {
    const auto r = argon2id(passphrase, bytes_of("somesalt"), cost, key);
    return r ? std::optional<Errc>() : r.error().code;
  };
  EXPECT_EQ(code(bytes_of("x"), cheap), std::nullopt);
  EXPECT_EQ(code(Bytes(512), cheap), std::nullopt);
  EXPECT_EQ(code({}, cheap), Errc::kUsage);
  EXPECT_EQ(code(Bytes(513), cheap), Errc::kUsage);
  for (const PassphraseCost& cost : {PassphraseCost{.memory_kib = 7, .passes = 1, .lanes = 1},
                                     PassphraseCost{.memory_kib = 8, .passes = 0, .lanes = 1},
                                     PassphraseCost{.memory_kib = 8, .passes = 1, .lanes = 0},
                                     PassphraseCost{.memory_kib = 8, .passes = 65, .lanes = 1},
                                     PassphraseCost{.memory_kib = 64, .passes = 1, .lanes = 5},
                                     PassphraseCost{.memory_kib = 15, .passes = 1, .lanes = 2},
                                     PassphraseCost{.memory_kib = 262145, .passes = 1, .lanes = 1},
                                     PassphraseCost{.memory_kib = 262144, .passes = 17, .lanes = 1}}) {
    EXPECT_EQ(code(bytes_of("x"), cost), Errc::kUsage)
        << cost.memory_kib << ' ' << cost.passes << ' ' << cost.lanes;
  }
}

#ifdef DORMOUSE_LOOKS_THROUGH_MEMORY
TEST(Argon2id, NamesTheMemoryThatIsNotThere) {
  ASSERT_TRUE(start_gcrypt());
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{.rlim_cur = std::size_t{100} << 20, .rlim_max = std::size_t{100} << 20};
    setrlimit(RLIMIT_AS, &limit);
    std::array<std::byte, 32> key{};
    const auto r =
        argon2id(bytes_of("x"), bytes_of("somesalt"), {.memory_kib = 262144, .passes = 1, .lanes = 1}, key);
    const bool right =
        !r && r.error().code == Errc::kNoMemory && r.error().what().find("262144 KiB") != std::string::npos;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}
#endif

}  // namespace
}  // namespace dormouse::test

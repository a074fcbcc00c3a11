/// Sealed images from the tools' own side: keys that open and keys that do not, a passphrase given while the
/// image is read ahead, and a key that cannot be used before anything is frozen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/unique_fd.h"
#include "cycle/cycle_bed.h"
#include "fault/boot_bed.h"
#include "fault/suspend_bed.h"

namespace dormouse::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Standard input is a pipe that holds these lines, and nobody writes more.
class LinesOnStandardInput {
 public:
  explicit LinesOnStandardInput(std::string_view lines) : saved_(::dup(STDIN_FILENO)) {
    std::array<int, 2> ends{-1, -1};
    EXPECT_EQ(::pipe(ends.data()), 0);
    EXPECT_EQ(::write(ends[1], lines.data(), lines.size()), static_cast<ssize_t>(lines.size()));
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ~LinesOnStandardInput() { ::dup2(saved_.get(), STDIN_FILENO); }
  LinesOnStandardInput(const LinesOnStandardInput&) = delete;
  LinesOnStandardInput& operator=(const LinesOnStandardInput&) = delete;

 private:
  UniqueFd saved_;
};

constexpr std::string_view kRawKey = "0123456789abcdef0123456789abcdef";
constexpr std::string_view kOtherKey = "0123456789abcdef0123456789abcdeF";
static_assert(kRawKey.size() == kKeyBytes);

void name_key_file(Settings& settings, const std::string& path, Origin::Kind kind) {
  settings.key_files = {path};
  settings.origins[static_cast<std::size_t>(Key::kKeyFile)] = {kind, "a test"};
}

class SealedBoot : public ::testing::Test {
 protected:
  void seal_with_passphrase() {
    ImageSeal seal = seal_with("open sesame");
    bed_.save_with(seal);
  }
  void seal_with_key_file(bool passphrase_too) {
    ImageSeal seal =
        passphrase_too ? seal_with("open sesame") : ImageSeal::prepare(Cipher::kAes256Gcm).value();
    seal.add_key_file(KeyFile::read(bed_.write_file("right", kRawKey)).value()).value();
    bed_.save_with(seal);
  }
  void configure(std::string_view name, std::string_view key, Origin::Kind kind = Origin::Kind::kFile) {
    name_key_file(bed_.settings, bed_.write_file(name, key), kind);
  }
  BootAftermath boot(std::string_view lines) {
    const LinesOnStandardInput input(lines);
    return bed_.run();
  }
  static void expect_resumed(const BootAftermath& after) {
    EXPECT_TRUE(after.jumped) << after.said;
    EXPECT_FALSE(after.marked_at_jump);
  }
  static void expect_kept(const BootAftermath& after, std::string_view end) {
    EXPECT_FALSE(after.jumped);
    EXPECT_TRUE(after.restarted) << after.said;
    EXPECT_TRUE(after.marked_at_restart) << "the image is kept";
    EXPECT_THAT(after.said, HasSubstr(std::string(end)));
  }

  BootBed bed_;
};

TEST_F(SealedBoot, IsOpenedByThePassphrase) {
  seal_with_passphrase();
  expect_resumed(boot("open sesame\n"));
}

TEST_F(SealedBoot, IsOpenedByTheThirdPassphrase) {
  seal_with_passphrase();
  expect_resumed(boot("open\nsesame\nopen sesame\n"));
}

TEST_F(SealedBoot, EndsInAPowerOffAfterThreeWrongOnes) {
  seal_with_passphrase();
  const auto after = boot("one\ntwo\nthree\nopen sesame\n");
  expect_kept(after, "powering off; the image is kept");
  EXPECT_THAT(after.said, HasSubstr("none of the 3 passphrases given opens it"));
  EXPECT_THAT(after.said, HasSubstr("does not count as a try"));
}

TEST_F(SealedBoot, IsAFailedTryWhereNobodyCanBeAsked) {
  seal_with_passphrase();
  const auto after = boot("");
  expect_kept(after, "restarting the machine; the image is kept");
  EXPECT_THAT(after.said, HasSubstr("this was try 1 of 2"));
  EXPECT_EQ(after.exit_code, 3) << "2 would tell the boot script that nothing was looked at";
}

TEST_F(SealedBoot, IsOpenedByAKeyFileWithoutAQuestion) {
  for (const bool passphrase_too : {false, true}) {
    seal_with_key_file(passphrase_too);
    configure("right", kRawKey);
    expect_resumed(boot(""));
    configure("right", kRawKey, Origin::Kind::kCommandLine);
    expect_resumed(boot(""));
  }
}

TEST_F(SealedBoot, AsksWhereTheConfiguredKeyFileIsNotThereOrDoesNotFit) {
  seal_with_key_file(/*passphrase_too=*/true);
  name_key_file(bed_.settings, "/nonexistent/key", Origin::Kind::kFile);
  const auto missing = boot("open sesame\n");
  expect_resumed(missing);
  EXPECT_THAT(missing.said, HasSubstr("/nonexistent/key"));
  configure("other", kOtherKey);
  expect_resumed(boot("open sesame\n"));
}

TEST_F(SealedBoot, DoesNotAskWhereAKeyFileWasNamedOnTheCommandLine) {
  seal_with_key_file(/*passphrase_too=*/true);
  name_key_file(bed_.settings, "/nonexistent/key", Origin::Kind::kCommandLine);
  EXPECT_FALSE(boot("open sesame\n").jumped);
  configure("other", kOtherKey, Origin::Kind::kCommandLine);
  const auto other = boot("open sesame\n");
  EXPECT_FALSE(other.jumped);
  EXPECT_THAT(other.said, HasSubstr("does not open this image"));
}

TEST_F(SealedBoot, IsAFailedTryWhereNoKeyFileFitsAndNothingElseWould) {
  seal_with_key_file(/*passphrase_too=*/false);
  configure("other", kOtherKey);
  const auto after = boot("open sesame\n");
  expect_kept(after, "restarting the machine; the image is kept");
  EXPECT_THAT(after.said, HasSubstr("only a key file opens this image"));
  EXPECT_THAT(after.said, Not(HasSubstr("passphrase of")));
  EXPECT_EQ(after.exit_code, 3);
}

TEST_F(SealedBoot, CountsTheTryBeforeAnythingIsPassedOn) {
  seal_with_passphrase();
  const auto after = boot("open sesame\n");
  expect_resumed(after);
  const auto counted = std::ranges::find(after.calls, "pwrite");
  const auto passed_on = std::ranges::find(after.calls, "writev");
  ASSERT_NE(passed_on, after.calls.end());
  EXPECT_LT(counted, passed_on);
  const LinesOnStandardInput input("open sesame\n");
  const auto uncountable = bed_.run({.name = "pwrite", .errnum = EIO, .times = CallFault::kForEver});
  EXPECT_FALSE(uncountable.jumped);
  EXPECT_EQ(std::ranges::count(uncountable.calls, "writev"), 0);
  EXPECT_THAT(uncountable.said, HasSubstr("could not be counted"));
}

TEST_F(SealedBoot, AnEmptyPassphraseIsNoTryEither) {
  seal_with_passphrase();
  expect_kept(boot("one\n\n"), "powering off; the image is kept");
}

// Whoever can write to the disk while the machine boots can say one thing first, and another later.
TEST_F(SealedBoot, NothingOfAPlainImageIsLoadedWheneverItTakesThePlaceOfTheSealedOne) {
  bed_.settings.encrypt.on = true;
  for (const bool asks : {true, false}) {
    if (asks) {
      seal_with_passphrase();
    } else {
      seal_with_key_file(/*passphrase_too=*/false);
      configure("right", kRawKey);
    }
    int refused = 0;
    for (std::uint64_t read = 0; read < 30; ++read) {
      bed_.turns_at(read);
      const auto after = boot("open sesame\n");
      EXPECT_TRUE(!after.jumped || after.loaded_pages == BootBed::kImagePages) << "from read " << read;
      if (!after.jumped) ++refused;
    }
    EXPECT_GT(refused, 3);
  }
}

// One that nobody here sealed, which the key does not open: a try that failed, not one that nobody made.
TEST_F(SealedBoot, NothingOfAnotherSealedImageIsLoadedAndTheTryStaysCounted) {
  seal_with_key_file(/*passphrase_too=*/false);
  configure("right", kRawKey);
  auto other = ImageSeal::prepare(Cipher::kAes256Gcm).value();
  other.add_key_file(KeyFile::read(bed_.write_file("other", kOtherKey)).value()).value();
  bed_.seal_other(other);
  int changed = 0;
  for (std::uint64_t read = 1; read < 20; ++read) {
    bed_.turns_at(read);
    const auto after = boot("open sesame\n");
    EXPECT_TRUE(!after.jumped || after.loaded_pages == BootBed::kImagePages) << "from read " << read;
    EXPECT_THAT(after.said, Not(HasSubstr("does not count as a try"))) << "from read " << read;
    if (after.said.find("changed it meanwhile") != std::string::npos) ++changed;
  }
  EXPECT_GT(changed, 0);
}

TEST_F(SealedBoot, TakesNoPlainImageWhereTheConfigurationSeals) {
  bed_.settings.encrypt.on = true;
  const auto after = boot("");
  expect_kept(after, "it is not sealed");
  EXPECT_EQ(after.exit_code, 3);
}

class SealedSuspend : public ::testing::Test {
 protected:
  static bool froze(const SuspendAftermath& after) {
    return std::ranges::find(after.calls, "SNAPSHOT_FREEZE") != after.calls.end();
  }
  SealedSuspend() {
    bed_.settings.encrypt = {.on = true, .cipher = Cipher::kChaCha20Poly1305};
    bed_.settings.shutdown_method = ShutdownMethod::kNone;
    bed_.settings.verify = true;
  }
  SuspendBed bed_;
};

TEST_F(SealedSuspend, SavesAndVerifiesWithAKeyFile) {
  name_key_file(bed_.settings, bed_.write_file("key", kRawKey), Origin::Kind::kFile);
  const auto after = bed_.run();
  EXPECT_EQ(after.exit_code, 0) << after.message;
  EXPECT_TRUE(froze(after));
  EXPECT_TRUE(after.header_as_before) << "a rehearsal";
}

TEST_F(SealedSuspend, FreezesNothingWithAKeyThatCannotBeUsed) {
  const std::vector<std::pair<std::string, int>> keys = {
      {"/nonexistent/key", 1},
      {bed_.write_file("short", kRawKey.substr(1)), 2},
      {bed_.write_file("long", std::string(kRawKey) + "\n"), 2},
      {bed_.write_file("empty", ""), 2},
      {bed_.write_file("pem", "-----BEGIN RSA PRIVATE KEY-----\n"), 2},
  };
  for (const auto& [path, exit_code] : keys) {
    name_key_file(bed_.settings, path, Origin::Kind::kFile);
    const auto after = bed_.run();
    EXPECT_EQ(after.exit_code, exit_code) << after.message;
    EXPECT_FALSE(froze(after)) << path;
    EXPECT_TRUE(after.header_as_before);
  }
}

TEST_F(SealedSuspend, FreezesNothingWithoutAPassphrase) {
  for (const std::string_view lines : {"", "\n"}) {
    const LinesOnStandardInput input(lines);
    const auto after = bed_.run();
    EXPECT_EQ(after.exit_code, 2) << after.message;
    EXPECT_FALSE(froze(after));
  }
}

}  // namespace
}  // namespace dormouse::test

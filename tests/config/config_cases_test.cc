/// Lines as people write them, and what they must mean: from a whole file to the merged settings.
#include <gmock/gmock.h>

#include <functional>

#include "config/config_helpers.h"

namespace dormouse {
namespace {

using ::testing::HasSubstr;
using Check = std::function<void(const S2diskOptions&)>;

struct Case {
  std::string file;
  Check check;
};

Check bytes(std::uint64_t expected) {
  return [=](const S2diskOptions& o) {
    EXPECT_EQ(o.settings.image_size, (ImageSize{ImageSize::Unit::kBytes, expected}));
    EXPECT_TRUE(o.warnings.empty());
  };
}
Check ram_millionths(std::uint64_t expected) {
  return [=](const S2diskOptions& o) {
    EXPECT_EQ(o.settings.image_size, (ImageSize{ImageSize::Unit::kRamMillionths, expected}));
  };
}
Check codec(bool automatic, CodecSpec spec) {
  return [=](const S2diskOptions& o) {
    EXPECT_EQ(o.settings.codec, (CodecChoice{automatic, spec}));
    EXPECT_TRUE(o.warnings.empty());
  };
}
Check writeout(std::uint32_t millionths) {
  return [=](const S2diskOptions& o) { EXPECT_EQ(o.settings.early_writeout.millionths, millionths); };
}
Check threads(std::optional<unsigned> expected) {
  return [=](const S2diskOptions& o) { EXPECT_EQ(o.settings.threads, expected); };
}
Check device(const std::string& expected) {
  return [=](const S2diskOptions& o) {
    EXPECT_EQ(o.settings.resume_device, expected);
    EXPECT_TRUE(o.warnings.empty());
  };
}
Check method(ShutdownMethod expected) {
  return [=](const S2diskOptions& o) { EXPECT_EQ(o.settings.shutdown_method, expected); };
}
Check warns(const std::string& text) {
  return [=](const S2diskOptions& o) {
    ASSERT_EQ(o.warnings.size(), 1U);
    EXPECT_THAT(o.warnings.front(), HasSubstr(text));
    EXPECT_THAT(o.warnings.front(), HasSubstr(":1: "));
  };
}
Check encrypts(std::optional<Cipher> cipher, std::vector<std::string> keys, bool asks) {
  return [=](const S2diskOptions& o) {
    EXPECT_EQ(o.settings.encrypt, (EncryptChoice{true, cipher}));
    EXPECT_EQ(o.settings.all_key_files(), keys);
    EXPECT_EQ(o.settings.asks_passphrase(), asks);
    EXPECT_TRUE(o.warnings.empty());
  };
}
Check says_nothing() {
  return [](const S2diskOptions& o) { EXPECT_TRUE(o.warnings.empty()) << o.warnings.front(); };
}

constexpr CodecSpec kLz4{CodecId::kLz4, 1};

const std::vector<Case>& sound_cases() {
  static const std::vector<Case> cases = {
      {"image size = 2G", bytes(2147483648)},
      {"image size = 40%", ram_millionths(400'000)},
      {"image size = 0x20000000", bytes(536870912)},
      {"image size = 0", bytes(0)},
      {"image size = 500000000", bytes(500000000)},
      {"image size = 512MiB", bytes(536870912)},
      {"image size = 512 MiB", bytes(536870912)},
      {"image size = 1.5G", bytes(1610612736)},
      {"image size = 4k", bytes(4096)},
      {"image size = 3t", bytes(3298534883328)},
      {"image size = 33.3%", ram_millionths(333'000)},
      {"image size = 40 %", ram_millionths(400'000)},
      {"image size = 100%", ram_millionths(1'000'000)},
      {"image size = 0%", ram_millionths(0)},
      {"image size: 2G", bytes(2147483648)},
      {"\timage  size\t=\t2G\t", bytes(2147483648)},
      {"IMAGE SIZE=2G", bytes(2147483648)},
      {"image_size = 2G", bytes(2147483648)},
      {"image size = \"2G\"", bytes(2147483648)},
      {"image size = '2G'  # two", bytes(2147483648)},
      {"image size = 2G\r\n", bytes(2147483648)},
      {"image size = 2G # comment\n", bytes(2147483648)},
      {"image size = 2G\t#comment", bytes(2147483648)},
      {"\xEF\xBB\xBFimage size = 1M", bytes(1048576)},
      {"# nothing\n\n   # more\n\t\nimage size = 1M", bytes(1048576)},
      {"compress = y", codec(true, kLz4)},
      {"compress = true", codec(true, kLz4)},
      {"compress = YES", codec(true, kLz4)},
      {"compress = on", codec(true, kLz4)},
      {"compress = 1", codec(true, kLz4)},
      {"Compress = y", codec(true, kLz4)},
      {"compress = auto", codec(true, kLz4)},
      {"compress = lz4", codec(false, kLz4)},
      {"compress = lz4:8", codec(false, {CodecId::kLz4, 8})},
      {"compress: zstd:-3", codec(false, {CodecId::kZstd, -3})},
      {"compress = n", codec(false, {CodecId::kStored, 0})},
      {"compress = off", codec(false, {CodecId::kStored, 0})},
      {"compress = none", codec(false, {CodecId::kStored, 0})},
      {"early writeout = y", writeout(10'000)},
      {"early writeout = 1", writeout(10'000)},
      {"early writeout = off", writeout(0)},
      {"early writeout = n", writeout(0)},
      {"early writeout = 0", writeout(0)},
      {"early writeout = 25%", writeout(250'000)},
      {"early writeout = 0.5", writeout(5'000)},
      {"early writeout = 100 %", writeout(1'000'000)},
      {"threads = y", threads(std::nullopt)},
      {"threads = auto", threads(std::nullopt)},
      {"threads = n", threads(1)},
      {"threads = 4", threads(4)},
      {"threads = 64", threads(64)},
      {"shutdown method = Reboot", method(ShutdownMethod::kReboot)},
      {"shutdown method = none", method(ShutdownMethod::kNone)},
      {"resume device = /dev/sda2 # swap", device("/dev/sda2")},
      {"resume device = /dev/sda2#1", device("/dev/sda2#1")},
      {"resume device = \"/dev/disk/by-label/my swap #2\" # label", device("/dev/disk/by-label/my swap #2")},
      {"resume device = /dev/disk/by-label/my swap", device("/dev/disk/by-label/my swap")},
      {R"(resume device = /dev/disk/by-partlabel/Linux\x20swap)",
       device(R"(/dev/disk/by-partlabel/Linux\x20swap)")},
      {"resume device = 259:65537", device("259:65537")},
      {"resume device: /dev/sda2", device("/dev/sda2")},
      {"resume device = UUID=69810c51-5a82-4c86-a45e-bc563f9af8fa",
       device("UUID=69810c51-5a82-4c86-a45e-bc563f9af8fa")},
      {"resume device = PartLabel=swap", device("PartLabel=swap")},
      {"resume device = /dev/disk/by-path/pci-0000:00:1f.2", device("/dev/disk/by-path/pci-0000:00:1f.2")},
      {"resume device = /dev/sda2\nresume offset = 34816",
       [](const S2diskOptions& o) { EXPECT_EQ(o.settings.resume_offset_pages, 34816U); }},
      {"resume offset = 0x8800\nresume device = /dev/sda2",
       [](const S2diskOptions& o) { EXPECT_EQ(o.settings.resume_offset_pages, 34816U); }},
      {"resume offset = 0", says_nothing()},
      {"compressor = lz4", warns("unknown key 'compressor', ignored; did you mean 'compress'?")},
      {"early write out = y", warns("did you mean 'early writeout'?")},
      {"resum device = /dev/sda2", warns("did you mean 'resume device'?")},
      {"xyzzy = 1", warns("unknown key 'xyzzy', ignored")},
      {"compute checksum = y", says_nothing()},
      {"compute checksum = n", warns("every chunk is checked")},
      {"splash = n", says_nothing()},
      {"splash = y", warns("no splash screen")},
      {"resume pause = 5", warns("does not pause")},
      {"debug test file = /tmp/x", warns("--from FILE")},
      {"debug verify image = y", [](const S2diskOptions& o) { EXPECT_TRUE(o.settings.verify); }},
      {"encrypt = n", says_nothing()},
      {"encrypt = n\nRSA key file = /etc/uswsusp.key\npassphrase = y", says_nothing()},
      {"encrypt = y", encrypts(std::nullopt, {}, true)},
      {"encrypt = yes\nkey file = /k", encrypts(std::nullopt, {"/k"}, false)},
      {"encrypt = AES-256-OCB\npassphrase = y", encrypts(Cipher::kAes256Ocb, {}, true)},
      {"encrypt = aes-256-gcm\nkey file = /a\nKey_File: '/b c'\npassphrase = y",
       encrypts(Cipher::kAes256Gcm, {"/a", "/b c"}, true)},
      {"encrypt = chacha20-poly1305\nRSA key file = /nonexistent",
       encrypts(Cipher::kChaCha20Poly1305, {"/nonexistent"}, false)},
      {"encrypt = y\nRSA key file = /nonexistent", encrypts(std::nullopt, {"/nonexistent"}, false)},
      {"encrypt = y\nkey file = /a\nRSA key file = /b", encrypts(std::nullopt, {"/a", "/b"}, false)},
      {"passphrase countdown = 1",
       [](const S2diskOptions& o) { EXPECT_EQ(o.settings.passphrase_countdown, 1U); }},
      {"suspend loglevel = 2\nmax loglevel = 8",
       [](const S2diskOptions& o) {
         EXPECT_EQ(o.settings.suspend_loglevel, 2);
         EXPECT_EQ(o.settings.max_loglevel, 8);
       }},
      {"resume attempts = 1\nresume countdown = 0",
       [](const S2diskOptions& o) {
         EXPECT_EQ(o.settings.resume_attempts, 1U);
         EXPECT_EQ(o.settings.resume_countdown, 0U);
       }},
      {"Resume_Attempts: 100\nresume-countdown = 600",
       [](const S2diskOptions& o) {
         EXPECT_EQ(o.settings.resume_attempts, 100U);
         EXPECT_EQ(o.settings.resume_countdown, 600U);
       }},
      {"# defaults",
       [](const S2diskOptions& o) {
         EXPECT_EQ(o.settings.resume_attempts, 2U);
         EXPECT_EQ(o.settings.resume_countdown, 20U);
         EXPECT_EQ(o.settings.passphrase_countdown, 60U);
         EXPECT_FALSE(o.settings.encrypt.on);
       }},
      {"snapshot device = /dev/misc/snapshot",
       [](const S2diskOptions& o) { EXPECT_EQ(o.settings.snapshot_device, "/dev/misc/snapshot"); }},
      {"io = buffered\nverify = y\nprogress = plain\nreport = json\nreport file = /run/report",
       [](const S2diskOptions& o) {
         EXPECT_EQ(o.settings.io, IoMode::kBuffered);
         EXPECT_TRUE(o.settings.verify);
         EXPECT_EQ(o.settings.progress, ProgressMode::kPlain);
         EXPECT_EQ(o.settings.report, ReportFormat::kJson);
         EXPECT_EQ(o.settings.report_file, "/run/report");
       }},
      {"", says_nothing()},
  };
  return cases;
}

TEST(ConfigCases, MeanWhatTheirAuthorMeant) {
  for (const Case& one : sound_cases()) {
    SCOPED_TRACE(one.file);
    const test::ConfigFile file(one.file);
    const auto options = test::s2disk({}, file.path());
    ASSERT_TRUE(options) << options.error().what();
    one.check(*options);
  }
}

TEST(ConfigCases, AreRefusedWithFileAndLine) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"image size = -1", "not a size"},
      {"image size = 2Gx", "image size = 2Gx: not a size"},
      {"image size = 2G 3", "not a size"},
      {"image size = G", "not a size"},
      {"image size = 1.5", "not a size"},
      {"image size = 1..5G", "not a size"},
      {"image size = 500,000", "not a size"},
      {"image size = 0x", "not a size"},
      {"image size = 0x10G", "not a size"},
      {"image size = 2GB", "1000- or 1024-based"},
      {"image size = 101%", "write one from 0% to 100%"},
      {"image size = 100.1%", "write one from 0% to 100%"},
      {"image size = -5%", "write one from 0% to 100%"},
      {"image size = %", "write one from 0% to 100%"},
      {"image size = 18446744073709551616", "not a size"},
      {"image size = 99999999T", "larger than any memory"},
      {"image size = ", "empty"},
      {"image size =   # 2G", "empty"},
      {"image size = \"\"", "empty"},
      {"compress = yes please", "neither a codec nor yes or no"},
      {"compress = lzo", "there are auto, none, lzf, lz4[:1..64]"},
      {"compress = lz4:99", "lz4 has no level 99"},
      {"early writeout = 101", "above 0 and up to 100"},
      {"early writeout = 0%", "above 0 and up to 100"},
      {"early writeout = 0.0", "above 0 and up to 100"},
      {"early writeout = sometimes", "or off"},
      {"threads = 0", "from 1 to 64"},
      {"threads = 65", "from 1 to 64"},
      {"threads = -1", "from 1 to 64"},
      {"shutdown method = halt", "must be one of platform, shutdown, reboot, suspend, none"},
      {"resume device =", "empty"},
      {"resume device = /dev/sda2 resume_offset=123456", "'resume offset = 123456' in a line of its own"},
      {"resume device = resume=/dev/sda2", "without 'resume='"},
      {"resume offset = 36151296..", "stray characters '..': write the number alone; in what filefrag"},
      {"resume offset = 36151296:", "stray characters ':'"},
      {"resume offset = 123 pages", "stray characters ' pages'"},
      {"resume offset = abc", "not a number of pages"},
      {"resume offset = -1", "not a number of pages"},
      {"resume offset = 34816", "an offset needs its device"},
      {"resume device = \"/dev/sda2", "not closed"},
      {"resume device = \"/dev/sda2\" swap", "stray characters 'swap'"},
      {"resume device = \"/dev/sda2\"#swap", "stray characters '#swap'"},
      {"compress", "not of the form 'key = value'"},
      {"compress # = y", "not of the form 'key = value'"},
      {"= y", "no key before '='"},
      {std::string("image size = 2G\0", 16), "control character"},
      {"\xff\xfe"
       "c\0",
       "not of the form"},
      {"passphrase = n\nencrypt = y", "nobody could open it"},
      {"RSA key file = /etc/uswsusp.key", "a key file is named, and 'encrypt' is not set"},
      {"key file = /k", "the image would not be sealed"},
      {"passphrase = y", "a passphrase is asked for, and 'encrypt' is not set"},
      {"encrypt = maybe", "write y, n, aes-256-gcm, aes-256-ocb or chacha20-poly1305"},
      {"encrypt = aes", "nor a cipher"},
      {"encrypt =", "empty"},
      {"key file =", "empty"},
      {"passphrase = maybe", "write y or n"},
      {"passphrase countdown = 601", "seconds: write one from 1 to 600"},
      {"passphrase countdown = 0", "seconds: write one from 1 to 600"},
      {"resume attempts = 0", "tries: write one from 1 to 100"},
      {"resume attempts = 101", "tries: write one from 1 to 100"},
      {"resume attempts = two", "tries: write one from 1 to 100"},
      {"resume countdown = 601", "seconds: write one from 0 to 600"},
      {"resume countdown = -1", "seconds: write one from 0 to 600"},
      {"resume countdown = 5s", "seconds: write one from 0 to 600"},
      {"compute checksum = maybe", "write y or n"},
      {"suspend loglevel = loud", "from 0 to 15"},
      {"format = kernel", "not built yet"},
      {"format = tuxonice", "must be one of dormouse, kernel"},
  };
  for (const auto& [text, expected] : cases) {
    SCOPED_TRACE(text);
    const test::ConfigFile file(text);
    const auto options = test::s2disk({}, file.path());
    ASSERT_FALSE(options);
    EXPECT_EQ(options.error().code, Errc::kUsage);
    EXPECT_THAT(options.error().what(), HasSubstr(file.path() + ":1: "));
    EXPECT_THAT(options.error().what(), HasSubstr(expected));
  }
}

TEST(ConfigCases, HaveAsManyWaysToOpenAnImageAsItsHeaderHolds) {
  std::string text = "encrypt = y\npassphrase = y\n";
  for (int i = 1; i < 8; ++i) text += fmt::format("key file = /k{}\n", i);
  EXPECT_TRUE(test::s2disk({}, test::ConfigFile(text).path()));
  const test::ConfigFile ninth(text + "key file = /k8\n");
  EXPECT_THAT(test::message(test::s2disk({}, ninth.path())),
              HasSubstr(ninth.path() +
                        ":10: an image can have 8 ways to open it at most; 8 key files and a passphrase"));
}

TEST(ConfigCases, OfTheCommandLine) {
  const auto size = test::s2disk({"-s", "2G"});
  ASSERT_TRUE(size);
  EXPECT_EQ(size->settings.image_size.value, 2147483648U);
  EXPECT_THAT(test::message(test::s2disk({"-o", "abc", "-r", "/dev/sda2"})),
              HasSubstr("--resume-offset abc"));
}

}  // namespace
}  // namespace dormouse

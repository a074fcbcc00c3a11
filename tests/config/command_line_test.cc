#include "config/command_line.h"

#include <gmock/gmock.h>

#include "config/config_helpers.h"

namespace dormouse {
namespace {

using test::message;
using test::resume;
using test::s2disk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Args = std::vector<std::string>;

TEST(S2diskCommandLine, HasItsDefaults) {
  const auto options = s2disk({});
  ASSERT_TRUE(options) << options.error().what();
  EXPECT_FALSE(options->text);
  EXPECT_THAT(options->warnings, IsEmpty());
  const Settings& s = options->settings;
  EXPECT_EQ(s.image_size, (ImageSize{ImageSize::Unit::kRamMillionths, 400'000}));
  EXPECT_EQ(s.codec, (CodecChoice{true, {CodecId::kLz4, 1}}));
  EXPECT_EQ(s.early_writeout.millionths, 10'000U);
  EXPECT_EQ(s.io, IoMode::kDirect);
  EXPECT_EQ(s.shutdown_method, ShutdownMethod::kPlatform);
  EXPECT_EQ(s.snapshot_device, "/dev/snapshot");
  EXPECT_EQ(s.resume_device, "");
  EXPECT_FALSE(s.resume_offset_pages || s.threads || s.verify);
}

TEST(S2diskCommandLine, TakesTheLineTheProjectIsKnownFor) {
  const auto options = s2disk({"--compress", "--early-writeout", "1"});
  ASSERT_TRUE(options) << options.error().what();
  EXPECT_TRUE(options->settings.codec.automatic);
  EXPECT_EQ(options->settings.early_writeout.millionths, 10'000U);
  EXPECT_EQ(options->settings.resume_device, "");
}

TEST(S2diskCommandLine, TakesEveryOption) {
  const auto options = s2disk({"-r",
                               "/dev/sda2",
                               "-o",
                               "34816",
                               "-s",
                               "2G",
                               "-c",
                               "-e",
                               "0.5%",
                               "-t",
                               "4",
                               "--io=buffered",
                               "--format",
                               "dormouse",
                               "--verify",
                               "--shutdown-method",
                               "none",
                               "--from",
                               "snap",
                               "--report=json",
                               "--report-file",
                               "r.json",
                               "--progress",
                               "bar",
                               "-P",
                               "suspend loglevel=3"});
  ASSERT_TRUE(options) << options.error().what();
  const Settings& s = options->settings;
  EXPECT_EQ(s.resume_device, "/dev/sda2");
  EXPECT_EQ(s.resume_offset_pages, 34816U);
  EXPECT_EQ(s.image_size.value, 2147483648U);
  EXPECT_EQ(s.early_writeout.millionths, 5'000U);
  EXPECT_EQ(s.threads, 4U);
  EXPECT_EQ(s.io, IoMode::kBuffered);
  EXPECT_TRUE(s.verify);
  EXPECT_EQ(s.shutdown_method, ShutdownMethod::kNone);
  EXPECT_EQ(options->from_file, "snap");
  EXPECT_EQ(s.report, ReportFormat::kJson);
  EXPECT_EQ(s.report_file, "r.json");
  EXPECT_EQ(s.progress, ProgressMode::kBar);
  EXPECT_EQ(s.suspend_loglevel, 3);
  EXPECT_EQ(s.origin(Key::kImageSize).text(), "--image-size");
}

TEST(S2diskCommandLine, TakesTheOldSpellings) {
  const auto options = s2disk({"--resume_device", "/dev/sda2", "--resume_offset=5", "--image_size", "1G"});
  ASSERT_TRUE(options) << options.error().what();
  EXPECT_EQ(options->settings.resume_device, "/dev/sda2");
  EXPECT_EQ(options->settings.resume_offset_pages, 5U);
  EXPECT_EQ(options->settings.image_size.value, 1073741824U);
}

TEST(S2diskCommandLine, AnOptionalValueGoesWithEqualsOnly) {
  for (const Args& args :
       {Args{"--compress", "/dev/sda2"}, Args{"-c", "/dev/sda2"}, Args{"/dev/sda2", "-c"}}) {
    const auto options = s2disk(args);
    ASSERT_TRUE(options) << options.error().what();
    EXPECT_TRUE(options->settings.codec.automatic);
    EXPECT_EQ(options->settings.resume_device, "/dev/sda2");
  }
  for (const Args& args : {Args{"--compress=zstd:-1"}, Args{"-czstd:-1"}, Args{"-c=zstd:-1"}}) {
    const auto options = s2disk(args);
    ASSERT_TRUE(options) << options.error().what();
    EXPECT_EQ(options->settings.codec, (CodecChoice{false, {CodecId::kZstd, -1}}));
  }
  EXPECT_THAT(message(s2disk({"-c", "lz4"})), HasSubstr("write --compress=lz4"));
}

TEST(S2diskCommandLine, TheLaterOfTwoWins) {
  const auto options = s2disk({"-s", "1G", "-P", "image size = 2G", "-e", "5", "-e", "off"});
  ASSERT_TRUE(options) << options.error().what();
  EXPECT_EQ(options->settings.image_size.value, 2147483648U);
  EXPECT_TRUE(options->settings.early_writeout.off());
  EXPECT_EQ(s2disk({"-P", "image size=2G", "-s", "1G"})->settings.image_size.value, 1073741824U);
  EXPECT_EQ(s2disk({"-s", "1", "-P", "image_size:2", "-s", "3"})->settings.image_size.value, 3U);
}

TEST(S2diskCommandLine, TheLaterOfTwoWinsAndSaysSo) {
  const auto warnings = [](const Args& args) {
    const auto options = s2disk(args);
    EXPECT_TRUE(options) << message(options);
    return options ? options->warnings : Args{};
  };
  EXPECT_THAT(warnings({"-s", "1G", "-s", "2G"}),
              ElementsAre("--image-size 2G: 'image size' again: this counts, --image-size 1G before it does "
                          "not; leave one out"));
  EXPECT_THAT(warnings({"-s", "1G", "-P", "image size = 2G"}),
              ElementsAre(HasSubstr("this counts, --image-size 1G before it does not")));
  EXPECT_THAT(warnings({"-s", "1", "-s", "2", "-s", "3"}),
              ElementsAre(HasSubstr("--image-size 1 before"), HasSubstr("--image-size 2 before")));
  EXPECT_THAT(warnings({"--from", "/a", "--from", "/b"}),
              ElementsAre(HasSubstr("--from /a before it does not")));
  EXPECT_THAT(
      warnings({"--encrypt", "--key-file", "/a", "--key-file", "/b", "-P", "threads=1", "-P", "io=direct"}),
      ElementsAre());
  EXPECT_THAT(parse_s2disk(Args{"s2both", "--shutdown-method", "none"}, test::kNoFile)->warnings,
              ElementsAre());
  EXPECT_THAT(warnings({"-r", "/dev/a", "/dev/a"}), ElementsAre());
  const test::ConfigFile one("# one");
  const test::ConfigFile two("# two");
  EXPECT_THAT(warnings({"-f", one.path(), "-f", two.path()}), ElementsAre(HasSubstr("--config again")));
}

TEST(S2diskCommandLine, AnOffsetBelongsToTheDeviceNamedBesideIt) {
  const auto offset = [](const Args& args) {
    const auto options = s2disk(args);
    EXPECT_TRUE(options) << message(options);
    return options ? options->settings.resume_offset_pages : std::nullopt;
  };
  EXPECT_EQ(offset({"-o", "5", "-r", "/a"}), 5U);
  EXPECT_EQ(offset({"-o", "5", "/a"}), 5U);
  EXPECT_EQ(offset({"-r", "/a", "-o", "5", "/a"}), 5U);
  EXPECT_EQ(offset({"-r", "/a", "-r", "/b", "-o", "5"}), 5U);
  EXPECT_EQ(offset({"-P", "resume device=/a", "-o", "5"}), 5U);
  EXPECT_EQ(offset({"-P", "resume offset=5", "-r", "/a"}), 5U);
  EXPECT_EQ(offset({"-r", "/a", "-o", "5", "-r", "/b"}), std::nullopt);
  EXPECT_EQ(offset({"-r", "/a", "-o", "5", "-P", "resume device=/b"}), std::nullopt);
  EXPECT_EQ(offset({"-r", "/a", "-o", "5", "-r", "/b", "-o", "6"}), 6U);
  EXPECT_THAT(
      s2disk({"-r", "/a", "-o", "5", "-r", "/b"})->warnings,
      ElementsAre(HasSubstr("the resume offset 5 of --resume-offset is not used: it belongs to '/a'")));
  EXPECT_THAT(message(s2disk({"-P", "resume device=/a", "/b"})), HasSubstr("'/a' and '/b'"));
}

TEST(S2diskCommandLine, RefusesControlCharacters) {
  EXPECT_THAT(message(s2disk({"-r", "/dev/a\nimage size = 0"})), HasSubstr("control character"));
}

TEST(S2diskCommandLine, OverridesTheFile) {
  const test::ConfigFile file("image size = 1G\ncompress = lz4\nformat = kernel\n");
  const auto options = s2disk({"-f", file.path(), "-s", "2G", "--format", "dormouse"});
  ASSERT_TRUE(options) << options.error().what();
  EXPECT_EQ(options->settings.image_size.value, 2147483648U);
  EXPECT_EQ(options->settings.codec.automatic, false);
  EXPECT_THAT(message(s2disk({"-f", file.path()})), HasSubstr(file.path() + ":3"));
}

TEST(S2diskCommandLine, TakesOneDevice) {
  EXPECT_EQ(s2disk({"/dev/sda2"})->settings.resume_device, "/dev/sda2");
  EXPECT_EQ(s2disk({"--", "/dev/sda2"})->settings.resume_device, "/dev/sda2");
  EXPECT_EQ(s2disk({"-r", "/dev/sda2", "/dev/sda2"})->settings.resume_device, "/dev/sda2");
  EXPECT_EQ(s2disk({"8:2"})->settings.resume_device, "8:2");
  EXPECT_EQ(s2disk({"/dev/sda2", "-o", "7"})->settings.resume_offset_pages, 7U);
  EXPECT_THAT(message(s2disk({"-r", "/dev/sda2", "/dev/sdb2"})), HasSubstr("'/dev/sda2' and '/dev/sdb2'"));
  EXPECT_THAT(message(s2disk({"/dev/sdb2", "-r", "/dev/sda2"})), HasSubstr("'/dev/sda2' and '/dev/sdb2'"));
  EXPECT_THAT(message(s2disk({"/dev/sda2", "/dev/sdb2"})), HasSubstr("name one"));
}

TEST(S2diskCommandLine, KeepsDeviceAndOffsetTogether) {
  const test::ConfigFile file("resume device = /dev/sda2\nresume offset = 34816\n");
  const auto same = s2disk({}, file.path());
  EXPECT_EQ(same->settings.resume_offset_pages, 34816U);
  const auto other = s2disk({"-r", "/dev/sdb2"}, file.path());
  ASSERT_TRUE(other) << other.error().what();
  EXPECT_EQ(other->settings.resume_offset_pages, std::nullopt);
  EXPECT_THAT(other->warnings, ElementsAre(HasSubstr("resume offset = 34816 is not used")));
  EXPECT_EQ(s2disk({"-r", "/dev/sdb2", "-o", "1"}, file.path())->settings.resume_offset_pages, 1U);
  EXPECT_THAT(message(s2disk({"-o", "1"}, file.path())), HasSubstr("give --resume-device too"));
  EXPECT_THAT(message(s2disk({"-o", "1"})), HasSubstr("--resume-offset: an offset needs its device"));
}

TEST(S2diskCommandLine, RefusesWhatIsNotBuiltYet) {
  const std::vector<std::pair<Args, std::string>> cases = {
      {{"--format", "kernel"}, "--format: the kernel's own format is not built yet"},
  };
  for (const auto& [args, expected] : cases) {
    const auto options = s2disk(args);
    ASSERT_FALSE(options) << args.front();
    EXPECT_EQ(options.error().code, Errc::kUsage);
    EXPECT_THAT(options.error().what(), HasSubstr(expected));
  }
}

TEST(S2diskCommandLine, ChecksTheMachineOnly) {
  EXPECT_FALSE(s2disk({"/dev/sda2"})->check);
  EXPECT_TRUE(s2disk({"--check", "/dev/sda2"})->check);
  EXPECT_THAT(message(s2disk({"--check", "--from", "snap"})),
              HasSubstr("--check and --from exclude each other"));
}

TEST(S2diskCommandLine, NamesTheFlagAndTheRemedy) {
  const std::vector<std::pair<Args, std::string>> cases = {
      {{"-o", "abc"}, "--resume-offset abc: not a number of pages"},
      {{"-s", "2Gx"}, "--image-size 2Gx: not a size"},
      {{"-s", "-1"}, "--image-size -1: not a size"},
      {{"--image-size="}, "--image-size= is followed by nothing"},
      {{"--image-size"}, "--image-size"},
      {{"-s", "--verify"}, "--image-size needs a value"},
      {{"--compress=lzo"}, "--compress lzo: neither a codec"},
      {{"--compress="}, "--compress= is followed by nothing"},
      {{"--early-writeout", "0"}, "write --early-writeout off"},
      {{"--early-writeout", "101"}, "--early-writeout 101: not a percentage"},
      {{"--io", "fast"}, "must be one of direct, buffered"},
      {{"-t", "0"}, "--threads 0: not a number of threads: write one from 1 to 64"},
      {{"--shutdown-method", "halt"}, "platform, shutdown, reboot, suspend, none"},
      {{"--report", "xml"}, "text, json, prometheus"},
      {{"--progress", "dots"}, "auto, bar, plain, none"},
      {{"--verify=no"}, "--verify takes no value"},
      {{"--image-sise", "1G"}, "unknown option --image-sise; did you mean --image-size?"},
      {{"--status"}, "--status is an option of resume only"},
      {{"-x"}, "unknown option -x"},
      {{"-P", "compressor=lz4"}, "did you mean 'compress'?"},
      {{"-P", "compress"}, "write -P 'KEY=VALUE'"},
      {{"-P", "image size="}, "the value is empty"},
      {{""}, "the value is empty"},
  };
  for (const auto& [args, expected] : cases) {
    const auto options = s2disk(args);
    ASSERT_FALSE(options) << args.front();
    EXPECT_EQ(options.error().code, Errc::kUsage);
    EXPECT_THAT(options.error().what(), HasSubstr(expected));
  }
}

TEST(S2diskCommandLine, AsS2bothSuspendsToRamAsWell) {
  const test::ConfigFile file("shutdown method = reboot\n");
  for (const std::string name : {"s2both", "/usr/sbin/s2both"}) {
    EXPECT_EQ(parse_s2disk(Args{name}, file.path())->settings.shutdown_method, ShutdownMethod::kSuspend);
    EXPECT_EQ(parse_s2disk(Args{name, "--shutdown-method", "none"}, file.path())->settings.shutdown_method,
              ShutdownMethod::kNone);
  }
  EXPECT_EQ(s2disk({}, file.path())->settings.shutdown_method, ShutdownMethod::kReboot);
  EXPECT_TRUE(parse_s2disk(Args{}, test::kNoFile));
}

TEST(S2diskCommandLine, HelpAndVersionLookAtNothingElse) {
  for (const Args& args : {Args{"--help"}, Args{"-h", "-f", "/nonexistent"}, Args{"-o", "abc", "--help"}}) {
    const auto options = s2disk(args);
    ASSERT_TRUE(options) << options.error().what();
    ASSERT_TRUE(options->text);
    EXPECT_THAT(*options->text, HasSubstr("Usage: s2disk"));
    EXPECT_THAT(*options->text, HasSubstr("-c, --compress[=CODEC[:LEVEL]]"));
    EXPECT_THAT(*options->text, Not(HasSubstr("--status")));
  }
  EXPECT_THAT(*s2disk({"-V"})->text, HasSubstr("s2disk (dormouse) "));
  EXPECT_THAT(*resume({"--version"})->text, HasSubstr("resume (dormouse) "));
  EXPECT_THAT(*resume({"-h"})->text, HasSubstr("--discard"));
}

TEST(ResumeCommandLine, LoadsUnlessToldOtherwise) {
  EXPECT_EQ(resume({})->action, ResumeAction::kLoad);
  EXPECT_EQ(resume({"--status"})->action, ResumeAction::kStatus);
  EXPECT_EQ(resume({"--verify", "--verify"})->action, ResumeAction::kVerify);
  EXPECT_FALSE(resume({"--verify"})->settings.verify);
  EXPECT_EQ(resume({"--discard", "/dev/sda2"})->action, ResumeAction::kDiscard);
  const auto to = resume({"--to", "out", "-r", "area"});
  EXPECT_EQ(to->action, ResumeAction::kExtract);
  EXPECT_EQ(to->to_file, "out");
  EXPECT_EQ(to->settings.resume_device, "area");
}

TEST(ResumeCommandLine, DoesOneThingAtATime) {
  const std::vector<std::string> actions = {"--to=out", "--status", "--verify", "--discard"};
  for (const auto& first : actions) {
    for (const auto& second : actions) {
      if (first == second) continue;
      EXPECT_THAT(message(resume({first, second})), HasSubstr("exclude each other"))
          << first << ' ' << second;
    }
  }
  EXPECT_THAT(message(resume({"--to", "out", "--status"})), HasSubstr("--to and --status"));
}

TEST(ResumeCommandLine, HasOnlyItsOwnOptions) {
  EXPECT_THAT(message(resume({"--image-size", "1G"})), HasSubstr("--image-size is an option of s2disk only"));
  EXPECT_THAT(message(resume({"--from", "x"})), HasSubstr("--from is an option of s2disk only"));
  EXPECT_THAT(message(resume({"--encrypt"})), HasSubstr("--encrypt is an option of s2disk only"));
}

TEST(ResumeCommandLine, TakesKeyFilesWhateverItDoes) {
  const test::ConfigFile file("key file = /etc/key\n");
  for (const Args& args :
       {Args{}, Args{"--to", "x"}, Args{"--verify"}, Args{"--status"}, Args{"--discard"}}) {
    const auto configured = resume(args, file.path());
    ASSERT_TRUE(configured) << configured.error().what();
    EXPECT_THAT(configured->settings.all_key_files(), ElementsAre("/etc/key"));
    EXPECT_THAT(configured->warnings, IsEmpty());
    Args named = args;
    named.insert(named.end(), {"--key-file", "a", "--key-file=b"});
    EXPECT_THAT(resume(named, file.path())->settings.all_key_files(), ElementsAre("a", "b"));
  }
}

TEST(S2diskCommandLine, SealsWhereItIsAskedTo) {
  EXPECT_EQ(s2disk({"--encrypt"})->settings.encrypt, (EncryptChoice{true, std::nullopt}));
  EXPECT_EQ(s2disk({"--encrypt", "/dev/sda2"})->settings.resume_device, "/dev/sda2");
  EXPECT_EQ(s2disk({"--encrypt=aes-256-gcm"})->settings.encrypt, (EncryptChoice{true, Cipher::kAes256Gcm}));
  EXPECT_THAT(message(s2disk({"--encrypt=aes"})),
              HasSubstr("--encrypt aes: neither yes nor no nor a cipher"));
  EXPECT_THAT(message(s2disk({"--encrypt", "aes-256-ocb"})), HasSubstr("write --encrypt=aes-256-ocb"));
  const auto keys = s2disk({"--encrypt", "--key-file", "a", "--key_file=b"});
  ASSERT_TRUE(keys) << keys.error().what();
  EXPECT_THAT(keys->settings.all_key_files(), ElementsAre("a", "b"));
  EXPECT_FALSE(keys->settings.asks_passphrase());
}

// Whoever names a key thinks that the image is sealed.
TEST(S2diskCommandLine, WritesNothingInTheClearWhereAKeyIsNamed) {
  EXPECT_THAT(message(s2disk({"--key-file", "k"})), HasSubstr("--key-file: a key file is named"));
  EXPECT_THAT(message(s2disk({"-P", "RSA key file=k"})), HasSubstr("would not be sealed"));
  const test::ConfigFile no("encrypt = n\nkey file = /etc/key\n");
  EXPECT_TRUE(s2disk({}, no.path()));
  EXPECT_TRUE(s2disk({"-P", "encrypt=n", "--key-file", "k"}));
  EXPECT_THAT(message(s2disk({"--key-file", "k"}, no.path())), HasSubstr("'encrypt = n' is set"));
  const test::ConfigFile yes("encrypt = y\nkey file = /etc/key\n");
  EXPECT_FALSE(s2disk({"-P", "encrypt=n"}, yes.path())->settings.encrypt.on);
}

TEST(ResumeCommandLine, ReadsTheSameFileAsS2disk) {
  const test::ConfigFile file(
      "resume device = /dev/sda2\nresume offset = 9\nformat = kernel\nimage size = 1G\n");
  const auto options = resume({}, file.path());
  ASSERT_TRUE(options) << options.error().what();
  EXPECT_EQ(options->settings.resume_device, "/dev/sda2");
  EXPECT_EQ(options->settings.resume_offset_pages, 9U);
}

}  // namespace
}  // namespace dormouse

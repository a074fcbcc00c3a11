#include <gmock/gmock.h>

#include <fstream>

#include "config/config_file.h"
#include "config/config_helpers.h"
#include "config/key_table.h"

namespace dormouse {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Args = std::vector<std::string>;

/// All values, and the key files that count.
std::string values(const Settings& settings) {
  std::string all;
  for (const KeyInfo& info : key_table()) {
    if (info.key == Key::kRsaKeyFile) continue;
    all += fmt::format("{}={}\n", info.name, info.print(settings).value_or("-"));
  }
  for (const std::string& file : settings.all_key_files()) all += "key " + file + "\n";
  return all;
}

void expect_same_when_read_back(const Settings& settings) {
  const std::string text = print_settings(settings);
  SCOPED_TRACE(text);
  for (const std::string& file_text : {text, text.substr(0, text.size() - 1)}) {
    const test::ConfigFile file(file_text);
    const auto again = test::s2disk({"-f", file.path()});
    ASSERT_TRUE(again) << test::message(again);
    EXPECT_THAT(again->warnings, IsEmpty());
    EXPECT_EQ(values(settings), values(again->settings));
  }
}

TEST(PrintSettings, NamesValueAndOrigin) {
  const test::ConfigFile file("\nresume device = \"/dev/disk/by-label/a #b\"\nimage size = 2G\n");
  const auto options = test::s2disk({"--early-writeout", "0.5", "-P", "threads=3"}, file.path());
  ASSERT_TRUE(options) << options.error().what();
  const std::string text = print_settings(options->settings);
  EXPECT_THAT(text, HasSubstr("image size = 2147483648  # " + file.path() + ":3\n"));
  EXPECT_THAT(text, HasSubstr("resume device = \"/dev/disk/by-label/a #b\"  # " + file.path() + ":2\n"));
  EXPECT_THAT(text, HasSubstr("early writeout = 0.5%  # --early-writeout\n"));
  EXPECT_THAT(text, HasSubstr("threads = 3  # -P\n"));
  EXPECT_THAT(text, HasSubstr("compress = auto  # default\n"));
  EXPECT_THAT(text, HasSubstr("# resume offset =  # default: where the resume device has its swap header\n"));
}

TEST(PrintSettings, HasALineForEveryKey) {
  const std::string text = "\n" + print_settings({});
  for (const KeyInfo& info : key_table()) {
    const auto value = info.print({});
    const std::string line = value ? fmt::format("\n{} = {}  # default\n", info.name, *value)
                                   : fmt::format("\n# {} =  # default: {}\n", info.name, info.unset);
    EXPECT_THAT(text, HasSubstr(line));
    EXPECT_NE(value.has_value(), !info.unset.empty()) << info.name;
  }
}

TEST(PrintSettings, PrintsPercentagesAsSuchAndSizesInBytes) {
  const auto line = [](const Args& args) { return print_settings(test::s2disk(args)->settings); };
  EXPECT_THAT(line({"-s", "45%"}), HasSubstr("image size = 45%  # --image-size\n"));
  EXPECT_THAT(line({"-s", "1.5GiB"}), HasSubstr("image size = 1610612736  # --image-size\n"));
  EXPECT_THAT(line({"-s", "0%"}), HasSubstr("image size = 0%  # --image-size\n"));
}

TEST(PrintSettings, SaysWhereEachKeyFileWasNamedAndWhichDoNotCount) {
  const test::ConfigFile file("encrypt = y\nkey file = /a\nkey file = /b\nRSA key file = /r\n");
  const std::string both = print_settings(test::s2disk({}, file.path())->settings);
  EXPECT_THAT(both,
              HasSubstr("key file = /a  # " + file.path() + ":2\nkey file = /b  # " + file.path() + ":3\n"));
  EXPECT_THAT(both, HasSubstr("\nRSA key file = /r  # " + file.path() + ":4\n"));
  const std::string given = print_settings(test::s2disk({"--key-file", "/c"}, file.path())->settings);
  EXPECT_THAT(given, HasSubstr("\nkey file = /c  # --key-file\n"));
  EXPECT_THAT(given, HasSubstr("\n# RSA key file = /r  # " + file.path() +
                               ":4: not used, --key-file takes its place\n"));
  EXPECT_THAT(given, Not(HasSubstr("/a")));
}

TEST(PrintSettings, ReadsBackAsItself) {
  const std::vector<Args> lines = {
      {},
      {"-s", "33.3%", "--compress=zstd:-3", "-e", "off", "--io", "buffered", "-t", "7", "--verify"},
      {"-s", "0", "--compress=none", "-r", "/dev/it's", "-o", "34816", "--shutdown-method", "reboot"},
      {"--report", "json", "--report-file", " a ", "--progress", "none", "-P", "max loglevel=3"},
      {"-P", "resume attempts=7", "-P", "resume countdown=0", "-P", "suspend loglevel=0"},
      {"--encrypt", "--key-file", "/a b", "--key-file=/c", "-P", "passphrase=y", "-P",
       "passphrase countdown=7"},
      {"--encrypt=aes-256-ocb", "-P", "RSA key file=/k"},
      {"--key-file", "/k", "-P", "encrypt=n"},
      {"-P", "debug verify image=y", "-P", "splash=y", "-P", "resume pause=4"},
      {"-r", "/a", "-o", "5", "-r", "/b"},
      {"-o", "0"},
  };
  for (const auto& args : lines) {
    const auto first = test::s2disk(args);
    ASSERT_TRUE(first) << first.error().what();
    expect_same_when_read_back(first->settings);
  }
}

TEST(PrintSettings, ReadsBackWhatAnEarlierSourceNamedAndALaterOneOverruled) {
  const test::ConfigFile file(
      "encrypt = y\nkey file = /a\nRSA key file = /r\nresume device = /x\nresume offset = 7\n");
  for (const Args& args : {Args{"--key-file", "/c"}, Args{"-P", "RSA key file=/s"}, Args{"-r", "/y"}}) {
    const auto first = test::s2disk(args, file.path());
    ASSERT_TRUE(first) << test::message(first);
    expect_same_when_read_back(first->settings);
  }
}

// Names over all characters that mean something to the parser: every one of up to four.
TEST(PrintSettings, ReadsBackEveryName) {
  const std::string_view special = "a #\"'\\=:\t";
  std::vector<std::string> names = {""};
  for (std::size_t from = 0, round = 0; round < 4; ++round) {
    const std::size_t to = names.size();
    for (std::size_t i = from; i < to; ++i) {
      for (const char c : special) names.push_back(names[i] + c);
    }
    from = to;
  }
  for (const std::string& name : names) {
    if (name.empty()) continue;
    const std::string line = "report file = " + config_value(name) + "  # some/path #1:7";
    const auto split = split_config_line(line);
    ASSERT_TRUE(split) << line << ": " << split.error();
    ASSERT_TRUE(*split);
    ASSERT_EQ((*split)->value, name) << line;
  }
  EXPECT_GT(names.size(), 7000U);
}

TEST(PrintSettings, ReadsBackNamesInEveryKeyThatHasOne) {
  for (const std::string_view name :
       {"/a b", " lead", "trail ", "/a #b", "#", "/it's", "/\"q\"", "\"q\" 'r' #s", "'", "\"", "''",
        "/a\\x20b", "/a\\", "/naïve", "key = value", "/a\tb"}) {
    Settings settings;
    settings.encrypt.on = true;
    for (const Key key :
         {Key::kSnapshotDevice, Key::kReportFile, Key::kKeyFile, Key::kRsaKeyFile, Key::kResumeDevice}) {
      ASSERT_TRUE(assign(key_info(key), name, {Origin::Kind::kFile, "a #b:1"}, settings)) << name;
    }
    Settings again;
    std::vector<std::string> warnings;
    const auto text = print_settings(settings);
    ASSERT_TRUE(apply_config(text, "suspend.conf", again, warnings)) << text;
    EXPECT_EQ(values(settings), values(again)) << text;
    EXPECT_EQ(again.resume_device, name);
  }
}

TEST(PrintSettings, KeepsToOneLineWhateverTheFileIsCalled) {
  const std::string path = ::testing::TempDir() + "dormouse\n#config\x7f";
  std::ofstream(path) << "image size = 1\n";
  const auto options = test::s2disk({"-f", path});
  ::unlink(path.c_str());
  ASSERT_TRUE(options) << test::message(options);
  EXPECT_THAT(print_settings(options->settings),
              HasSubstr("image size = 1  # " + ::testing::TempDir() + "dormouse?#config?:1\n"));
}

TEST(PrintConfig, IsAllThatIsDone) {
  const test::ConfigFile file("image size = 1G\nxyzzy = 1\n");
  const auto options = test::s2disk({"--print-config", "-s", "7"}, file.path());
  ASSERT_TRUE(options) << test::message(options);
  ASSERT_TRUE(options->text);
  EXPECT_EQ(*options->text, print_settings(options->settings));
  EXPECT_EQ(options->warnings.size(), 1U);
  const auto resumes = test::resume({"--print-config"}, file.path());
  ASSERT_TRUE(resumes) << test::message(resumes);
  EXPECT_THAT(resumes->text.value_or(""), HasSubstr("image size = 1073741824"));
  EXPECT_FALSE(test::s2disk({}, file.path())->text);
  EXPECT_FALSE(test::s2disk({"--print-config", "-s", "x"}, file.path()));
}

TEST(Strict, IsRememberedByBothTools) {
  EXPECT_TRUE(test::s2disk({"--strict"})->strict);
  EXPECT_FALSE(test::s2disk({})->strict);
  EXPECT_TRUE(test::resume({"--strict", "--status"})->strict);
  EXPECT_FALSE(test::resume({})->strict);
}

}  // namespace
}  // namespace dormouse

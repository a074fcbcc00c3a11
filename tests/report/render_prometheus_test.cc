#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "report/render.h"
#include "report/sample_report.h"

namespace dormouse {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// Reads the exposition as a scraper would, and complains about all that is against its rules.
struct Parsed {
  std::map<std::string, double> samples;  // by name and labels
  std::set<std::string> families;
};

constexpr std::string_view kNameCharacters = "abcdefghijklmnopqrstuvwxyz_";

/// Takes `prefix` off the front of `line`, or fails.
bool take(std::string_view& line, std::string_view prefix) {
  if (!line.starts_with(prefix)) return false;
  line.remove_prefix(prefix.size());
  return true;
}

std::string_view take_name(std::string_view& line) {
  const auto name = line.substr(0, line.find_first_not_of(kNameCharacters));
  line.remove_prefix(name.size());
  return name;
}

/// A quoted label value with the three escapes there are.
bool take_quoted(std::string_view& line) {
  if (!take(line, "\"")) return false;
  while (!line.empty() && line[0] != '"') {
    if (line[0] == '\\' && (line.size() < 2 || std::string_view("\\\"n").find(line[1]) == line.npos))
      return false;
    line.remove_prefix(line[0] == '\\' ? 2 : 1);
  }
  return take(line, "\"");
}

/// `name{label="value",...} number`: what stands before the number, or nothing.
std::optional<std::string> take_sample(std::string_view& line) {
  const auto whole = line;
  if (take_name(line).empty() || !take(line, "{")) return std::nullopt;
  do {
    if (take_name(line).empty() || !take(line, "=") || !take_quoted(line)) return std::nullopt;
  } while (take(line, ","));
  const std::string key(whole.substr(0, whole.size() - line.size() + 1));
  if (!take(line, "} ") || line.empty() || line.find_first_not_of("0123456789.e+-") != line.npos)
    return std::nullopt;
  return key;
}

Parsed parse(const std::string& text) {
  Parsed parsed;
  std::istringstream lines(text);
  std::string family;
  bool typed = false;
  for (std::string whole; std::getline(lines, whole);) {
    std::string_view line = whole;
    if (take(line, "# HELP ")) {
      family = take_name(line);
      typed = false;
      EXPECT_TRUE(line.starts_with(" ") && line.size() > 1) << whole;
      EXPECT_TRUE(parsed.families.insert(family).second) << "family in two pieces: " << whole;
    } else if (take(line, "# TYPE ")) {
      typed = true;
      EXPECT_EQ(line, family + " gauge");
    } else if (const auto key = take_sample(line)) {
      EXPECT_TRUE(typed && key->starts_with(family + "{")) << "sample outside its family: " << whole;
      EXPECT_TRUE(parsed.samples.emplace(*key, std::stod(std::string(line))).second) << "twice: " << whole;
    } else {
      ADD_FAILURE() << "not a line of the format: " << whole;
    }
  }
  EXPECT_TRUE(text.ends_with('\n'));
  return parsed;
}

TEST(RenderPrometheus, FollowsTheFormat) {
  const auto samples = parse(render_prometheus(test::sample_report())).samples;
  EXPECT_EQ(samples.at(R"(dormouse_image_pages{tool="s2disk"})"), 50'000);
  EXPECT_EQ(samples.at(R"(dormouse_image_size_bytes{tool="s2disk"})"), 204'800'000);
  EXPECT_EQ(samples.at(R"(dormouse_image_stored_ratio{tool="s2disk"})"), 0.4);
  EXPECT_EQ(samples.at(R"(dormouse_early_writeout_ratio{tool="s2disk"})"), 0.01);
  EXPECT_EQ(samples.at(R"(dormouse_phase_duration_seconds{tool="s2disk",phase="write"})"), 4.096);
  EXPECT_EQ(samples.at(R"(dormouse_transfer_duration_seconds{tool="s2disk",direction="read"})"), 3.2);
  EXPECT_EQ(samples.at(R"(dormouse_transfer_flush_seconds{tool="s2disk",direction="write"})"), 0.25);
  EXPECT_EQ(samples.at(R"(dormouse_transfer_image_bytes_per_second{tool="s2disk",direction="write"})"), 5e7);
  EXPECT_EQ(samples.at(R"(dormouse_exit_code{tool="s2disk"})"), 0);
}

TEST(RenderPrometheus, HasTheSettingsAsLabels) {
  EXPECT_THAT(
      render_prometheus(test::sample_report()),
      HasSubstr(R"(dormouse_run_info{tool="s2disk",result="done",kernel="6.1.0-28-amd64",format="dormouse",)"
                R"(codec="lz4",level="1",io="direct",cipher="none",device="/dev/vda2"} 1)"));
}

TEST(RenderPrometheus, NamesTheCipherOfASealedImage) {
  Report report = test::sample_report();
  report.settings.cipher = "aes-256-ocb";
  EXPECT_THAT(render_prometheus(report), HasSubstr(R"(cipher="aes-256-ocb",)"));
}

TEST(RenderPrometheus, LeavesOutFamiliesWithoutSamples) {
  Report report{.tool = "resume"};
  report.set_failure(fail(Errc::kIo, "open").os(2).error());
  const auto parsed = parse(render_prometheus(report));
  EXPECT_EQ(parsed.samples.at(R"(dormouse_exit_code{tool="resume"})"), 1);
  EXPECT_THAT(parsed.families, Not(Contains("dormouse_phase_duration_seconds")));
  EXPECT_THAT(parsed.families, Not(Contains("dormouse_transfer_duration_seconds")));
}

TEST(RenderPrometheus, EscapesLabels) {
  auto report = test::sample_report();
  report.device.path = "/dev/a\"b\\c\nd\xff";
  const auto text = render_prometheus(report);
  parse(text);
  EXPECT_THAT(text, HasSubstr(R"(device="/dev/a\"b\\c?d?")"));
}

TEST(RenderPrometheus, IsFiniteWhereNoTimePassed) {
  auto report = test::sample_report();
  report.write = report.read = TransferFigures{};
  report.image.pages = 0;
  const auto samples = parse(render_prometheus(report)).samples;  // "inf" and "nan" are no sample there
  EXPECT_EQ(samples.at(R"(dormouse_transfer_image_bytes_per_second{tool="s2disk",direction="read"})"), 0);
}

}  // namespace
}  // namespace dormouse

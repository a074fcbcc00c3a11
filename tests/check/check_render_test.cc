#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "check/finding_ids.h"
#include "check/sound_tree.h"

namespace dormouse::test {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::ElementsAre;

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

TEST(CheckJson, HasTheKeysOfTheManual) {
  SoundTree tree;
  const auto json = Json::parse(check_json(tree.check()));
  EXPECT_THAT(keys_of(json), ElementsAre("schema", "tool", "result", "exit_code", "kernel", "page_bytes",
                                         "ram_bytes", "area", "memory", "prediction", "findings"));
  EXPECT_EQ(json["schema"], "dormouse-check/1");
  EXPECT_EQ(json["tool"], "s2disk");
  EXPECT_EQ(json["result"], "ok");
  EXPECT_EQ(json["exit_code"], 0);
  EXPECT_EQ(json["ram_bytes"], 1'048'576 * 1024ULL);
  EXPECT_THAT(keys_of(json["area"]),
              ElementsAre("path", "offset_pages", "swap_file", "active", "size_bytes", "free_bytes"));
  EXPECT_EQ(json["area"]["path"], tree.area());
  EXPECT_EQ(json["area"]["swap_file"], nullptr);
  EXPECT_THAT(keys_of(json["memory"]),
              ElementsAre("needed_bytes", "available_bytes", "in_use_bytes", "droppable_bytes",
                          "swappable_bytes", "image_limit_bytes"));
  EXPECT_EQ(json["memory"]["needed_bytes"], 40'000'000);
  EXPECT_THAT(keys_of(json["prediction"]),
              ElementsAre("size_cap_bytes", "image_bytes", "swapped_out_bytes", "codec", "ratio",
                          "sampled_bytes", "stored_bytes", "least_bytes"));
  EXPECT_EQ(json["prediction"]["codec"], "lz4:1");
  ASSERT_EQ(json["findings"].size(), 3U);
  EXPECT_THAT(keys_of(json["findings"][0]), ElementsAre("severity", "id", "what", "remedy"));
  EXPECT_EQ(json["findings"][0]["severity"], "note");
}

TEST(CheckJson, WhatIsNotKnownIsNull) {
  SoundTree tree;
  tree.search = fail(Errc::kImpossible, "find swap area").because("no swap is on");
  tree.remove("proc/meminfo");
  const auto json = Json::parse(check_json(tree.check()));
  EXPECT_EQ(json["result"], "problems");
  EXPECT_EQ(json["exit_code"], 6);
  EXPECT_EQ(json["ram_bytes"], 0);
  for (const auto* key : {"area", "memory", "prediction"}) EXPECT_TRUE(json[key].is_null()) << key;
  ASSERT_EQ(json["findings"].size(), 1U);
  EXPECT_EQ(json["findings"][0]["id"], finding::kAreaNotFound);
}

TEST(CheckJson, ANameThatIsNoUtf8CostsNothingElse) {
  SoundTree tree;
  tree.search->target.swap_file = "/swap\xff";
  const auto json = Json::parse(check_json(tree.check()));
  EXPECT_EQ(json["area"]["swap_file"], "/swap\xef\xbf\xbd");
}

TEST(CheckText, PutsTheRemedyBelow) {
  MachineCheck check;
  check.findings = {
      {.severity = Finding::Severity::kProblem, .id = "a", .what = "it is broken", .remedy = "mend it"},
      {.severity = Finding::Severity::kNote, .id = "b", .what = "it is old", .remedy = ""}};
  EXPECT_EQ(check_text(check),
            "problem: it is broken\n    mend it\nnote: it is old\n"
            "1 problem and 0 warnings: this machine cannot hibernate as it is\n");
  check.findings[0].severity = Finding::Severity::kWarning;
  EXPECT_EQ(
      check_text(check),
      "warning: it is broken\n    mend it\nnote: it is old\n1 warning: this machine can hibernate now\n");
}

}  // namespace
}  // namespace dormouse::test

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "report/render.h"
#include "report/sample_report.h"

namespace dormouse {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

Json rendered(const Report& report) {
  return Json::parse(render_json(report));
}

TEST(RenderJson, SaysWhatPackedTheChunks) {
  Report report = test::sample_report();
  EXPECT_EQ(rendered(report)["codecs"], Json::array());
  report.codecs[0] = {.codec = {.id = CodecId::kStored, .level = 0}, .chunks = 3};
  report.codecs[3] = {.codec = {.id = CodecId::kZstd, .level = -1}, .chunks = 40};
  EXPECT_EQ(rendered(report)["codecs"].dump(),
            R"([{"codec":"none","level":0,"chunks":3},{"codec":"zstd","level":-1,"chunks":40}])");
}

TEST(RenderJson, HasExactlyTheKeysOfItsSchema) {
  using Names = std::vector<std::string>;
  const auto json = rendered(test::sample_report());
  EXPECT_EQ(keys(json),
            (Names{"schema", "tool", "result", "exit_code", "error", "kernel", "page_bytes", "ram_bytes",
                   "image", "codecs", "settings", "phases", "write", "read", "device"}));
  EXPECT_EQ(keys(json["image"]), (Names{"pages", "bytes", "size_cap_bytes", "stored_bytes", "ratio"}));
  EXPECT_EQ(keys(json["settings"]),
            (Names{"format", "codec", "level", "early_writeout_percent", "io", "threads", "cipher"}));
  for (const auto& phase : json["phases"]) EXPECT_EQ(keys(phase), (Names{"name", "seconds"}));
  for (const auto* half : {"write", "read"})
    EXPECT_EQ(keys(json[half]),
              (Names{"seconds", "flush_seconds", "image_bytes_per_second", "stored_bytes_per_second"}));
  EXPECT_EQ(keys(json["device"]), (Names{"path", "offset_pages"}));
}

TEST(RenderJson, HasTheFigures) {
  const auto json = rendered(test::sample_report());
  EXPECT_EQ(json["schema"], "dormouse-report/1");
  EXPECT_EQ(json["tool"], "s2disk");
  EXPECT_EQ(json["result"], "done");
  EXPECT_EQ(json["exit_code"], 0);
  EXPECT_TRUE(json["error"].is_null());
  EXPECT_EQ(json["kernel"], "6.1.0-28-amd64");
  EXPECT_EQ(json["page_bytes"], 4096);
  EXPECT_EQ(json["ram_bytes"], 536'870'912);
  EXPECT_EQ(json["image"]["pages"], 50'000);
  EXPECT_EQ(json["image"]["bytes"], 204'800'000);
  EXPECT_EQ(json["image"]["ratio"], 0.4);
  EXPECT_EQ(json["settings"]["early_writeout_percent"], 1.0);
  EXPECT_EQ(json["settings"]["io"], "direct");
  EXPECT_EQ(json["settings"]["cipher"], "none");
  EXPECT_EQ(json["phases"][1]["name"], "snapshot");
  EXPECT_EQ(json["phases"][1]["seconds"], 0.512);
  EXPECT_EQ(json["write"]["seconds"], 4.096);
  EXPECT_EQ(json["write"]["flush_seconds"], 0.25);
  EXPECT_DOUBLE_EQ(json["write"]["image_bytes_per_second"], 50e6);
  EXPECT_DOUBLE_EQ(json["write"]["stored_bytes_per_second"], 20e6);
  EXPECT_DOUBLE_EQ(json["read"]["image_bytes_per_second"], 64e6);
  EXPECT_EQ(json["device"]["offset_pages"], 38'912);
}

TEST(RenderJson, NamesTheCipherOfASealedImage) {
  Report report = test::sample_report();
  report.settings.cipher = "aes-256-ocb";
  EXPECT_EQ(rendered(report)["settings"]["cipher"], "aes-256-ocb");
}

TEST(RenderJson, HasTheErrorAsTextAndNullForWhatDidNotHappen) {
  Report report{.tool = "resume"};
  report.set_failure(fail(Errc::kNoImage, "look for an image").on("/dev/vda2").error());
  const auto json = rendered(report);
  EXPECT_EQ(json["error"], "look for an image on /dev/vda2");
  EXPECT_EQ(json["exit_code"], 7);
  EXPECT_TRUE(json["write"].is_null());
  EXPECT_TRUE(json["read"].is_null());
  EXPECT_TRUE(json["phases"].is_array());
  EXPECT_EQ(json["image"]["ratio"], 0.0);
}

TEST(RenderJson, IsFiniteWhereNoTimePassed) {
  auto report = test::sample_report();
  report.write = report.read = TransferFigures{};
  report.image.pages = 0;
  const auto json = rendered(report);  // "inf" and "nan" would not parse; nlohmann would make null of them
  EXPECT_EQ(json["image"]["ratio"], 0.0);
  for (const auto* half : {"write", "read"}) {
    EXPECT_EQ(json[half]["image_bytes_per_second"], 0.0);
    EXPECT_EQ(json[half]["stored_bytes_per_second"], 0.0);
  }
}

TEST(RenderJson, SurvivesLargestFigures) {
  auto report = test::sample_report();
  report.image.pages = report.image.stored_bytes = ~std::uint64_t{0} / 65536;
  report.image.page_bytes = 65536;
  report.write = TransferFigures{.duration_ns = 1, .flush_ns = 0, .source_wait_ns = 0};
  EXPECT_TRUE(rendered(report)["write"]["image_bytes_per_second"].is_number_float());
}

TEST(RenderJson, ReplacesWhatIsNoUtf8) {
  auto report = test::sample_report();
  report.device.path = "/dev/\xff\"\n";
  EXPECT_EQ(rendered(report)["device"]["path"], "/dev/\xef\xbf\xbd\"\n");
}

}  // namespace
}  // namespace dormouse

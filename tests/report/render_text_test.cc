#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/render.h"
#include "report/sample_report.h"

namespace dormouse {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(RenderText, LaysOutEverything) {
  EXPECT_EQ(render_text(test::sample_report()), R"(s2disk: done, kernel 6.1.0-28-amd64

pages         50000 of 4096 bytes
image size    204.8 MB (cap 215.0 MB, RAM 536.9 MB)
stored size   81.9 MB, ratio 0.400
codec         lz4, level 1
settings      early writeout 1 %, I/O direct, threads 2, format dormouse, cipher none
memory        at most 17.3 MB

phase            seconds      MB/s
freeze             0.103
snapshot           0.512     400.0
write              4.096      50.0

device        /dev/vda2, swap header at page 38912
write time         4.096 s, 50.0 MB/s (stored 20.0 MB/s; 0.250 s in the last flush; 1.500 s taking pages from the kernel)
read time          3.200 s, 64.0 MB/s (stored 25.6 MB/s)

MB = 10^6 bytes; MB/s count the image as it was before packing, unless they say "stored".
)");
}

TEST(RenderText, LeavesOutWhatWasNotMeasured) {
  Report report{.tool = "s2disk", .page_bytes = 4096};
  report.set_failure(
      fail(Errc::kImpossible, "open /dev/snapshot").because("the kernel is locked down").error());
  EXPECT_EQ(render_text(report), R"(s2disk: impossible, exit code 6
error         open /dev/snapshot: the kernel is locked down

codec         none
settings      early writeout 1 %, I/O direct, threads 0, format dormouse, cipher none

)");
}

TEST(RenderText, SaysOffForNoEarlyWriteout) {
  auto report = test::sample_report();
  report.settings.early_writeout = {0};
  EXPECT_THAT(render_text(report), HasSubstr("early writeout off,"));
  report.settings.early_writeout = {5'000};
  EXPECT_THAT(render_text(report), HasSubstr("early writeout 0.5 %,"));
}

TEST(RenderText, NamesTheLastFlushAndTheIoMode) {
  auto report = test::sample_report();
  report.settings.io = IoMode::kBuffered;
  EXPECT_THAT(render_text(report), HasSubstr("I/O buffered"));
}

TEST(RenderText, NamesTheCipherOfASealedImage) {
  auto report = test::sample_report();
  report.settings.cipher = "aes-256-ocb";
  EXPECT_THAT(render_text(report), HasSubstr("format dormouse, cipher aes-256-ocb\n"));
}

TEST(RenderText, SaysWhatPackedTheChunks) {
  auto report = test::sample_report();
  EXPECT_THAT(render_text(report), Not(HasSubstr("packed with")));
  report.codecs[0] = {.codec = {.id = CodecId::kStored, .level = 0}, .chunks = 3};
  report.codecs[1] = {.codec = {.id = CodecId::kLz4, .level = 8}, .chunks = 7};
  report.codecs[3] = {.codec = {.id = CodecId::kZstd, .level = -1}, .chunks = 40};
  EXPECT_THAT(render_text(report), HasSubstr("packed with   none 3, lz4:8 7, zstd:-1 40\n"));
}

TEST(RenderText, ShowsWarnings) {
  auto report = test::sample_report();
  report.warnings = {"The image is larger than its cap."};
  EXPECT_THAT(render_text(report), HasSubstr("warning       The image is larger than its cap.\n"));
}

TEST(RenderText, IsFiniteWhereNoTimePassed) {
  auto report = test::sample_report();
  report.write = TransferFigures{};
  for (auto& phase : report.phases) phase.ns = 0;
  EXPECT_THAT(render_text(report), Not(testing::ContainsRegex("inf|nan")));
}

TEST(RenderText, LetsNoNameSteerTheTerminal) {
  auto report = test::sample_report();
  report.device.path = "/tmp/\x1b[2Jx\ny";
  EXPECT_THAT(render_text(report), HasSubstr("/tmp/?[2Jx?y,"));
}

}  // namespace
}  // namespace dormouse

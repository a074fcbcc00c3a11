#include "report/report.h"

#include <gtest/gtest.h>

#include "report/render.h"
#include "report/sample_report.h"

namespace dormouse {
namespace {

TEST(Report, TakesExitCodeAndResultFromTheFirstError) {
  Report report = test::sample_report();
  report.set_failure(fail(Errc::kCorrupt, "check chunk 7").on("/dev/vda2").at(4096).error());
  EXPECT_EQ(report.exit_code, 3);
  EXPECT_EQ(report.result, "damaged");
  EXPECT_EQ(report.error->what(), "check chunk 7 on /dev/vda2 at byte 4096");
}

TEST(Report, HasAWordForEveryExitCode) {
  constexpr std::string_view kWords[] = {"done",    "failed",  "usage",      "damaged",
                                         "stopped", "no-room", "impossible", "no-image"};
  for (int code = 0; code < 8; ++code) EXPECT_EQ(result_name(code), kWords[code]);
  EXPECT_EQ(result_name(99), "failed");
}

TEST(Report, RatioWithoutAnImageIsZero) {
  EXPECT_EQ(Report{}.ratio(), 0);
  EXPECT_DOUBLE_EQ(test::sample_report().ratio(), 0.4);
}

TEST(ReportRendering, IsReadFromItsName) {
  EXPECT_EQ(*parse_report_rendering("text"), ReportRendering::kText);
  EXPECT_EQ(*parse_report_rendering("json"), ReportRendering::kJson);
  EXPECT_EQ(*parse_report_rendering("prometheus"), ReportRendering::kPrometheus);
}

TEST(ReportRendering, NamesAWrongNameAndWhatThereIs) {
  const auto parsed = parse_report_rendering("xml");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().code, Errc::kUsage);
  EXPECT_EQ(parsed.error().what(), "read the kind of report: 'xml' is none of text, json, prometheus");
  EXPECT_FALSE(parse_report_rendering(""));
}

TEST(ReportRendering, RendersWhatItIsAskedFor) {
  const auto report = test::sample_report();
  EXPECT_EQ(render(report, ReportRendering::kText), render_text(report));
  EXPECT_EQ(render(report, ReportRendering::kJson), render_json(report));
  EXPECT_EQ(render(report, ReportRendering::kPrometheus), render_prometheus(report));
}

}  // namespace
}  // namespace dormouse

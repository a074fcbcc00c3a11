/// A report with every field filled, in figures that are easy to check by hand.
#pragma once

#include "report/report.h"

namespace dormouse::test {

inline Report sample_report() {
  Report report{.tool = "s2disk", .kernel = "6.1.0-28-amd64", .page_bytes = 4096, .ram_bytes = 536'870'912};
  report.image = {
      .page_bytes = 4096, .pages = 50'000, .size_cap_bytes = 215'000'000, .stored_bytes = 81'920'000};
  report.settings = {
      .codec = "lz4", .level = 1, .early_writeout = {10'000}, .io = IoMode::kDirect, .threads = 2};
  report.phases = {{.name = "freeze", .ns = 103'000'000},
                   {.name = "snapshot", .ns = 512'000'000, .bytes = 204'800'000},
                   {.name = "write", .ns = 4'096'000'000, .bytes = 204'800'000}};
  report.write =
      TransferFigures{.duration_ns = 4'096'000'000, .flush_ns = 250'000'000, .source_wait_ns = 1'500'000'000};
  report.read = TransferFigures{.duration_ns = 3'200'000'000, .flush_ns = 0, .source_wait_ns = 0};
  report.device = {.path = "/dev/vda2", .offset_pages = 38'912};
  report.memory_bytes = 17'300'000;
  return report;
}

}  // namespace dormouse::test

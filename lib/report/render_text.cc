#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/figures_text.h"
#include "report/render.h"
#include "report/safe_text.h"

namespace dormouse {
namespace {

constexpr std::size_t kLabelColumns = 13;

double megabytes(std::uint64_t bytes) {
  return static_cast<double>(bytes) / 1e6;
}

/// Lines of a label and what it is about, in two columns.
class Lines {
 public:
  template <class... Args>
  void add(std::string_view label, fmt::format_string<Args...> pattern, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), "{:<{}} ", label, kLabelColumns);
    fmt::format_to(std::back_inserter(text_), pattern, std::forward<Args>(args)...);
    text_ += '\n';
  }
  void line(std::string_view line) { (text_ += line) += '\n'; }
  void gap() { text_ += '\n'; }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void add_outcome(Lines& lines, const Report& report) {
  auto outcome = fmt::format("{}: {}", safe_text(report.tool), safe_text(report.result));
  if (report.exit_code != 0) outcome += fmt::format(", exit code {}", report.exit_code);
  if (!report.kernel.empty()) outcome += fmt::format(", kernel {}", safe_text(report.kernel));
  lines.line(outcome);
  if (report.error) lines.add("error", "{}", safe_text(report.error->what()));
  for (const auto& warning : report.warnings) lines.add("warning", "{}", safe_text(warning));
}

void add_image(Lines& lines, const Report& report) {
  const auto& image = report.image;
  if (image.pages == 0) return;
  lines.add("pages", "{} of {} bytes", image.pages, image.page_bytes);
  std::string beside;
  if (image.size_cap_bytes != 0) beside = fmt::format("cap {:.1f} MB", megabytes(image.size_cap_bytes));
  if (report.ram_bytes != 0)
    beside += fmt::format("{}RAM {:.1f} MB", beside.empty() ? "" : ", ", megabytes(report.ram_bytes));
  lines.add("image size", "{:.1f} MB{}", megabytes(image.bytes()), beside.empty() ? "" : " (" + beside + ")");
  lines.add("stored size", "{:.1f} MB, ratio {:.3f}", megabytes(image.stored_bytes), report.ratio());
}

void add_settings(Lines& lines, const Report& report) {
  const auto& settings = report.settings;
  lines.add("codec", "{}{}", safe_text(settings.codec),
            settings.level == 0 ? "" : fmt::format(", level {}", settings.level));
  if (const std::string counts = codec_counts_text(report.codecs); !counts.empty())
    lines.add("packed with", "{}", counts);
  const auto writeout = settings.early_writeout.off()
                            ? std::string("off")
                            : fmt::format("{:g} %", settings.early_writeout.percent());
  lines.add("settings", "early writeout {}, I/O {}, threads {}, format {}, cipher {}", writeout,
            io_name(settings.io), settings.threads, safe_text(settings.format), safe_text(settings.cipher));
  if (report.memory_bytes != 0) lines.add("memory", "at most {:.1f} MB", megabytes(report.memory_bytes));
}

void add_phases(Lines& lines, const Report& report) {
  if (report.phases.empty()) return;
  lines.gap();
  lines.add("phase", "{:>10}{:>10}", "seconds", "MB/s");
  for (const auto& phase : report.phases) {
    std::string rate;
    if (phase.bytes != 0 && phase.ns != 0)
      rate = fmt::format("{:>10.1f}", bytes_per_second(phase.bytes, phase.ns) / 1e6);
    lines.add(safe_text(phase.name), "{:>10.3f}{}", seconds(phase.ns), rate);
  }
}

void add_transfer(Lines& lines, const Report& report, std::string_view label, std::string_view source,
                  const TransferFigures& figures) {
  const auto rate = [&](std::uint64_t bytes) { return bytes_per_second(bytes, figures.duration_ns) / 1e6; };
  std::string parts = fmt::format("stored {:.1f} MB/s", rate(report.image.stored_bytes));
  if (figures.flush_ns != 0) parts += fmt::format("; {:.3f} s in the last flush", seconds(figures.flush_ns));
  if (figures.source_wait_ns != 0)
    parts += fmt::format("; {:.3f} s {}", seconds(figures.source_wait_ns), source);
  lines.add(label, "{:>10.3f} s, {:.1f} MB/s ({})", seconds(figures.duration_ns), rate(report.image.bytes()),
            parts);
}

}  // namespace

std::string render_text(const Report& report) {
  Lines lines;
  add_outcome(lines, report);
  lines.gap();
  add_image(lines, report);
  add_settings(lines, report);
  add_phases(lines, report);
  lines.gap();
  if (!report.device.path.empty())
    lines.add("device", "{}, swap header at page {}", safe_text(report.device.path),
              report.device.offset_pages);
  if (report.write) add_transfer(lines, report, "write time", "taking pages from the kernel", *report.write);
  if (report.read) add_transfer(lines, report, "read time", "handing pages over", *report.read);
  if (report.image.pages != 0) {
    lines.gap();
    lines.line("MB = 10^6 bytes; MB/s count the image as it was before packing, unless they say \"stored\".");
  }
  return lines.take();
}

}  // namespace dormouse

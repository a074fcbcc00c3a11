#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "report/figures_text.h"
#include "report/render.h"
#include "report/safe_text.h"

namespace dormouse {
namespace {

using Label = std::pair<std::string_view, std::string_view>;

/// Label values may hold any UTF-8, with backslash, quote and newline escaped; safe_text() leaves no newline.
std::string escape(std::string_view text) {
  std::string escaped;
  for (const char c : safe_text(text)) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

/// The exposition: families in order, each with its HELP and TYPE lines before its samples.
class Exposition {
 public:
  explicit Exposition(std::string_view tool) : tool_(escape(tool)) {}

  /// Begins a family; every figure of a finished run is a gauge.
  void family(std::string_view name, std::string_view help) {
    name_ = name;
    text_ += fmt::format("# HELP dormouse_{0} {1}\n# TYPE dormouse_{0} gauge\n", name, help);
  }
  template <class Number>
  void sample(Number value, std::initializer_list<Label> labels = {}) {
    text_ += fmt::format("dormouse_{}{{tool=\"{}\"", name_, tool_);
    for (const auto& [key, label] : labels) text_ += fmt::format(",{}=\"{}\"", key, escape(label));
    text_ += fmt::format("}} {}\n", value);
  }
  template <class Number>
  void single(std::string_view name, std::string_view help, Number value) {
    family(name, help);
    sample(value);
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string tool_;
  std::string_view name_;
  std::string text_;
};

void add_run(Exposition& out, const Report& report) {
  const auto& settings = report.settings;
  const auto level = fmt::format("{}", settings.level);
  out.family("run_info", "What ran, with which settings; always 1.");
  out.sample(1, {{"result", report.result},
                 {"kernel", report.kernel},
                 {"format", settings.format},
                 {"codec", settings.codec},
                 {"level", level},
                 {"io", io_name(settings.io)},
                 {"cipher", settings.cipher},
                 {"device", report.device.path}});
  out.single("exit_code", "Exit code of the tool; 0 is success.", report.exit_code);
  out.single("warnings", "Warnings given in the run.", report.warnings.size());
  out.single("threads", "Workers that pack or unpack.", settings.threads);
  out.single("early_writeout_ratio", "Part of the image after which writeout is begun; 0 is off.",
             settings.early_writeout.percent() / 100);
  out.single("ram_bytes", "Memory of the machine.", report.ram_bytes);
  out.single("page_size_bytes", "Size of a page frame.", report.page_bytes);
  out.single("memory_limit_bytes", "Bound of the memory the image passes through.", report.memory_bytes);
  out.single("device_offset_pages", "Place of the swap header on the resume device.",
             report.device.offset_pages);
}

void add_image(Exposition& out, const Report& report) {
  out.single("image_pages", "Page frames in the snapshot image.", report.image.pages);
  out.single("image_size_bytes", "Size of the snapshot image.", report.image.bytes());
  out.single("image_size_cap_bytes", "Size asked of the kernel.", report.image.size_cap_bytes);
  out.single("image_stored_bytes", "Bytes of the image on the device.", report.image.stored_bytes);
  out.single("image_stored_ratio", "Stored bytes by image bytes.", report.ratio());
}

void add_codecs(Exposition& out, const Report& report) {
  if (std::ranges::all_of(report.codecs, [](const CodecCount& count) { return count.chunks == 0; })) return;
  out.family("image_chunks", "Chunks of the image that each codec packed.");
  for (const auto& [codec, chunks] : report.codecs) {
    if (chunks > 0)
      out.sample(chunks, {{"codec", codec_name(codec.id)}, {"level", fmt::format("{}", codec.level)}});
  }
}

void add_phases(Exposition& out, const Report& report) {
  if (report.phases.empty()) return;
  out.family("phase_duration_seconds", "Duration of each phase of the run.");
  for (const auto& phase : report.phases) out.sample(seconds(phase.ns), {{"phase", phase.name}});
}

void add_transfers(Exposition& out, const Report& report) {
  const auto family = [&](std::string_view name, std::string_view help, auto value) {
    if (!report.write && !report.read) return;
    out.family(name, help);
    if (report.write) out.sample(value(*report.write), {{"direction", "write"}});
    if (report.read) out.sample(value(*report.read), {{"direction", "read"}});
  };
  const auto& image = report.image;
  family("transfer_duration_seconds", "Time to write or read the whole image.",
         [](const TransferFigures& f) { return seconds(f.duration_ns); });
  family("transfer_flush_seconds", "Part of the duration spent in the last flush.",
         [](const TransferFigures& f) { return seconds(f.flush_ns); });
  family("transfer_image_bytes_per_second", "Image bytes by duration.",
         [&](const TransferFigures& f) { return bytes_per_second(image.bytes(), f.duration_ns); });
  family("transfer_stored_bytes_per_second", "Stored bytes by duration.",
         [&](const TransferFigures& f) { return bytes_per_second(image.stored_bytes, f.duration_ns); });
}

}  // namespace

std::string render_prometheus(const Report& report) {
  Exposition out(report.tool);
  add_run(out, report);
  add_image(out, report);
  add_codecs(out, report);
  add_phases(out, report);
  add_transfers(out, report);
  return out.take();
}

}  // namespace dormouse

/// What can be done with an image without resuming it.
#include <ctime>

#include "dormouse/files.h"

#include "marked_area.h"
#include "resume_tool.h"
#include "tool/tool_console.h"
#include "tool/tool_report.h"
#include "unlock.h"

namespace dormouse {
namespace {

/// Reads all of the image into `sink`; fills in the report.
Result<void> read_all(const Settings& settings, MarkedArea& marked, PageSink& sink, Report& report) {
  add_area(report, marked.target);
  auto reader = prepare_reader(marked, marked.reader->chunk_bytes(), worker_threads(settings.threads));
  if (!reader) return std::unexpected(reader.error());
  report_image(reader->info(), report);
  // Before there is a console that watches the same keys.
  if (auto r = unlock(settings, *reader, marked.target.path); !r) return r;
  auto console =
      ToolConsole::open("resume", progress_mode(settings.progress), KeyWatcher::Scope::kAnyTerminal);
  if (!console) return std::unexpected(console.error());
  report.memory_bytes = reader->memory_bytes();
  const auto figures = reader->read(sink, (*console)->progress());
  if (!figures) return std::unexpected(figures.error());
  report.read = *figures;
  report.phases.push_back({.name = "read", .ns = figures->duration_ns, .bytes = report.image.bytes()});
  return {};
}

}  // namespace

void report_image(const ImageInfo& info, Report& report) {
  report.image = info.image;
  report.write = info.write;
  report.codecs = info.codecs;
  report.settings.codec = info.options.adaptive ? "auto" : codec_name(info.options.codec.id);
  report.settings.level = info.options.codec.level;
  report.settings.early_writeout = info.options.early_writeout;
  if (info.cipher) report.settings.cipher = cipher_name(*info.cipher);
}

Result<void> recover_to(const Settings& settings, const std::string& path, Report& report) {
  auto marked = open_own_image(settings);
  if (!marked) return std::unexpected(marked.error());
  auto sink = create_snapshot_file(path);
  if (!sink) return std::unexpected(sink.error());
  return read_all(settings, *marked, **sink, report);
}

Result<void> verify_image(const Settings& settings, Report& report) {
  auto marked = open_own_image(settings);
  if (!marked) return std::unexpected(marked.error());
  NullPageSink sink;
  return read_all(settings, *marked, sink, report);
}

Result<AreaStatus> look_at_area(const Settings& settings) {
  AreaStatus status;
  status.attempts_allowed = settings.resume_attempts;
  status.now_unix_seconds = static_cast<std::uint64_t>(std::time(nullptr));
  const auto target = find_image_area(settings);
  if (!target) return std::unexpected(target.error());
  status.device = target->path;
  status.offset_pages = target->header_page;
  auto marked = open_marked_area(*target, settings, Access::kReadOnly);
  if (!marked && marked.error().code == Errc::kNoImage) return status;  // plain swap
  if (!marked) return std::unexpected(marked.error());
  status.signature = marked->opened.area->signature();
  status.foreign = marked->foreign;
  if (marked->reader) status.image = marked->reader->info();
  return status;
}

Result<void> discard_image(const Settings& settings, Report& report) {
  const auto target = find_image_area(settings);
  if (!target) return std::unexpected(target.error());
  add_area(report, *target);
  auto marked = open_marked_area(*target, settings, Access::kReadWrite);
  if (marked && marked->reader) return marked->opened.area->clear(marked->reader->original_tail());
  if (marked) return marked->opened.area->restore_signature();
  const Error first = marked.error();
  if (first.code == Errc::kNoImage || first.code == Errc::kUsage) return std::unexpected(first);
  // Our image header is damaged or cannot be read, and with it the copy of the area's own bytes; its
  // signature stands in the mark.
  auto opened = open_area(*target, settings.io, Access::kReadWrite, 0);
  if (!opened) return std::unexpected(first);
  if (opened->area->signature() != SwapSignature::kUserMark) return std::unexpected(first);
  return opened->area->restore_signature();
}

}  // namespace dormouse

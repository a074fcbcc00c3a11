#include <sys/utsname.h>

#include "dormouse/files.h"
#include "dormouse/image_reader.h"
#include "dormouse/image_writer.h"

#include "area/area_resolver.h"
#include "kernel/snapshot_file.h"
#include "suspend_tool.h"
#include "tool/area_search.h"
#include "tool/target_area.h"
#include "tool/tool_console.h"
#include "tool/tool_report.h"

namespace dormouse {
namespace {

/// Writes the image into `opened` and marks it; on failure the mark is off again.
Result<void> store(const Settings& settings, PageSource& source, const TargetArea& target, OpenArea& opened,
                   ImageSeal* seal, ToolConsole& console, Report& report) {
  SwapArea& area = *opened.area;
  const auto allocator = make_free_layout_allocator(area);
  auto writer = ImageWriter::prepare(image_options(settings, area.page_bytes()), area.page_bytes(), seal);
  if (!writer) return std::unexpected(writer.error());
  report.memory_bytes = writer->memory_bytes();
  const auto place = allocator->allocate(1);
  if (!place) return std::unexpected(place.error());

  utsname machine{};
  ::uname(&machine);
  const ImageIdentity identity{.architecture = machine.machine,
                               .kernel_release = machine.release,
                               .host = machine.nodename,
                               .writer = version_text(),
                               .ram_bytes = report.ram_bytes,
                               .size_cap_bytes = 0,
                               .platform = false,
                               .area_header_page = area.header_page(),
                               .area_uuid = area.uuid(),
                               .original_tail = area.tail()};
  console.watch_for_stalls("write");
  const auto written =
      writer->write(source, *opened.data, *allocator, page_offset(place->first_page, area.page_bytes()),
                    identity, console.progress());
  if (!written) return std::unexpected(written.error());
  report.image = written->image;
  report.codecs = written->codecs;
  report.write = written->write;
  report.phases.push_back({.name = "write", .ns = written->write.duration_ns, .bytes = report.image.bytes()});

  if (settings.verify) {
    auto reader = ImageReader::prepare(image_options(settings, area.page_bytes()).chunk_bytes,
                                       worker_threads(settings.threads));
    if (!reader) return std::unexpected(reader.error());
    const ImageBounds bounds{.end_page = end_page(target, area),
                             .swap_header_page = area.header_page(),
                             .page_bytes = area.page_bytes()};
    // Past the page cache where that is possible: it would only show what was written to it.
    if (auto r = reader->open(area.device(), written->header_at, bounds); !r) return r;
    if (seal != nullptr) {
      if (auto r = reader->unlock(*seal); !r) return r;
    }
    NullPageSink sink;
    const auto verified = reader->read(sink, console.progress());
    if (!verified) return std::unexpected(verified.error());
    report.phases.push_back({.name = "verify", .ns = verified->duration_ns, .bytes = report.image.bytes()});
  }
  // The last flush may have taken long. What is asked for from here on comes too late.
  if (console.stop_requested()) return fail(Errc::kStopped, "mark swap area").because("stopped by the user");
  auto marked = area.mark(written->header_at);
  if (marked || marked.error().code == Errc::kBusy) return marked;
  area.device().forget_error();
  if (!area.clear() && !area.is_as_opened()) {
    Error& error = marked.error();
    error.detail.format(
        "the mark could not be taken off again either, and may be on the area: look with 'resume --status', "
        "remove it with 'resume --discard'");
  }
  return marked;
}

}  // namespace

ImageOptions image_options(const Settings& settings, std::uint32_t page_bytes) {
  return {.adaptive = settings.codec.automatic,
          .codec = settings.codec.spec,
          .chunk_bytes = std::max(kDefaultChunkBytes, page_bytes),
          .threads = worker_threads(settings.threads),
          .early_writeout = settings.early_writeout,
          .io = settings.io};
}

Result<void> require_plain(const SwapArea& area, const std::string& path) {
  if (!area.marked()) return {};
  return fail(Errc::kImpossible, "check swap area")
      .on(path)
      .because("it already holds {}, which is never written over; give the area back with 'resume --discard'",
               describe(area.signature()));
}

Result<void> require_known_pages(const TargetArea& target) {
  if (target.active || target.regular_file || target.header_page == 0) return {};
  if (!target.swap_file.empty()) {
    return fail(Errc::kImpossible, "check swap area")
        .on(target.swap_file)
        .because(
            "this swap file is not swapped on, and only the kernel knows where its pages are: swapon it");
  }
  return fail(Errc::kImpossible, "check swap area")
      .on(target.path)
      .because(
          "no swap file of this device is swapped on, and only the kernel knows where the file's other "
          "pages are: swapon it");
}

Result<void> store_file(const Settings& settings, const std::string& from, Report& report) {
  const auto search =
      find_area(named_area(settings), {.sealed_image = settings.encrypt.on, .allow_file = true});
  if (!search) return std::unexpected(search.error());
  tell("s2disk", *search);
  const TargetArea& target = search->target;
  add_area(report, target);
  if (target.active) {
    return fail(Errc::kImpossible, "store snapshot file")
        .on(target.path)
        .because("this area is swapped on: --from writes only to one that nobody uses (swapoff it first)");
  }
  if (auto r = require_known_pages(target); !r) return r;
  auto opened = open_area(target, settings.io, Access::kReadWrite, 0);
  if (!opened) return std::unexpected(opened.error());
  if (auto r = require_plain(*opened->area, target.path); !r) return r;
  auto source = open_snapshot_file(from, opened->area->page_bytes());
  if (!source) return std::unexpected(source.error());
  // Before there is a console that watches the same keys.
  auto seal = prepare_seal(settings, {}, report);
  if (!seal) return std::unexpected(seal.error());
  auto console =
      ToolConsole::open("s2disk", progress_mode(settings.progress), KeyWatcher::Scope::kAnyTerminal);
  if (!console) return std::unexpected(console.error());
  return store(settings, **source, target, *opened, *seal ? &**seal : nullptr, **console, report);
}

}  // namespace dormouse

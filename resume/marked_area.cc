#include "marked_area.h"

#include "area/area_resolver.h"
#include "cycle/boot_messages.h"
#include "tool/area_search.h"

namespace dormouse {

ImageBounds bounds_of(const MarkedArea& marked) {
  const SwapArea& area = *marked.opened.area;
  return {.end_page = end_page(marked.target, area),
          .swap_header_page = area.header_page(),
          .page_bytes = area.page_bytes()};
}

Result<ImageReader> prepare_reader(const MarkedArea& marked, std::uint32_t chunk_bytes, unsigned threads,
                                   std::uint64_t ahead_bytes) {
  auto reader = ImageReader::prepare(chunk_bytes, threads, ahead_bytes);
  if (!reader) return reader;
  const SwapArea& area = *marked.opened.area;
  if (auto r = reader->open(*marked.opened.data, area.marked_image_header(), bounds_of(marked)); !r) {
    return std::unexpected(r.error());
  }
  return reader;
}

Result<TargetArea> find_image_area(const Settings& settings) {
  const auto search = find_resume_area(named_area(settings), {.allow_file = true});
  if (!search) return std::unexpected(search.error());
  tell("resume", *search);
  return search->target;
}

Result<MarkedArea> open_target_with_mark(const TargetArea& target, const Settings& settings, Access access,
                                         const Host& host) {
  MarkedArea marked;
  marked.target = target;
  // Reading decides whether there is anything to claim the area for: it may be swapped on and busy.
  {
    auto look = open_area(target, IoMode::kDirect, Access::kReadOnly, 0, host);
    if (!look && look.error().code == Errc::kUsage && target.regular_file) {
      look = open_area(target, IoMode::kBuffered, Access::kReadOnly, 0, host);
    }
    if (!look) return std::unexpected(look.error());
    if (!look->area->marked()) {
      return fail(Errc::kNoImage, "look for an image").on(target.path).because("the area is plain swap");
    }
    if (access == Access::kReadOnly) marked.opened = std::move(*look);
  }
  if (access == Access::kReadWrite) {
    auto opened = open_area(target, settings.io, access, 0, host);
    if (!opened) return std::unexpected(opened.error());
    marked.opened = std::move(*opened);
  }
  return marked;
}

Result<MarkedArea> open_marked_area(const TargetArea& target, const Settings& settings, Access access) {
  auto marked = open_target_with_mark(target, settings, access);
  if (!marked) return marked;
  const SwapSignature signature = marked->opened.area->signature();
  if (signature != SwapSignature::kUserMark) {
    marked->foreign = describe(signature);
    return marked;
  }
  auto reader = prepare_reader(*marked, kMinPageBytes, 1);
  if (!reader && reader.error().code == Errc::kNoImage) {
    marked->foreign = kForeignUserMark;
    return marked;
  }
  if (!reader) return std::unexpected(reader.error());
  marked->reader.emplace(std::move(*reader));
  return marked;
}

Result<MarkedArea> open_own_image(const Settings& settings) {
  const auto target = find_image_area(settings);
  if (!target) return std::unexpected(target.error());
  auto marked = open_marked_area(*target, settings, Access::kReadOnly);
  if (!marked || marked->reader) return marked;
  return fail(Errc::kImpossible, "open image")
      .on(marked->target.path)
      .because("the area holds {}, which dormouse cannot read", marked->foreign);
}

}  // namespace dormouse

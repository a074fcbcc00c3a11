#include <nlohmann/json.hpp>

#include "report/codec_counts_json.h"
#include "report/figures_text.h"
#include "report/render.h"

namespace dormouse {
namespace {

using Json = nlohmann::ordered_json;

Json transfer(const std::optional<TransferFigures>& figures, const ImageFigures& image) {
  if (!figures) return nullptr;
  return {
      {"seconds", seconds(figures->duration_ns)},
      {"flush_seconds", seconds(figures->flush_ns)},
      {"image_bytes_per_second", bytes_per_second(image.bytes(), figures->duration_ns)},
      {"stored_bytes_per_second", bytes_per_second(image.stored_bytes, figures->duration_ns)},
  };
}

Json image(const Report& report) {
  return {
      {"pages", report.image.pages},
      {"bytes", report.image.bytes()},
      {"size_cap_bytes", report.image.size_cap_bytes},
      {"stored_bytes", report.image.stored_bytes},
      {"ratio", report.ratio()},
  };
}

Json settings(const ReportSettings& settings) {
  return {
      {"format", settings.format},  {"codec", settings.codec},
      {"level", settings.level},    {"early_writeout_percent", settings.early_writeout.percent()},
      {"io", io_name(settings.io)}, {"threads", settings.threads},
      {"cipher", settings.cipher},
  };
}

Json phases(const std::vector<ReportPhase>& phases) {
  Json list = Json::array();
  for (const auto& phase : phases) list.push_back({{"name", phase.name}, {"seconds", seconds(phase.ns)}});
  return list;
}

}  // namespace

std::string render_json(const Report& report) {
  const Json object = {
      {"schema", "dormouse-report/1"},
      {"tool", report.tool},
      {"result", report.result},
      {"exit_code", report.exit_code},
      {"error", report.error ? Json(report.error->what()) : Json(nullptr)},
      {"kernel", report.kernel},
      {"page_bytes", report.page_bytes},
      {"ram_bytes", report.ram_bytes},
      {"image", image(report)},
      {"codecs", codec_counts_json(report.codecs)},
      {"settings", settings(report.settings)},
      {"phases", phases(report.phases)},
      {"write", transfer(report.write, report.image)},
      {"read", transfer(report.read, report.image)},
      {"device", {{"path", report.device.path}, {"offset_pages", report.device.offset_pages}}},
  };
  // Paths are bytes, JSON is UTF-8: a name that is none must not cost the whole report.
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace dormouse

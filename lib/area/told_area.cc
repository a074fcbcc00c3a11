#include "area/told_area.h"

#include <cstdlib>
#include <string>

#include "area/device_name.h"
#include "kernel/device_number.h"
#include "kernel/kernel_line.h"
#include "kernel/text_file.h"

namespace dormouse {

NamedArea told_by_kernel_line(const Host& host) {
  const auto text = read_text_file(host.paths.proc + "/cmdline", host.calls);
  if (!text) return {};
  KernelLine line = parse_kernel_line(*text);
  if (line.resume.empty() || line.resume == "none") return {};
  return {.resume_device = std::move(line.resume),
          .resume_offset_pages = line.resume_offset,
          .origin = std::string(kKernelLine)};
}

NamedArea told_by_kernel(const Host& host) {
  const std::string path = host.paths.sys + "/power/resume";
  const auto device = read_text_file(path, host.calls);
  const auto number = device ? parse_device_number(trimmed(*device)) : std::nullopt;
  if (!number || *number == 0) return {};
  NamedArea told{.resume_device = std::string(trimmed(*device)), .resume_offset_pages = {}, .origin = path};
  if (const auto offset = read_text_file(path + "_offset", host.calls))
    told.resume_offset_pages = std::strtoull(offset->c_str(), nullptr, 10);
  return told;
}

std::optional<ToldPlace> told_place(const Host& host) {
  const NamedArea told = told_by_kernel_line(host);
  if (told.resume_device.empty()) return std::nullopt;
  const auto thing = look_up_name(told.resume_device, host);
  if (!thing || !*thing || (*thing)->kind != NamedThing::Kind::kBlockDevice) return std::nullopt;
  return ToldPlace{.device_number = (*thing)->device_number,
                   .header_page = told.resume_offset_pages.value_or(0)};
}

}  // namespace dormouse

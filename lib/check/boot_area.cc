#include "check/boot_area.h"

#include <fmt/format.h>

#include "area/device_name.h"

namespace dormouse {

std::string ToldArea::text() const {
  return offset ? fmt::format("{} at page {}", device, *offset) : device;
}

WhereItLeads follow(const ToldArea& told, const TargetArea& target, const Host& host) {
  const auto thing = look_up_name(told.device, host);
  if (!thing || !*thing) return {.leads = Leads::kNowhere, .path = {}};
  WhereItLeads where{.path = (*thing)->path, .device_number = (*thing)->device_number};
  if ((*thing)->kind == NamedThing::Kind::kRegularFile) {
    where.leads = Leads::kToFile;
  } else if (where.device_number != target.device_number) {
    where.leads = Leads::kToOtherArea;
  } else if (told.offset.value_or(0) != target.header_page) {
    where.leads = Leads::kToOtherOffset;
  }
  return where;
}

}  // namespace dormouse

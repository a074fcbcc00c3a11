/// How the tools look for a swap area, and what they say of it.
#pragma once

#include <string_view>

#include "area/area_resolver.h"
#include "config/settings.h"

namespace dormouse {

/// What the settings name.
[[nodiscard]] NamedArea named_area(const Settings& settings);

/// To wait for a named area as long as a machine may take to show its disks, with a line a second on stderr.
/// `tool`: a literal.
[[nodiscard]] SearchOptions patient_search(std::string_view tool);

/// Says what a name became, and, where nothing was named, what was passed over and why.
void tell(std::string_view tool, const AreaSearch& search);

}  // namespace dormouse

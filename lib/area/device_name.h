/// From a name that somebody wrote to the thing it stands for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dormouse/error.h"

#include "area/area_resolver.h"
#include "kernel/host.h"

namespace dormouse {

/// The step that an area which cannot be found is reported under.
inline constexpr std::string_view kFindArea = "find swap area";

struct NamedThing {
  enum class Kind : std::uint8_t { kBlockDevice, kRegularFile };
  Kind kind = Kind::kBlockDevice;
  std::string path = {};            ///< of the node, or of the file
  std::uint64_t device_number = 0;  ///< st_rdev of a block device
};

/// Looks once. Understands paths, with escapes or without, links, UUID= LABEL= PARTUUID= PARTLABEL=,
/// MAJOR:MINOR and bare names of the device mapper or of /dev. nullopt where nothing of that name is there,
/// which may change; kUsage for what is neither block device nor regular file, and for two devices of one
/// tag, with both. `skipped`, if not null, is told which devices could not be read.
Result<std::optional<NamedThing>> look_up_name(const std::string& written, const Host& host,
                                               std::vector<std::string>* skipped = nullptr);

/// The same, again and again until options.wait is over, and options.waiting told. kUsage with what there is
/// instead where it does not come.
Result<NamedThing> wait_for_name(const NamedArea& named, const SearchOptions& options, const Host& host);

}  // namespace dormouse

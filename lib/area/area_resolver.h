/// The one place where it is decided which swap area is meant: checking, saving and resuming all ask here.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "dormouse/error.h"

#include "area/swap_file.h"
#include "area/target_area.h"
#include "kernel/host.h"

namespace dormouse {

struct SearchOptions {
  /// The image will be sealed: an area on a disk in the clear may be chosen beside an encrypted one.
  bool sealed_image = false;
  bool allow_file = false;       ///< a regular file may be the area itself (file mode)
  std::uint32_t page_bytes = 0;  ///< of the areas looked for; 0: this kernel's
  /// How long a named area that is not there may take to appear.
  std::chrono::milliseconds wait{0};
  /// Told once a second or so while that lasts, with a line to show.
  std::function<void(std::string_view)> waiting = {};
  /// Finds the place of a swap file; tests have another.
  std::function<Result<SwapFilePlace>(const std::string&, std::uint32_t page_bytes, const Host&)> locate =
      locate_swap_file;
};

/// Finds the area to save to. Named: exactly that one, whatever its priority or place in the table. Not
/// named: of the active areas that can hold an image and can be found at boot, the one that this boot was
/// told of by its command line, else the one with the most room free. kUsage for a name that leads nowhere,
/// to two things or to the wrong kind of thing (both listed); kImpossible where nothing fits, with every area
/// that was passed over and why.
Result<AreaSearch> find_area(const NamedArea& named, const SearchOptions& options = {},
                             const Host& host = {});

/// Finds the area to resume from: the named one; else what this boot was told (resume= and resume_offset= of
/// the kernel command line, then /sys/power/resume), if it is more than plain swap; else the one area on a
/// fixed disk that carries our mark. kUsage where several do: all are listed, none is touched. kNoImage where
/// nothing is named and none does.
Result<AreaSearch> find_resume_area(const NamedArea& named, const SearchOptions& options = {},
                                    const Host& host = {});

}  // namespace dormouse

/// The end of a suspend by plain means.
#pragma once

#include "dormouse/error.h"

namespace dormouse {

/// Both return only on failure. Neither may sync: after the snapshot no file system may be written.
class MachinePower {
 public:
  virtual ~MachinePower() = default;
  virtual Result<void> power_off() = 0;
  virtual Result<void> restart() = 0;
};

}  // namespace dormouse

/// Where the files of the system are; tests point it at a tree of their own.
#pragma once

#include <string>

namespace dormouse {

struct SystemPaths {
  std::string proc = "/proc";
  std::string sys = "/sys";
  std::string dev = "/dev";
  std::string root = {};  ///< put before everything else: /etc, /boot, /run; empty for the running system
};

}  // namespace dormouse

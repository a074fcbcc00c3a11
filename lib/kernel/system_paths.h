/// Where the kernel's files are; tests point it at a tree of their own.
#pragma once

#include <string>

namespace dormouse {

struct SystemPaths {
  std::string proc = "/proc";
  std::string sys = "/sys";
  std::string dev = "/dev";
};

}  // namespace dormouse

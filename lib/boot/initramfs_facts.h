/// What an initramfs will do about a hibernated machine, as far as its files tell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dormouse/error.h"

#include "kernel/host.h"

namespace dormouse {

struct InitramfsFacts {
  std::string path = {};
  bool initramfs_tools = false;    ///< made by them: has their scripts
  bool has_resume = false;         ///< lib/dormouse/resume is in it
  bool resume_executable = false;  ///< and may be run
  bool has_script = false;  ///< scripts/local-premount/dormouse is, which runs it before anything is mounted
  bool script_executable = false;
  bool script_called = false;  ///< and scripts/local-premount/ORDER, by which scripts are run, names it
  std::optional<std::string> config = std::nullopt;  ///< text of its etc/suspend.conf
  std::string device = {};                           ///< what its boot script waits for: conf/dormouse-device
  std::optional<std::uint64_t> offset =
      std::nullopt;                 ///< and where there, of a swap file: conf/dormouse-offset
  std::string resume_setting = {};  ///< RESUME= of initramfs-tools; empty: none
  bool systemd_resume = false;      ///< systemd's own resume from hibernation is in it
};

/// Reads all of it: about a second for the usual one.
Result<InitramfsFacts> read_initramfs_facts(const std::string& path, const Host& host = {});

}  // namespace dormouse

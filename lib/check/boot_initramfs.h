/// What is wrong with an initramfs, as far as bringing the machine back goes.
#pragma once

#include <optional>
#include <string>

#include "boot/initramfs_facts.h"
#include "check/boot_area.h"
#include "check/check_subject.h"
#include "check/finding.h"

namespace dormouse {

struct CheckedInitramfs {
  Findings findings;
  bool runs_resume = false;      ///< our resume would be run: what it is told matters
  std::optional<ToldArea> told;  ///< by its own files, which count before the kernel's command line
};

/// `facts`: of the initramfs at `path`, or why they could not be read. At most one finding: what comes first
/// in a boot hides the rest.
[[nodiscard]] CheckedInitramfs check_initramfs(const CheckSubject& subject, const std::string& path,
                                               const Result<InitramfsFacts>& facts);

}  // namespace dormouse

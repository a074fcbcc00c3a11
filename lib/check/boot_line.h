/// What is wrong with a kernel command line, and with what else a boot without a configured area goes by.
#pragma once

#include <string>

#include "boot/boot_entry.h"
#include "check/boot_area.h"
#include "check/boot_initramfs.h"
#include "check/check_subject.h"
#include "check/finding.h"

namespace dormouse {

/// `initramfs`: of the entry, already checked. `resume_setting`: RESUME= of initramfs-tools, which the
/// command line overrides. At most one finding.
[[nodiscard]] Findings check_boot_line(const CheckSubject& subject, const BootEntry& entry,
                                       const CheckedInitramfs& initramfs, const std::string& resume_setting);

}  // namespace dormouse

/// Will the next boot bring the machine back?
#pragma once

#include "check/check_subject.h"
#include "check/finding.h"

namespace dormouse {

/// Looks at the initramfs of the default boot entry and of the running kernel, at the command lines of the
/// boot loader's entries and at the firmware's HibernateLocation, and says where they would not lead to an
/// image in subject.target, or let somebody else act first. Where the area is not known, only what does not
/// depend on it. Ids begin with "boot-" and are listed in s2disk(8).
[[nodiscard]] Findings check_boot(const CheckSubject& subject);

}  // namespace dormouse

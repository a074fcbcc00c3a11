/// What resume does, as functions that main() chooses between.
#pragma once

#include <string>
#include <vector>

#include "dormouse/error.h"

#include "config/settings.h"
#include "kernel/host.h"
#include "report/report.h"
#include "status.h"
#include "tool/target_area.h"

namespace dormouse {

/// Loads the image and jumps. Returns only if the boot is to go on: there is no image of ours, or it could
/// not be brought back and the area was given back, see cycle/resume_policy.h. Has said everything.
/// kImpossible, with the image left alone, where file systems are mounted: this is no initramfs.
Result<void> resume_machine(const Settings& settings, Report& report, const Host& host = {});

/// The same from an area that has been found. `notes`: lines on how, said if there is an image.
Result<void> resume_from(const TargetArea& target, const Settings& settings, Report& report, const Host& host,
                         const std::vector<std::string>& notes = {});

/// Writes the recovered stream to `path`. The image stays as it is. kNoImage where there is none.
Result<void> recover_to(const Settings& settings, const std::string& path, Report& report);

/// Reads and checks all of the image. The image stays as it is. kNoImage where there is none.
Result<void> verify_image(const Settings& settings, Report& report);

/// What the image header says, for the report.
void report_image(const ImageInfo& info, Report& report);

/// Looks at the area; changes nothing. Plain swap is an answer, too.
Result<AreaStatus> look_at_area(const Settings& settings);

/// Gives the swap area its own header back. kNoImage where there is nothing to discard.
Result<void> discard_image(const Settings& settings, Report& report);

}  // namespace dormouse

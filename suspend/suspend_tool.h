/// The things s2disk does, as functions that main() chooses between.
#pragma once

#include <optional>
#include <string>

#include "dormouse/error.h"
#include "dormouse/image_options.h"
#include "dormouse/sealing.h"
#include "dormouse/swap_area.h"

#include "config/settings.h"
#include "kernel/host.h"
#include "report/report.h"
#include "tool/target_area.h"

namespace dormouse {

/// Saves the machine. Fills in the report, also on failure.
Result<void> suspend_machine(const Settings& settings, Report& report, const Host& host = {});

/// The same to an area that has been found; what may be asked and who may ask is not checked any more.
Result<void> suspend_to(const TargetArea& target, const Settings& settings, Report& report, const Host& host);

/// Saves the snapshot stream in `from` instead: freezes nothing, powers nothing off, needs no root.
Result<void> store_file(const Settings& settings, const std::string& from, Report& report);

/// `s2disk --check`: prints what was found and what to do about it; returns the exit code, 0 or 6. Changes
/// nothing: it writes to no disk, and not to the report file either.
int check_only(const Settings& settings, const Host& host = {});

/// Where the settings ask for sealed images: reads the key files and asks for the passphrase, before anything
/// is frozen. An error for any key that cannot be used: nothing takes its place. Notes the cipher in the
/// report.
Result<std::optional<ImageSeal>> prepare_seal(const Settings& settings, const Host& host, Report& report);

/// The options of the image that the settings ask for.
[[nodiscard]] ImageOptions image_options(const Settings& settings, std::uint32_t page_bytes);

/// kImpossible where the area already holds an image: it is never written over.
Result<void> require_plain(const SwapArea& area, const std::string& path);

/// kImpossible for a swap file that is not swapped on: what lies behind its header on the device may be
/// anybody's.
Result<void> require_known_pages(const TargetArea& target);

}  // namespace dormouse

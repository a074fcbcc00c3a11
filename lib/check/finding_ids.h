/// The name of every cause that `s2disk --check` can find, apart from those of check_boot(), which begin with
/// "boot-". They are part of the JSON contract: one is never given another meaning, and s2disk(8) lists them.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "check/finding.h"

namespace dormouse {

namespace finding {

// The machine.
inline constexpr std::string_view kNotRoot = "not-root";
inline constexpr std::string_view kHibernationMissing = "hibernation-missing";
inline constexpr std::string_view kHibernationDisabled = "hibernation-disabled";
inline constexpr std::string_view kNohibernate = "nohibernate";
inline constexpr std::string_view kLockdown = "kernel-locked-down";
inline constexpr std::string_view kSecretMemory = "secret-memory";
inline constexpr std::string_view kSnapshotMissing = "snapshot-missing";
inline constexpr std::string_view kSnapshotBusy = "snapshot-busy";
inline constexpr std::string_view kPmTest = "pm-test-active";
inline constexpr std::string_view kMethodMissing = "method-missing";
inline constexpr std::string_view kMethodFallback = "method-fallback";
inline constexpr std::string_view kFuse = "fuse-mounted";

// The settings.
inline constexpr std::string_view kReportFile = "report-file-unwritable";
inline constexpr std::string_view kKeyFile = "key-file-unusable";
inline constexpr std::string_view kSizeAboveLimit = "image-size-above-limit";
inline constexpr std::string_view kManyThreads = "threads-above-processors";

// The swap area.
inline constexpr std::string_view kArea = "area";
inline constexpr std::string_view kAreaName = "area-name";
inline constexpr std::string_view kPassedOver = "area-passed-over";
inline constexpr std::string_view kAreaNotFound = "area-not-found";
inline constexpr std::string_view kAreaUnreadable = "area-unreadable";
inline constexpr std::string_view kNoSignature = "area-no-signature";
inline constexpr std::string_view kPageSize = "area-page-size";
inline constexpr std::string_view kHoldsImage = "area-holds-image";
inline constexpr std::string_view kNotActive = "area-not-active";
inline constexpr std::string_view kStaleOffset = "area-stale-offset";
inline constexpr std::string_view kRemovable = "area-removable";

// Room in it.
inline constexpr std::string_view kRoom = "room";
inline constexpr std::string_view kTooSmall = "swap-too-small";
inline constexpr std::string_view kTight = "swap-tight";
inline constexpr std::string_view kFragmented = "swap-file-fragmented";

// Memory.
inline constexpr std::string_view kMemory = "memory";
inline constexpr std::string_view kTooMuchInUse = "too-much-memory-in-use";
inline constexpr std::string_view kTooLittleMemory = "too-little-memory";

}  // namespace finding

struct FindingKind {
  std::string_view id;
  Finding::Severity severity;
  std::string_view meaning;  ///< for the list in s2disk(8)
};

/// All of the above.
inline constexpr std::array<FindingKind, 34> kFindingKinds{{
    {finding::kNotRoot, Finding::Severity::kProblem, "only root may hibernate, and see all of the rest"},
    {finding::kHibernationMissing, Finding::Severity::kProblem, "the kernel was built without hibernation"},
    {finding::kHibernationDisabled, Finding::Severity::kProblem,
     "the kernel says [disabled], and none of the next three is why"},
    {finding::kNohibernate, Finding::Severity::kProblem, "the kernel's command line switches it off"},
    {finding::kLockdown, Finding::Severity::kProblem, "kernel lockdown forbids it"},
    {finding::kSecretMemory, Finding::Severity::kProblem, "a process holds secret memory (memfd_secret)"},
    {finding::kSnapshotMissing, Finding::Severity::kProblem, "there is no snapshot device"},
    {finding::kSnapshotBusy, Finding::Severity::kProblem, "a process has the snapshot device open"},
    {finding::kPmTest, Finding::Severity::kProblem, "/sys/power/pm_test lets no image be made"},
    {finding::kMethodMissing, Finding::Severity::kProblem, "the shutdown method cannot be had here"},
    {finding::kMethodFallback, Finding::Severity::kNote, "no platform method: it will be shutdown"},
    {finding::kFuse, Finding::Severity::kNote, "mounted FUSE file systems can hold up the freeze"},
    {finding::kReportFile, Finding::Severity::kWarning, "the report file could not be written"},
    {finding::kKeyFile, Finding::Severity::kProblem, "a key file is missing, unreadable or no key file"},
    {finding::kSizeAboveLimit, Finding::Severity::kNote, "the cap on the image is above half of the memory"},
    {finding::kManyThreads, Finding::Severity::kNote, "more threads than processors"},
    {finding::kArea, Finding::Severity::kNote, "which area it is"},
    {finding::kAreaName, Finding::Severity::kNote, "what the name in the configuration became"},
    {finding::kPassedOver, Finding::Severity::kNote, "an area that was not taken, and why"},
    {finding::kAreaNotFound, Finding::Severity::kProblem, "no area was found"},
    {finding::kAreaUnreadable, Finding::Severity::kProblem, "its header cannot be read"},
    {finding::kNoSignature, Finding::Severity::kProblem, "there is no swap header at that place"},
    {finding::kPageSize, Finding::Severity::kProblem, "it was made for another page size"},
    {finding::kHoldsImage, Finding::Severity::kProblem, "it holds an image already"},
    {finding::kNotActive, Finding::Severity::kProblem, "a swap file that is not swapped on"},
    {finding::kStaleOffset, Finding::Severity::kWarning, "the configured offset is not where the file is"},
    {finding::kRemovable, Finding::Severity::kWarning, "the disk can be taken out"},
    {finding::kRoom, Finding::Severity::kNote, "the image foreseen, and the room for it"},
    {finding::kTooSmall, Finding::Severity::kProblem, "the image foreseen does not fit"},
    {finding::kTight, Finding::Severity::kWarning,
     "it fits with less than a tenth to spare, or only packed harder or smaller"},
    {finding::kFragmented, Finding::Severity::kWarning, "the swap file lies in very many pieces"},
    {finding::kMemory, Finding::Severity::kNote, "memory in use, the limit, and what s2disk takes itself"},
    {finding::kTooMuchInUse, Finding::Severity::kProblem, "more than half of the memory cannot be let go of"},
    {finding::kTooLittleMemory, Finding::Severity::kProblem, "too little is free for s2disk itself"},
}};

/// A finding of that kind, with its severity.
[[nodiscard]] Finding found(std::string_view id, std::string what, std::string remedy = {});

}  // namespace dormouse

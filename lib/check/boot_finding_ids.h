/// The name of every cause that check_boot() can find. As in finding_ids.h: part of the JSON contract.
#pragma once

#include <array>
#include <string_view>

#include "check/finding_ids.h"

namespace dormouse {

namespace finding {

inline constexpr std::string_view kBoot = "boot";
inline constexpr std::string_view kBootLoaderUnknown = "boot-loader-unknown";
inline constexpr std::string_view kBootMenuUnreadable = "boot-menu-unreadable";
inline constexpr std::string_view kBootNoInitramfs = "boot-no-initramfs";
inline constexpr std::string_view kBootInitramfsMissing = "boot-initramfs-missing";
inline constexpr std::string_view kBootInitramfsUnreadable = "boot-initramfs-unreadable";
inline constexpr std::string_view kBootNoResume = "boot-no-resume";
inline constexpr std::string_view kBootResumeNotExecutable = "boot-resume-not-executable";
inline constexpr std::string_view kBootStartUnknown = "boot-start-unknown";
inline constexpr std::string_view kBootScriptMissing = "boot-script-missing";
inline constexpr std::string_view kBootScriptNotRun = "boot-script-not-run";
inline constexpr std::string_view kBootConfigMissing = "boot-config-missing";
inline constexpr std::string_view kBootConfigUnreadable = "boot-config-unreadable";
inline constexpr std::string_view kBootNamesFile = "boot-names-file";
inline constexpr std::string_view kBootOtherArea = "boot-other-area";
inline constexpr std::string_view kBootNothingNamed = "boot-nothing-named";
inline constexpr std::string_view kBootLineOtherArea = "boot-line-other-area";
inline constexpr std::string_view kBootLineOffset = "boot-line-wrong-offset";
inline constexpr std::string_view kBootLineUnreadable = "boot-line-unreadable";
inline constexpr std::string_view kBootNohibernate = "boot-nohibernate";
inline constexpr std::string_view kBootNoresume = "boot-noresume";
inline constexpr std::string_view kBootStockFirst = "boot-stock-first";
inline constexpr std::string_view kBootEfiElsewhere = "boot-efi-elsewhere";
inline constexpr std::string_view kBootEfiUnreadable = "boot-efi-unreadable";

}  // namespace finding

inline constexpr std::array<FindingKind, 24> kBootFindingKinds{{
    {finding::kBoot, Finding::Severity::kNote, "which boot entry and initramfs were looked at"},
    {finding::kBootLoaderUnknown, Finding::Severity::kNote, "no boot menu that can be read is here"},
    {finding::kBootMenuUnreadable, Finding::Severity::kProblem, "the boot loader's menu cannot be read"},
    {finding::kBootNoInitramfs, Finding::Severity::kProblem, "the entry starts without an initramfs"},
    {finding::kBootInitramfsMissing, Finding::Severity::kProblem, "its initramfs is not there"},
    {finding::kBootInitramfsUnreadable, Finding::Severity::kProblem, "its initramfs is damaged"},
    {finding::kBootNoResume, Finding::Severity::kProblem, "resume is not in the initramfs"},
    {finding::kBootResumeNotExecutable, Finding::Severity::kProblem, "it is, and may not be run"},
    {finding::kBootStartUnknown, Finding::Severity::kWarning, "what runs it there cannot be told"},
    {finding::kBootScriptMissing, Finding::Severity::kProblem, "the script that runs it is missing"},
    {finding::kBootScriptNotRun, Finding::Severity::kProblem, "the script is not run"},
    {finding::kBootConfigMissing, Finding::Severity::kProblem, "suspend.conf is not in the initramfs"},
    {finding::kBootConfigUnreadable, Finding::Severity::kProblem, "suspend.conf there has an error"},
    {finding::kBootNamesFile, Finding::Severity::kProblem, "it names a file, which cannot be reached then"},
    {finding::kBootOtherArea, Finding::Severity::kProblem, "it names another area"},
    {finding::kBootNothingNamed, Finding::Severity::kProblem, "nothing names a swap file's place"},
    {finding::kBootLineOtherArea, Finding::Severity::kProblem, "the command line names another area"},
    {finding::kBootLineOffset, Finding::Severity::kProblem, "or another offset"},
    {finding::kBootLineUnreadable, Finding::Severity::kProblem, "its offset is no number"},
    {finding::kBootNohibernate, Finding::Severity::kProblem, "the entry switches hibernation off"},
    {finding::kBootNoresume, Finding::Severity::kProblem, "it says noresume: images are thrown away"},
    {finding::kBootStockFirst, Finding::Severity::kProblem,
     "the stock kernel would load an image of its own first"},
    {finding::kBootEfiElsewhere, Finding::Severity::kWarning,
     "the firmware's HibernateLocation leads elsewhere"},
    {finding::kBootEfiUnreadable, Finding::Severity::kWarning, "it cannot be understood"},
}};

}  // namespace dormouse

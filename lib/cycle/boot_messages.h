/// What plain `resume` says when it does not bring the machine back: what happened, what was done with the
/// image, what to do next. Each function gives one line. tests/tool/boot_messages.txt shows all of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dormouse/error.h"

namespace dormouse {

/// Either way is safe; the first is taken unless somebody chooses the other in time.
struct BootQuestion {
  std::string_view action;  ///< the first: "restarting to try again"
  std::string_view now;     ///< the same as what Enter does: "restart now"
  char key = 0;             ///< with Enter, chooses the other
  std::string_view other;
};

inline constexpr BootQuestion kRestartOrDiscard{
    .action = "restarting to try again",
    .now = "restart now",
    .key = 'd',
    .other = "discard the image and boot without the saved session"};
inline constexpr BootQuestion kDiscardOrKeep{.action = "discarding the image",
                                             .now = "discard it now",
                                             .key = 'k',
                                             .other = "keep it and restart (for another kernel or dormouse)"};

inline constexpr BootQuestion kPowerOffOrDiscard{
    .action = "powering off",
    .now = "power off now",
    .key = 'd',
    .other = "discard the image and boot without the saved session"};

/// A user mark whose image is not ours.
inline constexpr std::string_view kForeignUserMark =
    "uswsusp's hibernation image (ULSUSPEND), or one whose header is lost";

namespace boot_message {

// No image of ours.
std::string left_alone(std::string_view device, std::string_view whose);
std::string unfinished(std::string_view device);
std::string mounted_already(std::string_view file_system);
std::string mounts_unknown(const Error& error);
std::string cannot_look(const Error& error);

// Why it is not loaded.
std::string not_loaded(std::string_view device, const Error& error);
std::string stopped(std::string_view device);
std::string still_locked(std::string_view device, const Error& error);
std::string not_readable(std::string_view device, const Error& error);
std::string not_writable(std::string_view device, const Error& error);
std::string not_counted(std::string_view device, const Error& error);
std::string resumed_already(std::string_view device);
std::string given_up_before(std::string_view device);
std::string tries_used_up(std::string_view device, std::uint32_t tries, std::uint32_t allowed);

// What becomes of it.
std::string kept(std::uint32_t number, std::uint32_t allowed);
std::string kept_uncounted();
std::string last_try(std::uint32_t number, std::uint32_t allowed);
std::string no_second_try();
std::string not_kept();
std::string restarting();
std::string not_restarted(const Error& error);
std::string powering_off();
std::string not_powered_off(const Error& error);
std::string given_back();
std::string given_back_stale();
std::string given_back_empty();
std::string not_given_back(const Error& error);
std::string mark_stays(std::string_view device);
std::string mark_stays_harmless(std::string_view device);

}  // namespace boot_message

}  // namespace dormouse

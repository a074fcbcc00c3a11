#include "cycle/boot_messages.h"

#include <fmt/format.h>

namespace dormouse::boot_message {

std::string left_alone(std::string_view device, std::string_view whose) {
  return fmt::format(
      "{} holds {}: left alone, booting goes on; if the program that made it does not load it, 'resume "
      "--discard' gives the swap area back",
      device, whose);
}
std::string mounted_already(std::string_view file_system) {
  return fmt::format(
      "{} is mounted, so this is a system that runs, and the saved one would destroy its file systems; the "
      "image was left "
      "alone. Restart to resume it; a boot that goes on from here has to discard it (resume --discard)",
      file_system);
}
std::string mounts_unknown(const Error& error) {
  return fmt::format(
      "whether file systems are mounted, which the saved system would destroy, cannot be told ({}); the "
      "image was left alone. "
      "Mount /proc first; a boot that goes on from here has to discard the image (resume --discard)",
      error.what());
}
std::string unfinished(std::string_view device) {
  return fmt::format("{}: the swap area carries a mark, but where it leads to no image was ever written",
                     device);
}
std::string cannot_look(const Error& error) {
  return fmt::format(
      "it could not be found out whether there is a saved session: {}; booting goes on. If there was one, it "
      "no longer fits the file systems then: do 'resume --discard' or mkswap before the swap area is used",
      error.what());
}

std::string not_loaded(std::string_view device, const Error& error) {
  return fmt::format("{}: the saved session could not be brought back: {}", device, error.what());
}
std::string stopped(std::string_view device) {
  return fmt::format("{}: bringing back the saved session was stopped as you asked", device);
}
std::string still_locked(std::string_view device, const Error& error) {
  return fmt::format("{}: the saved session stays locked: {}", device, error.what());
}
std::string not_readable(std::string_view device, const Error& error) {
  return fmt::format("{}: the swap area carries a mark, but the image header it leads to cannot be used: {}",
                     device, error.what());
}
std::string not_writable(std::string_view device, const Error& error) {
  return fmt::format(
      "{}: the swap area carries a mark, so there may be a saved session, but it cannot be opened for "
      "writing: "
      "{}",
      device, error.what());
}
std::string not_counted(std::string_view device, const Error& error) {
  return fmt::format("{}: the saved session is not loaded, since the try could not be counted: {}", device,
                     error.what());
}
std::string resumed_already(std::string_view device) {
  return fmt::format(
      "{}: the image there has been resumed already, and the disk then lost the removal of its mark; loading "
      "it again would destroy the file systems, so it is not loaded",
      device);
}
std::string given_up_before(std::string_view device) {
  return fmt::format(
      "{}: the image there was given up at an earlier boot, but its mark is still there; file systems have "
      "been "
      "used since, so loading it would destroy them, and it is not loaded",
      device);
}
std::string tries_used_up(std::string_view device, std::uint32_t tries, std::uint32_t allowed) {
  return fmt::format(
      "{}: the saved session is not loaded: at earlier boots the tries to load it came to {}, as many as "
      "'resume "
      "attempts' allows ({}), and the last one hung, crashed or was cut off",
      device, tries, allowed);
}

std::string kept(std::uint32_t number, std::uint32_t allowed) {
  return fmt::format(
      "this was try {} of {} ('resume attempts'); the image is kept, and nothing has been mounted. To try "
      "another kernel, choose it after the restart",
      number, allowed);
}
std::string kept_uncounted() {
  return "the image is kept, nothing has been mounted, and this does not count as a try";
}
std::string last_try(std::uint32_t number, std::uint32_t allowed) {
  return fmt::format("this was try {} of {} ('resume attempts') and the last: the image is given up", number,
                     allowed);
}
std::string no_second_try() {
  return "without a count the machine might restart for ever, so there is no second try";
}
std::string not_kept() {
  return "so the image cannot be kept for another try: it is given up";
}
std::string restarting() {
  return "restarting the machine; the image is kept";
}
std::string not_restarted(const Error& error) {
  return fmt::format(
      "the machine could not be restarted: {}. Booting on with the image kept would ruin the file systems "
      "when "
      "it is loaded later, so the image is given up",
      error.what());
}
std::string powering_off() {
  return "powering off; the image is kept, and can be opened when the machine is switched on again";
}
std::string not_powered_off(const Error& error) {
  return fmt::format(
      "the machine could not be powered off: {}. Booting on with the image kept would ruin the file systems "
      "when it "
      "is loaded later, so the image is given up",
      error.what());
}
std::string given_back() {
  return "the image is discarded and the swap area is plain swap again; what the saved session had not "
         "written to its files is lost, the files themselves are untouched; booting goes on";
}
std::string given_back_stale() {
  return "the image is discarded and the swap area is plain swap again; booting goes on";
}
std::string given_back_empty() {
  return "there is nothing to load; the mark is removed, the swap area is plain swap again, booting goes on";
}
std::string not_given_back(const Error& error) {
  return fmt::format("THE IMAGE COULD NOT BE DISCARDED: {}", error.what());
}
std::string mark_stays(std::string_view device) {
  return fmt::format(
      "its mark may still be on {0}. Mount nothing: if this boot uses the file systems and a later one loads "
      "the "
      "image, they are destroyed. Do 'resume --discard {0}' or mkswap first, or switch off and repair the "
      "disk",
      device);
}
std::string mark_stays_harmless(std::string_view device) {
  return fmt::format(
      "its mark may still be on {0}, but the image says now that it was given up, and resume will not load "
      "it. Do "
      "'resume --discard {0}' or mkswap before the swap area is used again",
      device);
}

}  // namespace dormouse::boot_message

/// A machine with swap areas, and the searches in it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/sysmacros.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "area/area_resolver.h"
#include "area/fake_machine.h"

namespace dormouse::test {

inline constexpr std::uint64_t kKibibytes = 8188;  // of the areas here, without the header page

class ResolverBed : public ::testing::Test {
 protected:
  void SetUp() override {
    if (FakeMachine::possible()) return;
    ASSERT_EQ(std::getenv("CI"), nullptr) << "CI must be allowed to make device nodes";
    GTEST_SKIP() << "no device nodes can be made (root needed)";
  }

  /// A disk with two swap partitions, both on.
  void add_two(int first_priority = -2, int second_priority = -3, std::uint64_t first_used = 0,
               std::uint64_t second_used = 0) {
    machine_.add({.name = "sda"});
    machine_.add({.name = "sda2", .minor = 2, .disk = "sda"}, swap_content());
    machine_.add({.name = "sda3", .minor = 3, .disk = "sda"}, swap_content({.uuid_seed = 1}));
    machine_.swap_on("/dev/sda2", kKibibytes, first_used, first_priority);
    machine_.swap_on("/dev/sda3", kKibibytes, second_used, second_priority);
  }

  /// A further area, which is to be passed over beside those of add_two().
  void add_on(const FakeDevice& device, const std::string& content = swap_content(), std::uint64_t used = 0) {
    machine_.add(device, content);
    machine_.swap_on("/dev/" + device.name, kKibibytes, used, 100);
  }

  Result<AreaSearch> find(const NamedArea& named = {}, SearchOptions options = {}) {
    prepare(options);
    return find_area(named, options, machine_.host());
  }

  Result<AreaSearch> find_resume(const NamedArea& named = {}, SearchOptions options = {}) {
    prepare(options);
    return find_resume_area(named, options, machine_.host());
  }

  void prepare(SearchOptions& options) const {
    options.page_bytes = kMinPageBytes;
    options.locate = [this](const std::string& path, std::uint32_t, const Host&) -> Result<SwapFilePlace> {
      if (!place_) return fail(Errc::kImpossible, "locate swap file").on(path).because("it has holes");
      auto place = *place_;
      place.file = machine_.short_text(path);
      return place;
    };
  }

  /// "/dev/sda2" or "/dev/sda2+12"; else the error.
  std::string text(const Result<AreaSearch>& search) const {
    if (!search) return machine_.short_text(search.error().what());
    const TargetArea& target = search->target;
    std::string result = machine_.short_text(target.path);
    if (target.header_page != 0) result += fmt::format("+{}", target.header_page);
    return result;
  }

  /// "/dev/zram0: reason", one for each that was passed over.
  std::vector<std::string> passed_over(const Result<AreaSearch>& search) const {
    std::vector<std::string> lines;
    if (!search) return {search.error().what()};
    for (const auto& [path, reason] : search->passed_over)
      lines.push_back(path + ": " + machine_.short_text(reason));
    return lines;
  }

  std::vector<std::string> notes(const Result<AreaSearch>& search) const {
    std::vector<std::string> lines;
    if (!search) return {search.error().what()};
    for (const std::string& note : search->notes) lines.push_back(machine_.short_text(note));
    return lines;
  }

  /// The area added last is passed over for this reason, beside one that will do.
  void expect_passed_over(std::string_view path, std::string_view reason) {
    const auto search = find();
    EXPECT_THAT(text(search), ::testing::AnyOf("/dev/sda2", "/dev/sda3"));
    const auto lines = passed_over(search);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_THAT(lines.front(), ::testing::StartsWith(std::string(path) + ": "));
    EXPECT_THAT(lines.front(), ::testing::HasSubstr(std::string(reason)));
  }

  void swap_file_on(const std::string& path, std::uint64_t header_page) {
    machine_.file(path.substr(1), "");
    machine_.swap_on(path, kKibibytes, 0, -5, "file");
    place_ = {.file = path,
              .device_path = machine_.node("sda1"),
              .device_number = ::gnu_dev_makedev(8, 1),
              .header_page = header_page,
              .size_bytes = std::uint64_t{1} << 20,
              .extents = 1,
              .file_system = "ext4"};
  }

  void add_root(std::uint64_t header_page) {
    machine_.add({.name = "sda"});
    machine_.add(
        {.name = "sda1", .minor = 1, .disk = "sda"},
        std::string(header_page * kMinPageBytes, '\0') + swap_content({.bytes = std::uint64_t{1} << 20}));
  }

  FakeMachine machine_;
  std::optional<SwapFilePlace> place_;
};

}  // namespace dormouse::test

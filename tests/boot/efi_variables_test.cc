#include "boot/efi_variables.h"

#include <gmock/gmock.h>

#include "support/temporary_directory.h"

namespace dormouse::test {
namespace {

using ::testing::HasSubstr;

std::string utf16(std::u16string_view text) {
  std::string bytes("\x07\0\0\0", 4);
  for (const char16_t unit : text) {
    bytes += static_cast<char>(unit & 0xff);
    bytes += static_cast<char>(unit >> 8);
  }
  return bytes;
}

class EfiVariables : public ::testing::Test {
 protected:
  std::string write(std::string_view name, std::string_view bytes) {
    return directory_.write("firmware/efi/efivars/" + std::string(name), bytes);
  }
  std::string location(std::string_view bytes) {
    return write("HibernateLocation-8cf2644b-4b0b-428f-9387-6d876050dc67", bytes);
  }
  TemporaryDirectory directory_;
  Host host_{.paths = {.sys = directory_.path().string()}};
};

TEST_F(EfiVariables, WhereSystemdHibernatedTo) {
  const auto path =
      location(utf16(u"{\"uuid\":\"0a-\u00fc\U0001F600\",\"offset\":34816,\"kernelVersion\":\"6.12\"}\0"));
  const auto found = read_hibernate_location(host_);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->path, path);
  EXPECT_EQ((*found)->uuid, "0a-\xc3\xbc\xf0\x9f\x98\x80");
  EXPECT_EQ((*found)->offset, 34816U);
  EXPECT_EQ((*found)->kernel_version, "6.12");
}

TEST_F(EfiVariables, NoneIsNoError) {
  const auto found = read_hibernate_location(host_);
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
}

TEST_F(EfiVariables, WhatCannotBeUnderstoodIsNamed) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "empty"},
      {std::string("\x07\0\0\0", 4), "empty"},
      {utf16(u"{\"uuid\":\"x\",\"offset\":1}") + "z", "UTF-16"},
      {std::string("\x07\0\0\0\x00\xd8", 6), "UTF-16"},
      {std::string("\x07\0\0\0\x00\xdc", 6), "UTF-16"},
      {utf16(u"[1]"), "object"},
      {utf16(u"{\"uuid\":"), "object"},
      {utf16(u"{\"offset\":1}"), "'uuid'"},
      {utf16(u"{\"uuid\":\"x\",\"offset\":-1}"), "'offset'"},
      {utf16(u"{\"uuid\":\"x\",\"offset\":\"1\"}"), "'offset'"},
  };
  for (const auto& [bytes, word] : cases) {
    const auto path = location(bytes);
    const auto found = read_hibernate_location(host_);
    ASSERT_FALSE(found) << word;
    EXPECT_EQ(found.error().code, Errc::kCorrupt);
    EXPECT_THAT(found.error().what(), HasSubstr(word));
    EXPECT_THAT(found.error().what(), HasSubstr("HibernateLocation"));
  }
}

TEST_F(EfiVariables, TextOfTheLoaders) {
  write("LoaderInfo-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f", utf16(u"systemd-boot 257"));
  EXPECT_EQ(loader_variable("LoaderInfo", host_), "systemd-boot 257");
  EXPECT_EQ(loader_variable("LoaderEntryDefault", host_), "");
}

}  // namespace
}  // namespace dormouse::test

#include "cycle/machine_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace dormouse::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ImageInfo image_of(std::string architecture, std::string release) {
  ImageInfo image;
  image.image.page_bytes = 4096;
  image.architecture = std::move(architecture);
  image.kernel_release = std::move(release);
  image.ram_bytes = 2'000'000'000;
  return image;
}

MachineFacts machine_of(std::string architecture, std::string release) {
  return {.page_bytes = 4096,
          .architecture = std::move(architecture),
          .kernel_release = std::move(release),
          .ram_bytes = 2'000'000'000};
}

TEST(MachineMatch, TakesTheSameMachineAndOnX86AnotherKernelToo) {
  EXPECT_TRUE(check_machine(image_of("x86_64", "6.1"), machine_of("x86_64", "6.1"), "disk"));
  EXPECT_TRUE(check_machine(image_of("x86_64", "6.1"), machine_of("x86_64", "6.12"), "disk"));
  EXPECT_TRUE(check_machine(image_of("aarch64", "6.1"), machine_of("aarch64", "6.1"), "disk"));
}

TEST(MachineMatch, RefusesWithBothValues) {
  const auto refusal = [](const ImageInfo& image, const MachineFacts& machine) {
    const auto checked = check_machine(image, machine, "/dev/vda2");
    EXPECT_FALSE(checked);
    EXPECT_EQ(checked.error().code, Errc::kImpossible);
    return checked.error().what();
  };
  MachineFacts large = machine_of("x86_64", "6.1");
  large.page_bytes = 65536;
  EXPECT_THAT(refusal(image_of("x86_64", "6.1"), large),
              AllOf(HasSubstr("/dev/vda2"), HasSubstr("4096"), HasSubstr("65536")));
  EXPECT_THAT(refusal(image_of("x86_64", "6.1"), machine_of("aarch64", "6.1")),
              AllOf(HasSubstr("x86_64"), HasSubstr("aarch64")));
  EXPECT_THAT(refusal(image_of("aarch64", "6.1.0-1"), machine_of("aarch64", "6.1.0-2")),
              AllOf(HasSubstr("6.1.0-1"), HasSubstr("6.1.0-2")));
}

TEST(MachineMatch, NamesTheMemoryOnlyWhereItDiffersAndTheKernelRefused) {
  const ImageInfo image = image_of("x86_64", "6.1");
  const auto explained = [&](Errc code, int errnum, std::uint64_t ram) {
    Error error = fail(code, "load image into the kernel").os(errnum).because("its own words").error();
    MachineFacts machine = machine_of("x86_64", "6.1");
    machine.ram_bytes = ram;
    explain_refusal(error, image, machine);
    return error.what();
  };
  EXPECT_THAT(explained(Errc::kIo, EPERM, 1'000'000'000),
              AllOf(HasSubstr("its own words"), HasSubstr("2000000000"), HasSubstr("1000000000")));
  EXPECT_THAT(explained(Errc::kIo, EPERM, 2'020'000'001), HasSubstr("2020000001"));
  EXPECT_THAT(explained(Errc::kIo, EPERM, 2'020'000'000), Not(HasSubstr("memory")));
  EXPECT_THAT(explained(Errc::kIo, EIO, 1'000'000'000), Not(HasSubstr("memory")));
  EXPECT_THAT(explained(Errc::kImpossible, EPERM, 1'000'000'000), Not(HasSubstr("memory"))) << "locked down";
  EXPECT_THAT(explained(Errc::kIo, EPERM, 0), Not(HasSubstr("memory"))) << "not known";
}

}  // namespace
}  // namespace dormouse::test

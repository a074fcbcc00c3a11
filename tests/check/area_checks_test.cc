#include <gmock/gmock.h>

#include <cerrno>

#include "check/checks.h"
#include "check/finding_ids.h"
#include "check/sound_tree.h"

namespace dormouse::test {
namespace {

using ::testing::HasSubstr;

CheckedArea looked_at(const SoundTree& tree, const Host& host) {
  return check_area({.settings = tree.settings, .host = host, .page_bytes = 4096}, tree.search);
}

TEST(AreaChecks, AReadErrorIsToldWithItsPlace) {
  const SoundTree tree;
  FaultySystemCalls calls;
  calls.faults().fail_name("pread", EIO);
  const auto checked = looked_at(tree, {.paths = tree.host.paths, .calls = calls});
  ASSERT_EQ(checked.findings.size(), 1U);
  EXPECT_EQ(checked.findings[0].id, finding::kAreaUnreadable);
  EXPECT_THAT(checked.findings[0].what, HasSubstr("vda2 at byte 0: Input/output error"));
  EXPECT_FALSE(checked.facts);
}

TEST(AreaChecks, NothingIsOpenedForWriting) {
  const SoundTree tree;
  FaultySystemCalls calls;
  for (const auto name : {"pwrite", "writev", "ftruncate", "rename", "unlink"})
    calls.faults().fail_name(name, EROFS);
  const auto checked = looked_at(tree, {.paths = tree.host.paths, .calls = calls});
  ASSERT_TRUE(checked.facts);
  for (const auto name : {"pwrite", "writev", "fdatasync", "ftruncate", "rename", "unlink"})
    EXPECT_EQ(calls.faults().count(name), 0U) << name;
}

TEST(AreaChecks, TheKernelSaysWhatIsFreeInAnActiveArea) {
  const SoundTree tree;
  tree.write("proc/swaps", "Filename Type Size Used Priority\n/dev/zram0 partition 5000 1000 100\n" +
                               tree.area() + " partition 1048572 48572 -2\n");
  const auto checked = looked_at(tree, tree.host);
  ASSERT_TRUE(checked.facts);
  EXPECT_EQ(checked.facts->size_bytes, 1'048'572U * 1024);
  EXPECT_EQ(checked.facts->free_bytes, 1'000'000U * 1024);
  EXPECT_EQ(checked.facts->free_elsewhere_bytes, 4'000U * 1024);
}

TEST(AreaChecks, AnAreaThatNobodyUsesIsFreeAsAWhole) {
  SoundTree tree;
  tree.search->target.active = false;
  tree.write("proc/swaps", "Filename Type Size Used Priority\n");
  const auto checked = looked_at(tree, tree.host);
  ASSERT_TRUE(checked.facts);
  EXPECT_FALSE(checked.facts->active);
  EXPECT_EQ(checked.facts->free_bytes, (std::uint64_t{1} << 30) - 4096);
  EXPECT_THAT(checked.findings.back().what, HasSubstr("not swapped on"));
}

TEST(AreaChecks, ASwapFileIsFoundInTheKernelsListByAnyOfItsNames) {
  SoundTree tree;
  tree.write("data/swapfile", "");
  tree.link("swap", "data/swapfile");
  tree.write("proc/swaps", "Filename Type Size Used Priority\n/data/swapfile file 5000 1000 100\n");
  tree.search->target.swap_file = tree.file("swap");
  const auto checked = looked_at(tree, tree.host);
  ASSERT_TRUE(checked.facts);
  EXPECT_EQ(checked.facts->free_bytes, 4000U * 1024);
  EXPECT_EQ(checked.facts->free_elsewhere_bytes, 0U);
}

TEST(AreaChecks, WhatOnlyRootMaySeeIsNoFindingOfItsOwn) {
  SoundTree tree;
  const auto findings_of = [&](const Failure& search) {
    tree.search = search;
    const auto checked = check_area(
        {.settings = tree.settings, .host = tree.host, .page_bytes = 4096, .root = false}, tree.search);
    return checked.findings.size();
  };
  // Where none is named, each of the active ones was passed over, as its header could not be read.
  tree.settings.resume_device.clear();
  EXPECT_EQ(findings_of(fail(Errc::kImpossible, "find swap area").because("no active swap area will do")),
            0U);
  tree.settings.resume_device = "/dev/vda2";
  EXPECT_EQ(findings_of(fail(Errc::kIo, "open").on("/dev/vda2").os(EACCES)), 0U);
  EXPECT_EQ(findings_of(fail(Errc::kUsage, "find swap area").because("it is not there")), 1U);
}

TEST(AreaChecks, NamesFromOutsideAreFitToBePrinted) {
  SoundTree tree;
  tree.search->passed_over = {{.path = "/dev/\x1b[2J", .reason = "a\nb"}};
  const auto checked = looked_at(tree, tree.host);
  EXPECT_EQ(checked.findings[0].what, "/dev/?[2J was passed over: a?b");
}

}  // namespace
}  // namespace dormouse::test

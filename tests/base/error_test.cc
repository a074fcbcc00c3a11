/// What a person reads when something failed, and that making it costs nothing.
#include "dormouse/error.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

namespace dormouse::test {
namespace {

std::string what(const Failure& failure) {
  return failure.error().what();
}

TEST(Error, TellsStepObjectPlaceErrnoAndDetailInOneLine) {
  EXPECT_EQ(what(fail(Errc::kIo, "write swap map")
                     .on("/dev/vda2")
                     .at(2048000)
                     .os(ENOSPC)
                     .because("{} bytes more", 4096)),
            "write swap map on /dev/vda2 at byte 2048000: No space left on device: 4096 bytes more");
}

TEST(Error, LeavesOutWhatItDoesNotKnow) {
  EXPECT_EQ(what(fail(Errc::kIo, "freeze")), "freeze");
  EXPECT_EQ(what(fail(Errc::kIo, "freeze").os(ENOTUNIQ)), "freeze: Name not unique on network");
  EXPECT_EQ(what(fail(Errc::kIo, "read").at(0)), "read at byte 0");
  EXPECT_EQ(what(fail(Errc::kUsage, "read").because("no")), "read: no");
  EXPECT_EQ(what(fail(Errc::kIo, "x")).find("Success"), std::string::npos);
}

TEST(Error, GivesGeneralAdviceWhereThereIsNoOther) {
  EXPECT_EQ(what(fail(Errc::kIo, "write").os(EROFS)),
            "write: Read-only file system: it is write-protected: allow writing (blockdev --setrw, or a "
            "switch on the medium)");
  EXPECT_EQ(what(fail(Errc::kIo, "write").os(EROFS).because("no")), "write: Read-only file system: no");
}

TEST(Error, CutsLongTextInsteadOfAllocating) {
  const std::string path(500, 'p');
  const Error error = fail(Errc::kIo, "open").on(path).because("{}", std::string(1000, 'd')).error();
  EXPECT_EQ(error.object.view(), path.substr(0, 96));
  EXPECT_EQ(error.detail.view().size(), 640U);
  InlineText<4> text;
  text.format("{}", "abcd");
  EXPECT_EQ(text.view(), "abcd");
  text.format("{}", "");
  EXPECT_TRUE(text.empty());
}

TEST(Error, BecomesAnyResult) {
  const auto returns_value = []() -> Result<int> { return fail(Errc::kBusy, "try"); };
  const auto returns_nothing = []() -> Result<void> { return fail(Errc::kBusy, "try"); };
  EXPECT_EQ(returns_value().error().code, Errc::kBusy);
  EXPECT_EQ(returns_nothing().error().operation, "try");
}

// The man pages' "Exit status".
TEST(Error, EveryCodeHasItsExitStatus) {
  EXPECT_EQ(exit_code(Errc::kIo), 1);
  EXPECT_EQ(exit_code(Errc::kBusy), 1);
  EXPECT_EQ(exit_code(Errc::kUsage), 2);
  EXPECT_EQ(exit_code(Errc::kCorrupt), 3);
  EXPECT_EQ(exit_code(Errc::kStopped), 4);
  EXPECT_EQ(exit_code(Errc::kNoSpace), 5);
  EXPECT_EQ(exit_code(Errc::kNoMemory), 5);
  EXPECT_EQ(exit_code(Errc::kImpossible), 6);
  EXPECT_EQ(exit_code(Errc::kNoImage), 7);
}

}  // namespace
}  // namespace dormouse::test

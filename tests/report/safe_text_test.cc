#include "report/safe_text.h"

#include <gtest/gtest.h>

namespace dormouse {
namespace {

TEST(SafeText, KeepsWhatCanBePrinted) {
  EXPECT_EQ(safe_text("/dev/mapper/swap 1~"), "/dev/mapper/swap 1~");
  EXPECT_EQ(safe_text("\u00a0\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff"),
            "\u00a0\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff");
  EXPECT_EQ(safe_text(""), "");
}

TEST(SafeText, ReplacesControlCharacters) {
  EXPECT_EQ(safe_text({"\0\t\n\x1b\x7f", 5}), "?????");
  EXPECT_EQ(safe_text("\u009b"), "??");  // CSI in eight bits
}

TEST(SafeText, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(safe_text("a\xff"), "a?");
  EXPECT_EQ(safe_text("\x80"), "?");
  EXPECT_EQ(safe_text("\xc1\xbf"), "??");            // overlong
  EXPECT_EQ(safe_text("\xe0\x9f\xbf"), "???");       // overlong
  EXPECT_EQ(safe_text("\xf0\x8f\xbf\xbf"), "????");  // overlong
  EXPECT_EQ(safe_text("\xed\xa0\x80"), "???");       // surrogate
  EXPECT_EQ(safe_text("\xf4\x90\x80\x80"), "????");  // above U+10FFFF
  EXPECT_EQ(safe_text("\xe2\x82"), "??");            // torn
  EXPECT_EQ(safe_text("\xc3x"), "?x");
}

}  // namespace
}  // namespace dormouse

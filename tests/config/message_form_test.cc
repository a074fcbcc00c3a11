/// Judges every golden list of messages in the tree.
#include "config/message_form.h"

#include <gmock/gmock.h>

#include <filesystem>

namespace dormouse::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> faults(const std::string& text) {
  return faults_of_form({.place = "here", .text = text, .needs_step = true});
}

TEST(MessageForm, OfEveryListedMessageIsSound) {
  std::size_t lists = 0;
  std::size_t messages = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(TESTS_DIRECTORY)) {
    if (!entry.path().filename().string().ends_with("_messages.txt")) continue;
    ++lists;
    for (const ListedMessage& message : read_messages(entry.path())) {
      ++messages;
      EXPECT_THAT(faults_of_form(message), IsEmpty()) << message.place << ": " << message.text;
    }
  }
  EXPECT_GE(lists, 4U) << "suspend, rehearsal, boot, config";
  EXPECT_GE(messages, 500U);
}

TEST(MessageForm, FindsEachFault) {
  EXPECT_THAT(faults("write on /dev/vda: Input/output error: see dmesg"), IsEmpty());
  EXPECT_THAT(faults("SNAPSHOT_FREEZE on /dev/snapshot: Device or resource busy: try again"), IsEmpty());
  EXPECT_THAT(faults("Write failed: try again"), ElementsAre(HasSubstr("capital")));
  EXPECT_THAT(faults("it failed; try again."), ElementsAre(HasSubstr("full stop")));
  EXPECT_THAT(faults("it  failed; try again"), ElementsAre(HasSubstr("blank")));
  EXPECT_THAT(faults("write: Success: try again"), ElementsAre(HasSubstr("success")));
  EXPECT_THAT(faults("it failed (try again"), ElementsAre(HasSubstr("parenthesis")));
  EXPECT_THAT(faults("it failed"), ElementsAre(HasSubstr("what to do")));
  EXPECT_THAT(faults("it is written, tried and seen"), ElementsAre(HasSubstr("what to do")));
  EXPECT_THAT(faults("open: Permission denied: read: Input/output error: try again"),
              ElementsAre(HasSubstr("two")));
  EXPECT_THAT(faults("open: Permission denied: it was tried (read: Input/output error); run it as root"),
              IsEmpty());
  EXPECT_THAT(faults("try " + std::string(700, 'x')), ElementsAre(HasSubstr("bytes")));
  EXPECT_THAT(faults(""), ElementsAre(HasSubstr("empty")));
}

}  // namespace
}  // namespace dormouse::test

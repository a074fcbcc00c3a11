/// What a message for a person looks like: one cause, one message, with the next step in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dormouse::test {

/// One message of a golden list, without what the list puts before it ("exit 1: ", "(warned) ").
struct ListedMessage {
  std::string place;  ///< "suspend_messages.txt:12"
  std::string text;
  bool needs_step = true;  ///< false for a note, which asks for nothing
};

/// The messages of a list. It has situations, which are not indented, and under each its messages: one a
/// line, indented by four; or "  problem: text" with "      remedy" below.
std::vector<ListedMessage> read_messages(const std::string& path);

/// What is wrong with it, in words; empty where nothing is:
/// - it begins in lower case (but for the name of an ioctl), ends without a full stop, has no blank too many,
///   and its parentheses are closed;
/// - it is no longer than 640 bytes, what an error can hold at most;
/// - it never calls a failure a success, and names at most one errno: a second one would be a second cause.
/// What
///   led to it may stand in parentheses, or behind "What went wrong first";
/// - it says what to do: a clause begins with a verb that asks for it, or it tells where to look.
std::vector<std::string> faults_of_form(const ListedMessage& message);

}  // namespace dormouse::test

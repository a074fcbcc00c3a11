/// A golden file of messages: what users get to read is reviewed as text, not as code.
#pragma once

#include <map>
#include <set>
#include <string>

namespace dormouse::test {

/// Collects what was said in each situation and compares all of it with a file in the tree. Example:
///     MessageList list("suspend_messages.txt");
///     list.add("SNAPSHOT_FREEZE EBUSY once", "exit 1: ...");
///     list.compare();   // DORMOUSE_UPDATE_GOLDEN=1 writes the file instead
class MessageList {
 public:
  explicit MessageList(std::string file) : file_(std::move(file)) {}
  void add(const std::string& situation, const std::string& message) { said_[situation].insert(message); }
  void compare() const;

 private:
  [[nodiscard]] std::string text() const;

  std::string file_;
  std::map<std::string, std::set<std::string>> said_;
};

}  // namespace dormouse::test

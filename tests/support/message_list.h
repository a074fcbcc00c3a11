/// A golden file of messages: what users get to read is reviewed as text, not as code.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "support/stride.h"
#include "support/temporary_directory.h"

namespace dormouse::test {

/// Collects what was said in each situation and compares all of it with a file in the tree; after a sweep
/// that left something out, everything that was said has to be there. Example:
///     MessageList list(FAULT_DIRECTORY "/suspend_messages.txt");
///     list.add("SNAPSHOT_FREEZE EBUSY once", "exit 1: ...");
///     list.compare();   // DORMOUSE_UPDATE_GOLDEN=1 writes the file instead
class MessageList {
 public:
  explicit MessageList(std::string file) : file_(std::move(file)) {}
  void add(const std::string& situation, const std::string& message) { said_[situation].insert(message); }
  void compare() const;

 private:
  [[nodiscard]] std::string text() const;
  void compare_part(const std::string& golden) const;

  std::string file_;
  std::map<std::string, std::set<std::string>> said_;
};

inline std::string MessageList::text() const {
  std::string all;
  for (const auto& [situation, messages] : said_) {
    all += situation + "\n";
    for (const auto& message : messages) all += "    " + message + "\n";
  }
  return all;
}

inline void MessageList::compare() const {
  if (!kWholeSweeps) return compare_part(read_whole(file_));
  if (std::getenv("DORMOUSE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(file_) << text();
    return;
  }
  EXPECT_EQ(text(), read_whole(file_)) << "run it with DORMOUSE_UPDATE_GOLDEN=1 and review what changed";
}

inline void MessageList::compare_part(const std::string& golden) const {
  std::map<std::string, std::set<std::string>> known;
  std::istringstream lines(golden);
  std::string situation;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("    ")) {
      situation = line;
    } else {
      known[situation].insert(line.substr(4));
    }
  }
  for (const auto& [place, messages] : said_) {
    for (const auto& message : messages) {
      EXPECT_TRUE(known[place].contains(message)) << place << ": not in " << file_ << ": " << message;
    }
  }
}

}  // namespace dormouse::test

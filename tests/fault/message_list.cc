#include "fault/message_list.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "support/temporary_directory.h"

namespace dormouse::test {

std::string MessageList::text() const {
  std::string all;
  for (const auto& [situation, messages] : said_) {
    all += situation + "\n";
    for (const auto& message : messages) all += "    " + message + "\n";
  }
  return all;
}

void MessageList::compare() const {
  const std::string path = std::string(FAULT_DIRECTORY) + "/" + file_;
  if (std::getenv("DORMOUSE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << text();
    return;
  }
  EXPECT_EQ(text(), read_whole(path)) << "run it with DORMOUSE_UPDATE_GOLDEN=1 and review what changed";
}

}  // namespace dormouse::test

#include "config/message_form.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

namespace dormouse::test {
namespace {

constexpr std::size_t kLongest = 640;

/// What is no message: the list says that there was none.
bool is_remark(std::string_view line) {
  return line == "(nothing to see)" || line == "(the machine is back)";
}

std::string without_prefix(const std::string& line) {
  static const std::regex prefix(R"(^(exit [0-9]+(, restarted)?: |\((warned|went on|error|warning)\) )*)");
  return std::regex_replace(line, prefix, "", std::regex_constants::format_first_only);
}

/// Without all that stands in parentheses; nullopt-like empty with unbalanced ones.
bool strip_parentheses(std::string& text) {
  std::string kept;
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (depth == 0) kept += c;
    if (c == ')' && --depth < 0) return false;
  }
  text = kept;
  return depth == 0;
}

const std::set<std::string>& errno_texts() {
  static const std::set<std::string> texts = [] {
    std::set<std::string> all;
    for (int number = 1; number < 134; ++number) {
      const std::string text = std::strerror(number);
      if (!text.starts_with("Unknown error")) all.insert(text);
    }
    return all;
  }();
  return texts;
}

std::size_t errnos_in(std::string_view text) {
  std::size_t count = 0;
  for (const std::string& one : errno_texts()) {
    const std::string between = ": " + one;
    for (std::size_t at = text.find(between); at != std::string_view::npos; at = text.find(between, at + 1)) {
      const std::string_view after = text.substr(at + between.size());
      if (after.empty() || after.front() == ':') ++count;
    }
  }
  return count;
}

bool has_step(const std::string& text) {
  // Where a clause begins, a verb that asks for something.
  static const std::regex asks(
      R"((^|[:;,?.] |\(|\b(or|and|then|first|please) )(add|allow|ask|boot|change|check|choose|delete|discard|do|end|free|give|)"
      R"(leave|look|lower|make|mend|mount|name|pull|put|raise|remove|report|run|save|say|see|set|stop|swapoff|swapon|)"
      R"(switch|take|try|unmount|use|wait|write)\b)",
      std::regex::icase);
  // Where to look, or what there is to choose from.
  static const std::regex tells(
      R"(dmesg|kernel log|\blists what there is|\bshows? (by )?what\b|did you mean|must be one of|there are auto|Trying )"
      R"(|it needs CONFIG_|mkswap|--[a-z-]+ (none|off)\b)");
  return std::regex_search(text, asks) || std::regex_search(text, tells);
}

}  // namespace

std::vector<ListedMessage> read_messages(const std::string& path) {
  std::vector<ListedMessage> messages;
  std::ifstream file(path);
  const std::string name = std::filesystem::path(path).filename();
  std::size_t number = 0;
  bool finding = false;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const std::string text = line.substr(indent);
    if (indent == 6 && finding) {
      messages.back().text += ": " + text;
    } else if (indent == 4 && !is_remark(text)) {
      messages.push_back({.place = fmt::format("{}:{}", name, number), .text = without_prefix(text)});
    } else if (indent == 2) {
      const std::size_t colon = text.find(": ");
      if (colon == std::string::npos) continue;
      messages.push_back({.place = fmt::format("{}:{}", name, number),
                          .text = text.substr(colon + 2),
                          .needs_step = !text.starts_with("note: ")});
    }
    finding = indent == 2 || (indent == 6 && finding);
  }
  return messages;
}

std::vector<std::string> faults_of_form(const ListedMessage& message) {
  const std::string& text = message.text;
  std::vector<std::string> faults;
  if (text.empty()) return {"it is empty"};
  const bool is_upper = std::isupper(static_cast<unsigned char>(text.front())) != 0;
  static const std::regex constant("^[A-Z][A-Z0-9]*_[A-Z0-9_]+|^[A-Z]+=|^(RAM|FUSE|EFI|LUKS|LVM|XFS)\\b");
  if (is_upper && !std::regex_search(text, constant)) faults.emplace_back("it begins with a capital letter");
  if (text.ends_with('.') && !text.ends_with("..")) faults.emplace_back("it ends with a full stop");
  if (text.ends_with(' ') || text.find("  ") != std::string::npos)
    faults.emplace_back("it has a blank too many");
  if (text.size() > kLongest) faults.push_back(fmt::format("it has {} bytes", text.size()));
  if (text.find("Success") != std::string::npos || text.find("Unknown error") != std::string::npos) {
    faults.emplace_back("it calls a failure a success, or does not know it");
  }
  std::string outside = text.substr(0, text.find("What went wrong first"));
  if (!strip_parentheses(outside)) faults.emplace_back("a parenthesis is open");
  if (errnos_in(outside) > 1) faults.emplace_back("it names two errors, which are two causes");
  if (message.needs_step && !has_step(text)) faults.emplace_back("it does not say what to do");
  return faults;
}

}  // namespace dormouse::test

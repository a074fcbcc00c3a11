#include "kernel/kernel_line.h"

#include <charconv>

namespace dormouse {
namespace {

/// Takes the next word off `text`; blanks within double quotes belong to it, the quotes themselves do not.
std::string next_word(std::string_view& text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  std::string word;
  bool quoted = false;
  while (!text.empty() && (quoted || !is_space(text.front()))) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c == '"') {
      quoted = !quoted;
    } else {
      word += c;
    }
  }
  return word;
}

void read_offset(const std::string& word, std::string_view value, KernelLine& line) {
  std::uint64_t pages = 0;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), pages);
  if (problem != std::errc{} || end != value.data() + value.size()) {
    line.unreadable = word;
    return;
  }
  line.resume_offset = pages;
}

void read_hibernate(std::string_view value, KernelLine& line) {
  if (value == "noresume") {
    line.noresume = true;
  } else if (value != "nocompress" && value.starts_with("no")) {
    line.nohibernate = true;
  }
}

}  // namespace

KernelLine parse_kernel_line(std::string_view text) {
  KernelLine line;
  while (!text.empty()) {
    const std::string word = next_word(text);
    if (word == "--") break;  // what follows is for the first process
    const std::size_t equals = word.find('=');
    const std::string_view name = std::string_view(word).substr(0, equals);
    const std::string_view value =
        equals == std::string::npos ? std::string_view{} : std::string_view(word).substr(equals + 1);
    if (word == "noresume") line.noresume = true;
    if (word == "nohibernate") line.nohibernate = true;
    if (equals == std::string::npos) continue;
    if (name == "resume") line.resume = value;
    if (name == "resume_offset") read_offset(word, value, line);
    if (name == "hibernate") read_hibernate(value, line);
  }
  return line;
}

}  // namespace dormouse

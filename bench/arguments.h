/// The command lines of the benchmarks: options that each take a value, and words.
#pragma once

#include <charconv>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace dormouse::bench {

/// Takes the value of the option `name` ("--mib"); false where there is no such option, or the value is none.
using TakeOption = std::function<bool(std::string_view name, const std::string& value)>;
/// Walks through what main() was given, options and at most one word; false, and a line on stderr, at the
/// first argument that is refused.
bool walk_arguments(std::span<char*> args, const TakeOption& option, std::string& word);

/// A number with nothing behind it, 0 or more.
template <class Number>
bool take_number(Number& out, std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < Number{}) return false;
  out = value;
  return true;
}

/// "on" or "off".
bool take_switch(bool& out, std::string_view text);

}  // namespace dormouse::bench

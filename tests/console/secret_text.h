/// A secret that a test may know.
#pragma once

#include <string>
#include <string_view>

#include "dormouse/secret.h"

namespace dormouse::test {

inline std::string text_of(const Secret& secret) {
  return {reinterpret_cast<const char*>(secret.span().data()), secret.size()};
}

/// Empty text: an empty secret.
inline Secret secret_of(std::string_view text) {
  auto secret = Secret::allocate(text.size() + 1).value();
  for (std::size_t i = 0; i < text.size(); ++i) secret.span()[i] = static_cast<std::byte>(text[i]);
  secret.shrink(text.size());
  return secret;
}

}  // namespace dormouse::test

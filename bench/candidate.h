/// What can be asked for as --codec: one codec, or the choice among them; and as --seal.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dormouse/codec.h"
#include "dormouse/sealing.h"

namespace dormouse::bench {

struct Candidate {
  std::string name;  ///< as it was asked for; figures are told apart by it
  bool adaptive = false;
  CodecSpec codec{};
};

/// "auto", "none", "lz4:4" ...; nothing for what is no codec.
inline std::optional<Candidate> parse_candidate(std::string_view text) {
  const auto spec = parse_codec(text);
  if (!spec) return std::nullopt;
  return Candidate{.name = std::string(text), .adaptive = text == "auto", .codec = *spec};
}

/// How the results call what an image is sealed with.
inline std::string seal_name(std::optional<Cipher> cipher) {
  return cipher ? std::string(cipher_name(*cipher)) : "off";
}

/// "off" or a cipher; false for anything else.
inline bool take_seal(std::optional<Cipher>& out, std::string_view text) {
  out = cipher_of(text);
  return out || text == "off";
}

/// For lists in the source. Requires: each is a codec.
inline std::vector<Candidate> candidates(std::span<const std::string_view> texts) {
  std::vector<Candidate> list;
  for (const std::string_view text : texts) list.push_back(parse_candidate(text).value());
  return list;
}

}  // namespace dormouse::bench

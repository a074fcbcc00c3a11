#include "seal/key_file_text.h"

#include <fmt/format.h>

#include <charconv>
#include <span>

#include "seal/hex.h"
#include "seal/sha256.h"

namespace dormouse {
namespace {

constexpr std::string_view kVersion = "1";
constexpr std::string_view kCheck = "check ";
constexpr std::size_t kCheckBytes = 8;

Failure wrong(std::string_view what) {
  return fail(Errc::kUsage, "read key file")
      .because("{}; take a good copy of it, or make a new one with suspend-keygen", what);
}

Failure cut_short() {
  return wrong("it begins as a key pair of suspend-keygen and is cut short");
}

Result<std::string> check_of(std::string_view text) {
  auto hash = Sha256::prepare();
  if (!hash) return std::unexpected(hash.error());
  hash->update(std::as_bytes(std::span(text)));
  const Sha256Digest digest = hash->value();
  return to_hex(std::span(digest).first(kCheckBytes));
}

/// All lines but the last, which is made of them.
std::string body_of(const SealedPrivateHalf& half) {
  return fmt::format("{}{}\npublic {}\nsalt {}\nargon2id {} {} {}\nnonce {}\nprivate {} {}\n", kKeyTextHead,
                     kVersion, to_hex(half.public_key), to_hex(half.salt), half.cost.memory_kib,
                     half.cost.passes, half.cost.lanes, to_hex(half.nonce), to_hex(half.sealed),
                     to_hex(half.tag));
}

/// Takes fields from the front, each with the character behind it.
class Fields {
 public:
  explicit Fields(std::string_view text) : rest_(text) {}

  /// Is this what comes next?
  bool word(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }
  bool hex(std::span<std::byte> bytes, std::string_view behind) {
    const std::string_view digits = rest_.substr(0, 2 * bytes.size());
    rest_.remove_prefix(digits.size());
    return from_hex(digits, bytes) && word(behind);
  }
  bool number(std::uint32_t& value, std::string_view behind) {
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return error == std::errc{} && word(behind);
  }

 private:
  std::string_view rest_;
};

bool read_body(std::string_view body, SealedPrivateHalf& half) {
  Fields fields(body);
  return fields.word(kKeyTextHead) && fields.word(kVersion) && fields.word("\npublic ") &&
         fields.hex(half.public_key, "\nsalt ") && fields.hex(half.salt, "\nargon2id ") &&
         fields.number(half.cost.memory_kib, " ") && fields.number(half.cost.passes, " ") &&
         fields.number(half.cost.lanes, "\nnonce ") && fields.hex(half.nonce, "\nprivate ") &&
         fields.hex(half.sealed, " ") && fields.hex(half.tag, "\n");
}

}  // namespace

Result<std::string> render_key_text(const SealedPrivateHalf& half) {
  const std::string body = body_of(half);
  const auto check = check_of(body);
  if (!check) return check;
  return fmt::format("{}{}{}\n", body, kCheck, *check);
}

Result<SealedPrivateHalf> parse_key_text(std::string_view text) {
  const auto first_end = text.find('\n');
  if (first_end == std::string_view::npos) return cut_short();
  const std::string_view version = text.substr(0, first_end).substr(std::min(kKeyTextHead.size(), first_end));
  if (version != kVersion) {
    return wrong(fmt::format("it is a key pair of version '{:.20}', and this program knows version {} only",
                             version, kVersion));
  }
  const auto last_line = text.rfind(fmt::format("\n{}", kCheck));
  if (last_line == std::string_view::npos) return cut_short();
  const std::string_view body = text.substr(0, last_line + 1);
  const std::string_view tail = text.substr(last_line + 1 + kCheck.size());
  if (tail.size() < 2 * kCheckBytes + 1) return cut_short();
  if (tail.size() > 2 * kCheckBytes + 1) return wrong("something follows the end of the key pair");
  const auto check = check_of(body);
  if (!check) return std::unexpected(check.error());
  if (tail != *check + "\n") return wrong("its check line does not match: it is damaged, or was edited");
  SealedPrivateHalf half;
  // Rendered again, so that one key has one text: no leading zeros, no second spelling.
  if (!read_body(body, half) || body_of(half) != body) return wrong("it is not as suspend-keygen writes it");
  if (!is_payable(half.cost)) return wrong("what its passphrase costs is out of range");
  return half;
}

}  // namespace dormouse

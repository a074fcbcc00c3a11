#include "seal/key_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>

#include "base/errno_meaning.h"
#include "base/unique_fd.h"
#include "seal/hex.h"
#include "seal/key_file_text.h"
#include "seal/random_bytes.h"

namespace dormouse {
namespace {

constexpr std::string_view kRead = "read key file";
constexpr std::string_view kCreate = "create key file";
/// Longer than any key file.
constexpr std::size_t kMaxFileBytes = 4096;
/// uswsusp's key files are a few hundred bytes at least: the numbers of an RSA key.
constexpr std::size_t kLeastRsaBytes = 128;

std::string_view text_of(std::span<const std::byte> content) {
  return {reinterpret_cast<const char*>(content.data()), content.size()};
}

/// As much as kMaxFileBytes + 1 of it.
Result<Secret> read_content(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.valid()) return fail(code_of(errno), kRead).os(errno).on(path);
  auto content = Secret::allocate(kMaxFileBytes + 1);
  if (!content) return content;
  std::size_t length = 0;
  while (length < content->size()) {
    const auto free = content->span().subspan(length);
    const auto moved = ::read(file.get(), free.data(), free.size());
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) return fail(code_of(errno), kRead).os(errno).on(path).at(length);
    if (moved == 0) break;
    length += static_cast<std::size_t>(moved);
  }
  content->shrink(length);
  return content;
}

Failure no_key(const std::string& path, std::string_view what) {
  return fail(Errc::kUsage, kRead)
      .on(path)
      .because("{}. A key file is {} raw bytes, or a key pair; suspend-keygen makes both", what, kKeyBytes);
}

bool is_hex_text(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text.size() == 2 * kKeyBytes &&
         std::ranges::all_of(text, [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; });
}

/// What content looks like that is no key, as a sentence without its full stop.
InlineText<400> describe(std::span<const std::byte> content) {
  InlineText<400> text;
  const std::string_view words = text_of(content);
  if (content.empty()) {
    text.format("it is empty");
  } else if (words.starts_with("-----BEGIN")) {
    text.format("it is a key of another program (PEM text); RSA keys are not used here");
  } else if (content.size() < kKeyBytes) {
    text.format("{} bytes: it is cut short", content.size());
  } else if (content.size() == kKeyBytes) {
    text.format("{} bytes, all zero: no key, but what is left of a file that was never written",
                content.size());
  } else if (is_hex_text(words)) {
    text.format("it holds hexadecimal digits, where the bytes themselves should be (xxd -r -p makes them)");
  } else if (content.size() == kKeyBytes + 1 && words.ends_with('\n')) {
    text.format("{} bytes: too long by the end of a line", content.size());
  } else if (content.size() > kMaxFileBytes) {
    text.format("more than {} bytes: too long", kMaxFileBytes);
  } else if (content.size() >= kLeastRsaBytes) {
    text.format(
        "{} bytes: too long; if it is an RSA key that uswsusp's suspend-keygen made, those are not used here",
        content.size());
  } else {
    text.format("{} bytes: too long", content.size());
  }
  return text;
}

bool is_raw_key(std::span<const std::byte> content) {
  return content.size() == kKeyBytes && !text_of(content).starts_with("-----BEGIN") &&
         std::ranges::any_of(content, [](std::byte b) { return b != std::byte{0}; });
}

Result<void> write_all(int fd, std::span<const std::byte> content, const std::string& path) {
  while (!content.empty()) {
    const auto moved = ::write(fd, content.data(), content.size());
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) return fail(code_of(errno), kCreate).os(moved == 0 ? EIO : errno).on(path);
    content = content.subspan(static_cast<std::size_t>(moved));
  }
  if (::fsync(fd) != 0) return fail(code_of(errno), kCreate).os(errno).on(path);
  return {};
}

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

/// The name is durable when the directory is.
Result<void> flush_directory_of(const std::string& path) {
  const std::string directory = directory_of(path);
  const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems have nothing to flush there.
  if (!fd.valid() || (::fsync(fd.get()) != 0 && errno != EINVAL))
    return fail(code_of(errno), kCreate).os(errno).on(directory);
  return {};
}

Failure exists_already(const std::string& path) {
  return fail(Errc::kUsage, kCreate)
      .on(path)
      .because(
          "it exists, and no key is written over: images may need it. Name another file, or move this one "
          "away");
}

Result<void> create_file(const std::string& path, std::span<const std::byte> content) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid() && errno == EEXIST) return exists_already(path);
  if (!file.valid()) return fail(code_of(errno), kCreate).os(errno).on(path);
  auto done = write_all(file.get(), content, path);
  if (done) done = flush_directory_of(path);
  if (!done) ::unlink(path.c_str());
  return done;
}

}  // namespace

KeyFile::KeyFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
KeyFile::KeyFile(KeyFile&&) noexcept = default;
KeyFile& KeyFile::operator=(KeyFile&&) noexcept = default;
KeyFile::~KeyFile() = default;

Result<KeyFile> KeyFile::read(const std::string& path) {
  auto content = read_content(path);
  if (!content) return std::unexpected(content.error());
  auto state = std::make_unique<State>();
  // First, since 32 bytes of it would be a raw key.
  if (const auto text = text_of(content->span()); text.starts_with(kKeyTextHead)) {
    auto half = parse_key_text(text);
    if (!half) {
      half.error().object.format("{}", path);
      return std::unexpected(half.error());
    }
    state->way = KeyWay::kKeyPair;
    state->half = *half;
    return KeyFile(std::move(state));
  }
  if (!is_raw_key(content->span())) return no_key(path, describe(content->span()).view());
  state->raw = std::move(*content);
  return KeyFile(std::move(state));
}

Result<KeyFile> KeyFile::generate(std::span<const std::byte> passphrase, const PassphraseCost& cost) {
  const auto half = make_key_pair(passphrase, cost);
  if (!half) return std::unexpected(half.error());
  auto state = std::make_unique<State>();
  state->way = KeyWay::kKeyPair;
  state->half = *half;
  return KeyFile(std::move(state));
}

Result<KeyFile> KeyFile::generate_raw() {
  auto key = Secret::allocate(kKeyBytes);
  if (!key) return std::unexpected(key.error());
  if (auto r = fill_random(key->span()); !r) return std::unexpected(r.error());
  auto state = std::make_unique<State>();
  state->raw = std::move(*key);
  return KeyFile(std::move(state));
}

Result<void> KeyFile::check_new(const std::string& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) == 0) return exists_already(path);
  if (errno != ENOENT || ::access(directory_of(path).c_str(), W_OK | X_OK) != 0)
    return fail(code_of(errno), kCreate).os(errno).on(path);
  return {};
}

Result<void> KeyFile::write(const std::string& path) const {
  if (way() == KeyWay::kKeyFile) return create_file(path, state_->raw.span());
  const auto text = render_key_text(state_->half);
  if (!text) return std::unexpected(text.error());
  return create_file(path, std::as_bytes(std::span(*text)));
}

KeyWay KeyFile::way() const {
  return state_->way;
}

std::string KeyFile::public_text() const {
  return to_hex(state_->half.public_key);
}

std::optional<PassphraseCost> KeyFile::cost() const {
  return way() == KeyWay::kKeyPair ? std::optional(state_->half.cost) : std::nullopt;
}

}  // namespace dormouse

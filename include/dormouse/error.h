/// Errors as values. Every call that can fail returns Result<T>; nothing throws on purpose, and making or
/// passing on an Error allocates nothing, so it works after the snapshot is taken.
#pragma once

#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace dormouse {

/// What a caller may branch on. exit_code() maps it to the tools' exit codes (man page, "Exit status").
enum class Errc : std::uint8_t {
  kIo,          ///< a system call failed
  kUsage,       ///< bad option, configuration or argument
  kCorrupt,     ///< the image on disk is damaged or not authentic
  kStopped,     ///< the user stopped it
  kNoSpace,     ///< not enough room in the swap area
  kNoMemory,    ///< not enough memory
  kImpossible,  ///< hibernation is not possible here; the detail says why
  kNoImage,     ///< the swap area holds no image
  kBusy,        ///< somebody else holds the object; trying again later may help
  kWrongKey,    ///< no way opens this image with the key given
};

/// Formats into `out`, cut at `size`, and returns the length kept. Not a template, to keep compiling fast.
std::size_t format_cut(char* out, std::size_t size, fmt::string_view pattern, fmt::format_args args);

/// A short text of bounded size that lives inside its owner; longer text is cut.
template <std::size_t N>
class InlineText {
 public:
  constexpr InlineText() = default;
  [[nodiscard]] std::string_view view() const { return {text_.data(), length_}; }
  [[nodiscard]] bool empty() const { return length_ == 0; }
  template <class... Args>
  void format(fmt::format_string<Args...> pattern, Args&&... args) {
    length_ =
        static_cast<std::uint16_t>(format_cut(text_.data(), N, pattern, fmt::make_format_args(args...)));
  }

 private:
  std::array<char, N> text_{};
  std::uint16_t length_ = 0;
};

/// The first thing that went wrong, kept whole: step, object, place, errno.
/// Trivially copyable. Example:
///     return fail(Errc::kIo, "write swap map").os(errno).on(path).at(offset);
struct [[nodiscard]] Error {
  static constexpr std::uint64_t kNoOffset = ~std::uint64_t{0};

  Errc code = Errc::kIo;
  int errnum = 0;              ///< errno, 0 if no system call was involved
  std::string_view operation;  ///< static text, a verb phrase: "write swap map", "SNAPSHOT_FREEZE"
  std::uint64_t offset =
      kNoOffset;           ///< bytes from the start of the device or file, where that means something
  InlineText<96> object;   ///< the path of the device or file
  InlineText<640> detail;  ///< numbers and the remedy, a sentence

  /// One line for a person: "write swap map on /dev/vda2 at byte 2048000: No space left on device: <detail>".
  /// Where there is no detail, what can be done about such an errno in general takes its place.
  [[nodiscard]] std::string what() const;
};

/// Builds an Error in place; converts to Error and to any Result.
class [[nodiscard]] Failure {
 public:
  Failure(Errc code, std::string_view operation) {
    error_.code = code;
    error_.operation = operation;
  }
  Failure&& os(int errnum) && {
    error_.errnum = errnum;
    return std::move(*this);
  }
  Failure&& on(std::string_view object) && {
    error_.object.format("{}", object);
    return std::move(*this);
  }
  Failure&& at(std::uint64_t offset) && {
    error_.offset = offset;
    return std::move(*this);
  }
  template <class... Args>
  Failure&& because(fmt::format_string<Args...> pattern, Args&&... args) && {
    error_.detail.format(pattern, std::forward<Args>(args)...);
    return std::move(*this);
  }
  [[nodiscard]] const Error& error() const { return error_; }
  template <class T>
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator std::expected<T, Error>() const {
    return std::unexpected(error_);
  }

 private:
  Error error_;
};

/// `operation` must outlive the error: pass a literal.
inline Failure fail(Errc code, std::string_view operation) {
  return {code, operation};
}

template <class T>
using Result = std::expected<T, Error>;

/// The same error (place, errno), named after the step of ours in which it came. `operation`: a literal.
inline std::unexpected<Error> during(std::string_view operation, Error error) {
  error.operation = operation;
  return std::unexpected(error);
}

/// Exit codes of all tools: 0 done, 1 failed, 2 usage, 3 damaged, 4 stopped, 5 no room, 6 impossible, 7 no
/// image.
[[nodiscard]] int exit_code(Errc code);

static_assert(std::is_trivially_copyable_v<Error>);

}  // namespace dormouse

/// What stands for a swap area in a configuration file or on a command line, as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernel/system_paths.h"

namespace dormouse {

/// `\x20` as udev writes a blank, `\040` as the kernel does: undone, in all bytes but NUL. What only looks
/// like an escape stays as it is.
[[nodiscard]] std::string undo_escapes(std::string_view text);

/// A property of what is on a block device, or of its partition.
struct AreaTag {
  enum class Kind : std::uint8_t { kUuid, kLabel, kPartUuid, kPartLabel };
  Kind kind = Kind::kUuid;
  std::string value;

  [[nodiscard]] bool of_partition() const { return kind == Kind::kPartUuid || kind == Kind::kPartLabel; }
  /// Is it this value? Identifiers in any case; labels letter by letter, with or without escapes.
  [[nodiscard]] bool matches(std::string_view found) const;
};

/// "UUID=...", "label='my swap'": any case of the word, quotes around the value dropped. nullopt for all
/// else.
[[nodiscard]] std::optional<AreaTag> parse_tag(std::string_view text);

/// "UUID", "LABEL", "PARTUUID", "PARTLABEL".
[[nodiscard]] std::string_view tag_word(AreaTag::Kind kind);

/// The path on this host: /dev and everything else may be elsewhere in tests.
[[nodiscard]] std::string host_path(std::string_view path, const SystemPaths& paths);

}  // namespace dormouse

/// All of `s2disk --check`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "check/checks.h"

namespace dormouse {

/// What only the tool knows.
struct CheckInput {
  const Settings& settings;
  const Host& host;
  std::uint32_t page_bytes = 4096;
  bool root = true;
  std::uint64_t own_bytes = 0;          ///< memory that s2disk itself takes with these settings; 0: not known
  std::uint64_t swap_file_extents = 0;  ///< pieces of the swap file; 0: not known, or none
  /// Looks at what the next boot will do; none: nobody looks.
  std::function<Findings(const CheckSubject&)> boot = {};
};

/// What was found, and the facts behind it.
struct MachineCheck {
  std::string kernel;
  std::uint32_t page_bytes = 0;
  std::uint64_t own_bytes = 0;
  std::uint64_t size_cap_bytes = 0;
  std::optional<AreaFacts> area;
  std::optional<MemoryFigures> memory;
  std::optional<Prediction> prediction;  ///< nullopt where there is no area, or where none could be made
  Findings findings;                     ///< problems first, then warnings, then notes
  [[nodiscard]] int exit_code() const;   ///< 0, or 6 where there is a problem
};

/// Runs every check. `search`: what looking for the area gave.
[[nodiscard]] MachineCheck check_machine(const CheckInput& input, const Result<AreaSearch>& search);

/// For a person: one block for each finding, then a line that sums up.
[[nodiscard]] std::string check_text(const MachineCheck& check);

/// One JSON object, schema "dormouse-check/1", as the man page describes it. Keys may be added in later
/// versions, never renamed or removed.
[[nodiscard]] std::string check_json(const MachineCheck& check);

}  // namespace dormouse

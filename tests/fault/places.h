/// Which calls are made to fail.
#pragma once

#include <cerrno>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fault/call_fault.h"
#include "support/stride.h"

namespace dormouse::test {

/// A call and the errnos it can give: section 2 of the manual, and kernel-facts A.2 and A.3.
struct CallErrors {
  std::string_view name;
  std::vector<int> errnums;
};

/// Each errno at all places of a call that is made a few times; of one made often at the first, the last and
/// some between; once and for ever, but that a signal does not come for ever.
inline std::vector<CallFault> faults_of(const CallErrors& call, std::uint64_t count) {
  constexpr std::uint64_t kAll = 8;
  const std::uint64_t step = count <= kAll ? 1 : count / kAll;
  std::vector<CallFault> faults;
  const auto add = [&](std::uint64_t place) {
    for (const int errnum : call.errnums) {
      faults.push_back({.name = call.name, .spared = place, .errnum = errnum});
      if (errnum != EINTR)
        faults.push_back(
            {.name = call.name, .spared = place, .errnum = errnum, .times = CallFault::kForEver});
    }
  };
  for (std::uint64_t place = 0; place < count; place += step) add(place);
  if (count > 0 && (count - 1) % step != 0) add(count - 1);
  std::size_t number = 0;
  std::erase_if(faults, [&](const CallFault&) { return number++ % stride(5) != 0; });
  return faults;
}

}  // namespace dormouse::test

/// On the way back there is nothing to lose by asking again.
#pragma once

#include "dormouse/error.h"

namespace dormouse {

template <class Call>
Result<void> twice(Call call) {
  auto done = call();
  return done ? done : call();
}

}  // namespace dormouse

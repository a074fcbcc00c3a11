#include "base/core_dump.h"

#include <sys/prctl.h>
#include <sys/resource.h>

namespace dormouse {

void forbid_core_dumps() {
  // Neither can fail for these values. The limit alone would not do: a handler of core dumps ignores it.
  ::prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L);
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &none);
}

}  // namespace dormouse

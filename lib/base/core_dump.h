/// Keeps what this process holds to itself.
#pragma once

namespace dormouse {

/// From here on this process leaves no core dump, whoever wants one, and nobody but root can look into its
/// memory (PR_SET_DUMPABLE, RLIMIT_CORE). For tools that are about to hold a key or a passphrase. There is no
/// way back.
void forbid_core_dumps();

}  // namespace dormouse

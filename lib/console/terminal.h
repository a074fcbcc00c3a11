/// Who has to run for output to get through? After the freeze nobody but us does.
///
/// A virtual terminal, a serial line and a hypervisor's console are drained by the kernel: they may be
/// written while user space is frozen. A pseudo-terminal (ssh, terminal emulator), pipe or socket (journal)
/// is drained by a frozen process: once full, a write would wait for ever. A regular file must not change
/// after the snapshot, which remembers its file system as it was. So all but the first kind is held back
/// until the thaw.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string_view>

#include "dormouse/error.h"

#include "base/unique_fd.h"

namespace dormouse {

enum class OutputKind : std::uint8_t {
  kConsole,         ///< a terminal the kernel drains by itself
  kPseudoTerminal,  ///< a terminal another process drains, or one we know nothing about
  kOther,           ///< pipe, socket, file, /dev/null, closed ...
};

/// What `fd` leads to. /dev/console, /dev/tty0 and /dev/tty are looked through to the terminal behind them.
[[nodiscard]] OutputKind classify_output(int fd);

/// The rule behind it, for a terminal's device number. `kernel_consoles` is the text of /proc/consoles:
/// serial drivers with numbers of their own are believed if the kernel itself talks through them.
[[nodiscard]] OutputKind classify_terminal(dev_t device, std::string_view kernel_consoles);

/// A descriptor of our own for the terminal behind `fd`, with O_NONBLOCK | O_NOCTTY | O_CLOEXEC and `access`
/// (O_RDONLY, O_WRONLY): flags set on `fd` itself would be shared with the shell that lent it to us. Never
/// goes through /dev/console or /dev/tty0, whose output TIOCCONS can redirect to a pseudo-terminal.
Result<UniqueFd> reopen_terminal(int fd, int access);

/// Columns of the terminal, or 80 where it does not know (serial lines).
[[nodiscard]] unsigned terminal_columns(int fd);

}  // namespace dormouse

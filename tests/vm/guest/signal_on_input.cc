// Runs a command to which the kernel itself sends a signal as soon as something is typed on a terminal.
//
//   signal_on_input SIGNAL TERMINAL COMMAND [ARGUMENT...]
//
// While s2disk has user space frozen there is no process left that could send it a signal. The kernel can:
// this asks it for a signal on input (O_ASYNC, F_SETSIG), which outlives exec, as the open terminal does.

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

[[noreturn]] void die(const char* step) {
  std::perror(step);
  std::exit(EXIT_FAILURE);
}

int signal_number(std::string_view name) {
  if (name == "TERM") return SIGTERM;
  if (name == "KILL") return SIGKILL;
  std::fputs("signal_on_input: the signals are TERM and KILL\n", stderr);
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: signal_on_input SIGNAL TERMINAL COMMAND [ARGUMENT...]\n", stderr);
    return 2;
  }
  const int signal = signal_number(argv[1]);
  const int terminal = ::open(argv[2], O_RDONLY | O_NOCTTY | O_NONBLOCK);
  if (terminal < 0) die(argv[2]);
  // The owner first: a terminal that has none when O_ASYNC comes takes its own process group.
  if (::fcntl(terminal, F_SETOWN, ::getpid()) != 0) die("F_SETOWN");
  if (::fcntl(terminal, F_SETSIG, signal) != 0) die("F_SETSIG");
  if (::fcntl(terminal, F_SETFL, O_NONBLOCK | O_ASYNC) != 0) die("O_ASYNC");
  ::execv(argv[3], argv + 3);
  die(argv[3]);
}

#include "console/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <span>
#include <utility>

namespace dormouse {
namespace {

// Documentation/admin-guide/devices.txt of the kernel.
constexpr unsigned kTtyMajor = 4;            // 0 foreground VT, 1..63 virtual terminals, 64..255 ttyS
constexpr unsigned kTtyAuxMajor = 5;         // 0 /dev/tty, 1 /dev/console
constexpr unsigned kLowDensityMajor = 204;   // ttyAMA, ttySA, ttySAC ... serial ports of small machines
constexpr unsigned kLowDensityMajor2 = 207;  // ttymxc, ttyCPM
constexpr unsigned kHypervisorMajor = 229;   // hvc
constexpr unsigned kPtyMasterMajor = 128;    // Unix98: 128..135 masters, 136..143 slaves
constexpr unsigned kPtySlaveLastMajor = 143;
constexpr unsigned kBsdPtyMasterMajor = 2;
constexpr unsigned kBsdPtySlaveMajor = 3;

/// Reads a small file of /proc or /sys whole into `buffer`; empty if that fails.
std::string_view read_small_file(const char* path, std::span<char> buffer) {
  const UniqueFd file(::open(path, O_RDONLY | O_CLOEXEC));
  std::size_t size = 0;
  while (file.valid() && size < buffer.size()) {
    const auto got = ::read(file.get(), buffer.data() + size, buffer.size() - size);
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  return {buffer.data(), size};
}

/// The terminal behind `fd`. The kernel answers TIOCGDEV for whatever the descriptor was opened as, so
/// /dev/console and /dev/tty come out as what they stand for, and the master of a pseudo-terminal as its
/// slave.
std::optional<dev_t> terminal_behind(int fd) {
  unsigned device = 0;
  if (::ioctl(fd, TIOCGDEV, &device) != 0) return std::nullopt;
  // The kernel's 32-bit encoding: minor's low 8 bits, 12 bits of major, the rest of the minor.
  return makedev((device >> 8) & 0xfff, (device & 0xff) | ((device >> 12) & 0xfff00));
}

/// True if output to this node may be sent elsewhere (TIOCCONS), or if the node is an alias that depends on
/// who asks.
bool is_alias(dev_t device) {
  return major(device) == kTtyAuxMajor || (major(device) == kTtyMajor && minor(device) == 0);
}

using Path = std::array<char, 128>;

template <class... Args>
Path make_path(fmt::format_string<Args...> pattern, Args&&... args) {
  Path path{};  // the last byte stays zero
  fmt::format_to_n(path.data(), path.size() - 1, pattern, std::forward<Args>(args)...);
  return path;
}

/// Path of the device node as the kernel named it: "/dev/ttyS0". Empty if sysfs does not say.
Path node_of(dev_t device) {
  std::array<char, 512> buffer{};
  const auto uevent = make_path("/sys/dev/char/{}:{}/uevent", major(device), minor(device));
  const auto text = read_small_file(uevent.data(), buffer);
  constexpr std::string_view kKey = "DEVNAME=";
  const auto at = text.find(kKey);
  if (at == text.npos) return {};
  const auto name = text.substr(at + kKey.size());
  return make_path("/dev/{}", name.substr(0, name.find('\n')));
}

/// A new description of the terminal at `path`; invalid, and errno says why, if it is not `device`.
UniqueFd open_if_same(const Path& path, int access, dev_t device) {
  UniqueFd opened(::open(path.data(), access | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (opened.valid() && terminal_behind(opened.get()) != device) {
    opened.reset();
    errno = ENXIO;
  }
  return opened;
}

}  // namespace

OutputKind classify_terminal(dev_t device, std::string_view kernel_consoles) {
  const auto number = major(device);
  if (number >= kPtyMasterMajor && number <= kPtySlaveLastMajor) return OutputKind::kPseudoTerminal;
  if (number == kBsdPtyMasterMajor || number == kBsdPtySlaveMajor) return OutputKind::kPseudoTerminal;
  if (number == kTtyMajor || number == kLowDensityMajor || number == kLowDensityMajor2 ||
      number == kHypervisorMajor)
    return OutputKind::kConsole;
  // Many serial drivers take a number that is free at boot. A line of /proc/consoles ends in " major:minor".
  InlineText<32> ending;
  ending.format(" {}:{}\n", number, minor(device));
  return kernel_consoles.find(ending.view()) != kernel_consoles.npos ? OutputKind::kConsole
                                                                     : OutputKind::kPseudoTerminal;
}

OutputKind classify_output(int fd) {
  const auto device = terminal_behind(fd);
  if (!device) return OutputKind::kOther;
  std::array<char, 4096> consoles{};
  return classify_terminal(*device, read_small_file("/proc/consoles", consoles));
}

Result<UniqueFd> reopen_terminal(int fd, int access) {
  constexpr std::string_view kStep = "reopen the terminal";
  const auto device = terminal_behind(fd);
  if (!device) return fail(Errc::kIo, kStep).os(errno);
  if (const auto node = node_of(*device); node[0] != '\0') {
    if (auto opened = open_if_same(node, access, *device); opened.valid()) return opened;
  }
  // Without sysfs, and for pseudo-terminals: the node the descriptor itself was opened from.
  struct stat status{};
  if (::fstat(fd, &status) != 0) return fail(Errc::kIo, kStep).os(errno);
  if (is_alias(status.st_rdev))
    return fail(Errc::kIo, kStep).because("sysfs does not name what is behind it");
  const auto link = make_path("/proc/self/fd/{}", fd);
  if (auto opened = open_if_same(link, access, *device); opened.valid()) return opened;
  return fail(Errc::kIo, kStep).os(errno).on(link.data());
}

unsigned terminal_columns(int fd) {
  constexpr unsigned kUnknown = 80;
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUnknown;
  return size.ws_col;
}

}  // namespace dormouse

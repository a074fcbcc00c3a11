#include "base/errno_meaning.h"

#include <algorithm>
#include <array>
#include <cerrno>

namespace dormouse {
namespace {

struct Remedy {
  int errnum;
  std::string_view text;
};

constexpr std::array kRemedies = std::to_array<Remedy>({
    {EIO, "the device or its driver failed; the kernel log (dmesg) says more, and smartctl how the disk is"},
    {ENXIO, "the device is gone, or was never there; see lsblk"},
    {ENODEV, "the device is gone, or was never there; see lsblk"},
    {ENOENT, "there is no such thing; check the name"},
    {EPERM, "the kernel does not allow it; run it as root, outside any container"},
    {EACCES, "permission is missing; run it as root"},
    {EISDIR, "name a file"},
    {ENOTDIR, "a part of the path is no directory; check the name"},
    {EROFS, "it is write-protected: allow writing (blockdev --setrw, or a switch on the medium)"},
    {ENOSPC, "it is full; free some room or choose another place"},
    {EDQUOT, "the quota is used up; free some room or choose another place"},
    {ENOMEM, "too little memory is free; end some programs and try again"},
    {EAGAIN, "a limit of the system is reached, or somebody else was quicker; try again"},
    {EBUSY, "somebody else uses it; try again when that has ended"},
    {ETXTBSY, "it is in use as a program or as swap; end that first"},
    {EINTR, "a signal came in between; try again"},
    {EMFILE, "too many files are open in this process; raise the limit (ulimit -n)"},
    {ENFILE, "too many files are open in the system; end some programs"},
    {ETIMEDOUT, "the device did not answer in time; the kernel log (dmesg) says more"},
    {EINVAL, "the kernel does not take this request; check that this is the right device or file"},
    {ENOTTY, "the kernel does not know this request; check that this is the right device"},
    {EFAULT, "this is a mistake in dormouse; please report it"},
    {EBADF, "this is a mistake in dormouse; please report it"},
});

}  // namespace

Errc code_of(int errnum) {
  switch (errnum) {
    case ENOMEM:
      return Errc::kNoMemory;
    case ENOSPC:
    case EDQUOT:
      return Errc::kNoSpace;
    case EBUSY:
      return Errc::kBusy;
    default:
      return Errc::kIo;
  }
}

std::string_view remedy_for(int errnum) {
  const auto* found = std::ranges::find(kRemedies, errnum, &Remedy::errnum);
  return found == kRemedies.end() ? std::string_view{} : found->text;
}

}  // namespace dormouse

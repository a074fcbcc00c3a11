#include "cycle/machine_match.h"

#include <algorithm>
#include <cerrno>

namespace dormouse {

Result<void> check_machine(const ImageInfo& image, const MachineFacts& machine, std::string_view device) {
  const auto refuse = [&] { return fail(Errc::kImpossible, "check image").on(device); };
  if (image.image.page_bytes != machine.page_bytes) {
    return refuse().because(
        "it has pages of {} bytes and this kernel has pages of {}: start the kernel that saved it, {}",
        image.image.page_bytes, machine.page_bytes, image.kernel_release);
  }
  if (image.architecture != machine.architecture) {
    return refuse().because("it was saved by a machine of architecture {}, this is {}", image.architecture,
                            machine.architecture);
  }
  // arm64's kernel loads nobody's image but its own; x86-64 takes that of any kernel with the same layout.
  if (machine.architecture == "aarch64" && image.kernel_release != machine.kernel_release) {
    return refuse().because("it was saved by Linux {} and this is {}, which must be the same: start that one",
                            image.kernel_release, machine.kernel_release);
  }
  return {};
}

void explain_refusal(Error& error, const ImageInfo& image, const MachineFacts& machine) {
  if (error.errnum != EPERM || error.code != Errc::kIo) return;
  const auto [less, more] = std::minmax(image.ram_bytes, machine.ram_bytes);
  if (less == 0 || more - less <= less / 100) return;
  const auto reason = error.detail;
  error.detail.format("{}{}the image is of a machine with {} bytes of memory, this one has {}", reason.view(),
                      reason.empty() ? "" : "; ", image.ram_bytes, machine.ram_bytes);
}

}  // namespace dormouse

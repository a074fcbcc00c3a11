/// What plain `resume` decides at boot.
///
/// If the boot goes on after a failed resume, file systems are mounted and the image no longer fits them:
/// loading it later would destroy them. So there are two ways out only: the machine restarts, before anything
/// was mounted, to try again; or the swap area is given back, durably, and then the boot goes on. How often
/// it may restart is counted on the disk before each try, so that a try that hangs or crashes counts as well.
///
/// An image that a person has to open is counted once it is open: who turns the machine off at the question
/// for the passphrase, or does not know it, has tried nothing. Where nobody opens it the machine is powered
/// off, before anything was mounted, so that nobody can go on with a machine whose session they could not
/// open.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "dormouse/block_device.h"
#include "dormouse/error.h"
#include "dormouse/image_reader.h"
#include "dormouse/machine_power.h"
#include "dormouse/swap_area.h"

#include "cycle/boot_messages.h"
#include "cycle/machine_match.h"

namespace dormouse {

/// The person at the machine, if there is one.
class BootConsole {
 public:
  enum class Answer : std::uint8_t { kDefault, kOther };
  virtual ~BootConsole() = default;
  virtual void say(std::string_view line) = 0;
  /// Must come back in bounded time, with kDefault where nobody answers.
  [[nodiscard]] virtual Answer ask(const BootQuestion& question) = 0;
};

/// Notes on the disk that a try begins; only the first call does anything. An error ends the try. `reader` is
/// what the image will be loaded with: it writes the resume note again later, and has to know of the try.
using TryCounter = std::function<Result<void>(ImageReader& reader)>;

/// All of a try but its counting.
class ImageLoader {
 public:
  virtual ~ImageLoader() = default;
  /// Takes the memory that loading `image` needs, opens the kernel's side, and calls run_resume(). Returns
  /// only on failure. Of an image that takes a passphrase calls `count` once it is open, and before anything
  /// is passed on; the others have been counted.
  virtual Error load(const ImageInfo& image, const TryCounter& count) = 0;
  /// Whether the last load() ended because a person was asked to open the image and did not; nothing was
  /// counted then.
  [[nodiscard]] virtual bool left_locked() const { return false; }
};

struct BootParts {
  std::string_view path;  ///< of the device, for messages
  SwapArea& area;         ///< opened for writing, and marked by anybody
  BlockDevice& data;      ///< the same device, for the image header
  ImageBounds bounds;
  MachineFacts machine;
  std::uint32_t attempts_allowed = 2;
  ImageLoader& loader;
  MachinePower& power;
  BootConsole& console;
};

/// Returns if the boot goes on. Success: there was no image of ours to bring back (none, or never finished),
/// or it is somebody else's and was left alone. Else the first error, and the area is plain swap again; where
/// even that failed the error is kIo, and has been said in capitals. Everything has been said.
Result<void> resume_at_boot(const BootParts& parts);

}  // namespace dormouse

/// Every setting of the tools as a plain value, and where each came from.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dormouse/codec.h"
#include "dormouse/image_options.h"
#include "dormouse/shutdown_method.h"

namespace dormouse {

/// One per key of the configuration file, in the order of the key table.
enum class Key : std::uint8_t {
  kSnapshotDevice,
  kResumeDevice,
  kResumeOffset,
  kImageSize,
  kCompress,
  kEarlyWriteout,
  kIo,
  kThreads,
  kFormat,
  kVerify,
  kShutdownMethod,
  kReport,
  kReportFile,
  kProgress,
  kSuspendLoglevel,
  kMaxLoglevel,
  kResumeAttempts,
  kResumeCountdown,
  kEncrypt,
  kRsaKeyFile,
  kComputeChecksum,
  kSplash,
  kFbsplashTheme,
  kResumePause,
  kDebugTestFile,
  kDebugVerifyImage,
};
inline constexpr std::size_t kKeys = 26;

/// Where a value comes from. Later ones win: default, file, command line.
struct Origin {
  enum class Kind : std::uint8_t { kDefault, kFile, kCommandLine };
  Kind kind = Kind::kDefault;
  std::string place;  ///< "/etc/suspend.conf:3", "--image-size", "-P"; empty for a default
  [[nodiscard]] std::string text() const { return kind == Kind::kDefault ? "default" : place; }
};

/// Cap on the snapshot image. 0 of either kind means as small as the kernel can make it.
struct ImageSize {
  static constexpr std::uint32_t kWhole = 1'000'000;
  enum class Unit : std::uint8_t { kBytes, kRamMillionths };
  Unit unit = Unit::kRamMillionths;
  std::uint64_t value = 400'000;
  /// The cap on a machine with this much memory.
  [[nodiscard]] std::uint64_t bytes(std::uint64_t ram_bytes) const;
  friend bool operator==(const ImageSize&, const ImageSize&) = default;
};

/// `automatic` stays known, since what `auto` means may change from one chunk to the next.
struct CodecChoice {
  bool automatic = true;
  CodecSpec spec;  ///< what to pack with; where `automatic`, what it means for now
  friend bool operator==(const CodecChoice&, const CodecChoice&) = default;
};

enum class ImageFormat : std::uint8_t { kDormouse, kKernel };
enum class ReportFormat : std::uint8_t { kText, kJson, kPrometheus };
enum class ProgressMode : std::uint8_t { kAuto, kBar, kPlain, kNone };

/// Values only: nothing here has been looked up on the machine.
struct Settings {
  std::string snapshot_device = "/dev/snapshot";
  std::string resume_device;  ///< path or MAJOR:MINOR; empty: the active swap area
  std::optional<std::uint64_t>
      resume_offset_pages;  ///< never without resume_device, and from the same source
  ImageSize image_size;
  CodecChoice codec;
  EarlyWriteout early_writeout;
  IoMode io = IoMode::kDirect;
  std::optional<unsigned> threads;  ///< nullopt: as many as the machine has use for
  ImageFormat format = ImageFormat::kDormouse;
  bool verify = false;  ///< s2disk: read the image back before it is marked
  ShutdownMethod shutdown_method = ShutdownMethod::kPlatform;
  ReportFormat report = ReportFormat::kText;
  std::string report_file;  ///< empty: stdout only
  ProgressMode progress = ProgressMode::kAuto;
  std::optional<int> suspend_loglevel;  ///< console log level while suspending; nullopt: leave it
  std::optional<int> max_loglevel;
  unsigned resume_attempts = 2;    ///< tries to load an image before the swap area is given back
  unsigned resume_countdown = 20;  ///< seconds in which a person may choose; 0: nobody is asked
  bool encrypt = false;            ///< refused for now: see check_settings()
  std::string rsa_key_file;

  std::array<Origin, kKeys> origins;
  [[nodiscard]] const Origin& origin(Key key) const { return origins[static_cast<std::size_t>(key)]; }
  [[nodiscard]] bool given(Key key) const { return origin(key).kind != Origin::Kind::kDefault; }
};

/// Every setting as a line of the configuration file with its origin as a comment:
/// "image size = 2147483648  # suspend.conf:3". Settings nobody gave and which have no value are left out.
[[nodiscard]] std::string print_settings(const Settings& settings);

}  // namespace dormouse

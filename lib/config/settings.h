/// Every setting of the tools as a plain value, and where each came from.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dormouse/codec.h"
#include "dormouse/image_options.h"
#include "dormouse/sealing.h"
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
  kKeyFile,
  kPassphrase,
  kPassphraseCountdown,
  kRsaKeyFile,
  kComputeChecksum,
  kSplash,
  kFbsplashTheme,
  kResumePause,
  kDebugTestFile,
  kDebugVerifyImage,
};
inline constexpr std::size_t kKeys = 29;

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

/// Whether images are sealed, and with what.
struct EncryptChoice {
  bool on = false;
  std::optional<Cipher> cipher;  ///< nullopt: the quickest of this processor
  friend bool operator==(const EncryptChoice&, const EncryptChoice&) = default;
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
  EncryptChoice encrypt;
  std::vector<std::string> key_files;  ///< of one source, in order; see all_key_files()
  std::optional<bool> passphrase;      ///< is one a way to open what s2disk seals? See asks_passphrase()
  unsigned passphrase_countdown = 60;  ///< seconds in which resume waits for it at boot
  std::string rsa_key_file;            ///< uswsusp's key for the same; may name one of ours

  std::vector<Origin> key_file_origins;  ///< of each of key_files
  std::array<Origin, kKeys> origins;
  [[nodiscard]] const Origin& origin(Key key) const { return origins[static_cast<std::size_t>(key)]; }
  [[nodiscard]] bool given(Key key) const { return origin(key).kind != Origin::Kind::kDefault; }

  /// Key files from whatever key names them. Those of a later source take the place of all of an earlier one.
  [[nodiscard]] std::vector<std::string> all_key_files() const;
  /// Does s2disk ask for a passphrase when it seals? Where nothing else is said, if there is no key file.
  [[nodiscard]] bool asks_passphrase() const { return passphrase.value_or(all_key_files().empty()); }
  /// Where the last key file that counts was named.
  [[nodiscard]] const Origin& key_file_origin() const;
};

inline constexpr unsigned kLongestCountdown = 600;

/// Every key as a line of the configuration file with its origin as a comment:
/// "image size = 2147483648  # suspend.conf:3". A key without a value, or with one that does not count, is a
/// comment that says what holds: "# resume device =  # default: the best active swap area". As a file it
/// means the same settings.
[[nodiscard]] std::string print_settings(const Settings& settings);

}  // namespace dormouse

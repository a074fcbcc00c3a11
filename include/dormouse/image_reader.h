/// Reads a snapshot image back, checking every byte before it is passed on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dormouse/block_device.h"
#include "dormouse/error.h"
#include "dormouse/figures.h"
#include "dormouse/image_options.h"
#include "dormouse/key_gate.h"
#include "dormouse/page_stream.h"
#include "dormouse/progress.h"
#include "dormouse/sealing.h"
#include "dormouse/units.h"

namespace dormouse {

/// The swap area that an image was found through: pages of the block device where it may lie, and the page it
/// must not touch.
struct ImageBounds {
  std::uint64_t end_page = 0;  ///< pages at and beyond are outside
  std::uint64_t swap_header_page = 0;
  std::uint32_t page_bytes = kMinPageBytes;  ///< of the area
};

/// What became of an image, as its resume note says. Found on a marked area, all but kWaiting mean that the
/// disk lost the write that took the mark off: file systems have been in use since, and loading the image
/// would destroy them.
enum class ResumeState : std::uint8_t {
  kWaiting,  ///< to be resumed
  kJumping,  ///< its mark was off, and the kernel was told to jump
  kGivenUp,  ///< the area was about to be given back without it
};

/// What the image header of an image says.
struct ImageInfo {
  DeviceOffset header_at{};
  ImageFigures image;
  ImageOptions options;  ///< settings it was written with
  CodecCounts codecs{};  ///< what its chunks were packed with
  bool platform = false;
  std::uint64_t created_unix_seconds = 0;
  std::uint64_t ram_bytes = 0;
  std::uint64_t area_header_page = 0;
  std::string architecture;
  std::string kernel_release;
  std::string host;
  std::string writer;
  std::string id;  ///< hexadecimal
  TransferFigures write;
  bool loaded = false;   ///< figures of a whole load of it were noted
  TransferFigures read;  ///< of that load
  std::uint32_t attempts = 0;
  ResumeState state = ResumeState::kWaiting;
  std::optional<Cipher> cipher;  ///< of a sealed image
  std::vector<KeyWay> ways;      ///< to open it
};

/// Memory is allocated by prepare(); the other calls allocate nothing, except info(), and except unlock() and
/// read() of a sealed image where prepare() was not told its cipher.
///
///     reader->open(device, header_at, bounds);
///     if (reader->sealed()) reader->unlock(passphrase.span());
///     reader->read(sink, progress);
class ImageReader {
 public:
  /// For images whose chunks are at most `max_chunk_bytes` (an image header tells: see open()). `threads`
  /// unpack. `ahead_bytes`: so much memory more to read ahead into, while somebody is asked for the key; in
  /// all it is never more than 1 GiB, which the kernel takes as one registered buffer. `cipher`: of the
  /// sealed images that are to be read without allocating. kNoMemory, kUsage.
  static Result<ImageReader> prepare(std::uint32_t max_chunk_bytes, unsigned threads,
                                     std::uint64_t ahead_bytes = 0,
                                     std::optional<Cipher> cipher = std::nullopt);
  ImageReader(ImageReader&&) noexcept;
  ImageReader& operator=(ImageReader&&) noexcept;
  ~ImageReader();

  /// Reads and validates the image header at `header_at`. kNoImage if there is none of ours, kCorrupt if
  /// damaged, or if it is the image of another area: of another page size, with its swap header elsewhere, or
  /// larger than what lies within `bounds`.
  Result<void> open(BlockDevice& device, DeviceOffset header_at, const ImageBounds& bounds);
  [[nodiscard]] ImageInfo info() const;
  /// Sizes, settings and figures without text; allocates nothing.
  [[nodiscard]] const ImageFigures& figures() const;
  [[nodiscard]] CodecCounts codecs() const;
  [[nodiscard]] TransferFigures write_figures() const;
  [[nodiscard]] TransferFigures read_figures() const;
  [[nodiscard]] bool platform() const;
  [[nodiscard]] std::uint32_t chunk_bytes() const;
  [[nodiscard]] std::array<std::byte, 28> original_tail() const;

  // Sealed images. Until unlock() has succeeded, nothing that the header says is known to be authentic.

  [[nodiscard]] bool sealed() const;
  [[nodiscard]] bool takes_passphrase() const;
  [[nodiscard]] bool takes_key_file() const;
  /// Finds the data key, and checks the header with it. kWrongKey where no way opens the image with what is
  /// given; kCorrupt where one does, and the header is not the one that was sealed; kUsage where the image is
  /// not sealed. Takes as long as the key slots say. May be called while another thread is in read() and
  /// waits at a gate.
  Result<void> unlock(std::span<const std::byte> passphrase);
  Result<void> unlock(const KeyFile& key);
  /// Right after writing, for the image that `seal` drew its key for last.
  Result<void> unlock(const ImageSeal& seal);
  /// Overwrites the key. Also done by open() and the destructor.
  void forget_key();

  /// Passes every page on to `sink`, in order, each chunk only after its checksum or tag has been checked,
  /// and calls sink.finish() only after the closing record has confirmed that the image is whole. kCorrupt
  /// names the chunk, the page range and the byte offset. Requires: open() succeeded and chunk_bytes() is at
  /// most the prepared maximum (else kUsage); a sealed image has been unlocked (else kUsage), or `gate` is
  /// given: then what there is memory for is read at once, and unpacking waits at the gate. kCorrupt for a
  /// plain image where there is a gate: somebody changed it meanwhile. progress.begin() comes once the gate
  /// is open, and the time counts from there.
  Result<TransferFigures> read(PageSink& sink, Progress& progress, KeyGate* gate = nullptr);

  // The resume note. Each of these writes it into the image header's page, whose header proper is rewritten
  // byte for byte, and returns once that is durable.

  /// Counts a try to load the image. To be called before anything of it is passed on: a try that hangs or
  /// crashes must have been counted. May be called while another thread is in read() and waits at a gate.
  Result<void> note_attempt();
  /// Takes note_attempt() back: a try that the user stopped does not count.
  Result<void> take_back_attempt();
  Result<void> note_state(ResumeState state);
  Result<void> note_read(const TransferFigures& figures);

  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  struct State;
  explicit ImageReader(std::unique_ptr<State> state);
  Result<void> write_note(std::string_view operation);
  std::unique_ptr<State> state_;
};

/// Takes pages and forgets them: for verifying.
class NullPageSink final : public PageSink {
 public:
  Result<void> write(std::span<const std::byte>) override { return {}; }
  Result<void> finish() override { return {}; }
};

}  // namespace dormouse

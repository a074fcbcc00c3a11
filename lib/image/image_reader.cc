#include "dormouse/image_reader.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <vector>

#include "format/image_header.h"
#include "image/image_keys.h"
#include "image/read_run.h"
#include "seal/image_opener.h"
#include "seal/sha256.h"
#include "swap/swap_map_reader.h"

namespace dormouse {
namespace {

/// A state that a later version has made up is no reason to load the image.
ResumeState state_of(const ResumeNote& note) {
  if (note.state == 0) return ResumeState::kWaiting;
  return note.state == 2 ? ResumeState::kGivenUp : ResumeState::kJumping;
}

/// Does the image belong to the area that the mark was found in?
Result<void> check_place(const ImageHeader& header, const ImageBounds& bounds, std::uint64_t end_page) {
  const auto refuse = [] { return fail(Errc::kCorrupt, "check image header"); };
  if (header.page_bytes != bounds.page_bytes) {
    return refuse().because("it was made of pages of {} bytes, the swap area has pages of {}",
                            std::uint32_t{header.page_bytes}, bounds.page_bytes);
  }
  if (header.area_header_page != bounds.swap_header_page) {
    return refuse().because(
        "it belongs to a swap area whose header is page {} of its device, and was found through one at page "
        "{}: the image or the mark was copied to another place",
        std::uint64_t{header.area_header_page}, bounds.swap_header_page);
  }
  // Place 0 is never used.
  if (header.stored_pages >= end_page) {
    return refuse().because("it has {} stored pages, which do not fit below page {}, where the area ends",
                            std::uint64_t{header.stored_pages}, end_page);
  }
  return {};
}

/// The kernel registers no buffer that is larger.
constexpr std::uint64_t kMaxMemory = std::uint64_t{1} << 30;

/// Slots that keep the device busy, and those that are read ahead into.
std::size_t slots_for(std::uint32_t max_chunk_bytes, unsigned threads, std::uint64_t ahead_bytes) {
  const std::size_t slots = ring_slots(threads, kDeviceRequests);
  const std::uint64_t used = std::uint64_t{slots + threads} * max_chunk_bytes;
  const std::uint64_t left = kMaxMemory - std::min(kMaxMemory, used);
  return slots + std::min(ahead_bytes, left) / max_chunk_bytes;
}

Failure not_sealed() {
  return fail(Errc::kUsage, "unlock image").because("it is not sealed: it needs no key");
}

}  // namespace

struct ImageReader::State {
  std::uint32_t max_chunk_bytes = 0;
  std::vector<CodecSet> codecs;
  ImageKeys keys;
  std::optional<Sha256> map_digest;
  ChunkMemory memory;
  StageRing ring;
  ThreadedQueue threads;
  SwapMapReader map;
  AlignedBuffer header_page;

  BlockDevice* device = nullptr;
  DeviceOffset header_at{};
  ImageBounds bounds;
  ImageHeaderPage record;
  ImageFigures figures;

  [[nodiscard]] Cipher cipher() const { return static_cast<Cipher>(record.header.cipher); }
  [[nodiscard]] std::span<const KeySlot> slots() const {
    return std::span(record.header.slots).first(record.header.ways);
  }
  [[nodiscard]] SealedImage sealed_image() const {
    return {.slots = slots(), .image_id = record.header.image_id, .cipher = cipher()};
  }
  Result<void> prepare_map_digest();
  Result<void> take(std::span<const std::byte> data_key);
  [[nodiscard]] std::unexpected<Error> refused(Error error) const;
  Result<void> load(PageSink& sink, Progress& progress, KeyGate* gate, TransferFigures& taken);
};

ImageReader::ImageReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
ImageReader::ImageReader(ImageReader&&) noexcept = default;
ImageReader& ImageReader::operator=(ImageReader&&) noexcept = default;
ImageReader::~ImageReader() = default;

Result<ImageReader> ImageReader::prepare(std::uint32_t max_chunk_bytes, unsigned threads,
                                         std::uint64_t ahead_bytes, std::optional<Cipher> cipher) {
  if (max_chunk_bytes == 0 || max_chunk_bytes % kMinPageBytes != 0 || threads == 0 || threads > kMaxThreads) {
    return fail(Errc::kUsage, "prepare to read an image")
        .because("chunks of {} bytes, {} threads", max_chunk_bytes, threads);
  }
  const std::size_t slots = slots_for(max_chunk_bytes, threads, ahead_bytes);
  auto memory = ChunkMemory::allocate(slots, threads, max_chunk_bytes);
  if (!memory) return std::unexpected(memory.error());
  auto ring = StageRing::prepare(
      slots, {{.threads = 1, .begins = true}, {.threads = threads}, {.threads = 1, .in_order = true}});
  if (!ring) return std::unexpected(ring.error());
  auto queue_threads = ThreadedQueue::prepare(kDeviceThreads);
  if (!queue_threads) return std::unexpected(queue_threads.error());
  auto map = SwapMapReader::prepare();
  if (!map) return std::unexpected(map.error());
  auto header_page = AlignedBuffer::allocate(kMaxPageBytes);
  if (!header_page) return std::unexpected(header_page.error());
  auto state = std::make_unique<State>(State{.max_chunk_bytes = max_chunk_bytes,
                                             .codecs = {},
                                             .keys = {},
                                             .map_digest = {},
                                             .memory = std::move(*memory),
                                             .ring = std::move(*ring),
                                             .threads = std::move(*queue_threads),
                                             .map = std::move(*map),
                                             .header_page = std::move(*header_page),
                                             .device = nullptr,
                                             .header_at = {},
                                             .bounds = {},
                                             .record = {},
                                             .figures = {}});
  for (unsigned i = 0; i < threads; ++i) {
    auto set = make_codec_set(max_chunk_bytes);
    if (!set) return std::unexpected(set.error());
    state->codecs.push_back(std::move(*set));
  }
  if (cipher) {
    if (auto r = state->keys.prepare(*cipher, threads); !r) return std::unexpected(r.error());
    if (auto r = state->prepare_map_digest(); !r) return std::unexpected(r.error());
  }
  return ImageReader(std::move(state));
}

Result<void> ImageReader::open(BlockDevice& device, DeviceOffset header_at, const ImageBounds& bounds) {
  State& s = *state_;
  const std::uint64_t at = to_bytes(header_at);
  if (at % kMinPageBytes != 0 || at >= device.size_bytes() || device.size_bytes() - at < kMinPageBytes) {
    return fail(Errc::kCorrupt, "read image header")
        .on(device.name())
        .at(at)
        .because("the mark leads to byte {}: that is outside the device of {} bytes, or no multiple of {}",
                 at, device.size_bytes(), kMinPageBytes);
  }
  // The page size is only known from the record, which fits into the smallest page.
  const auto first = s.header_page.span().first(kMinPageBytes);
  if (auto r = device.read(header_at, first); !r) return r;
  auto record = decode_image_header(first, header_at);
  const auto refuse = [&](Error error) {
    error.object.format("{}", device.name());
    error.offset = at;
    return std::unexpected(error);
  };
  if (!record) return refuse(record.error());
  const std::uint64_t end_page = std::min(bounds.end_page, device.size_bytes() / bounds.page_bytes);
  if (auto r = check_place(record->header, bounds, end_page); !r) return refuse(r.error());
  s.keys.forget();
  s.device = &device;
  s.header_at = header_at;
  s.record = *record;
  const ImageHeader& h = s.record.header;
  s.bounds = {
      .end_page = end_page, .swap_header_page = bounds.swap_header_page, .page_bytes = bounds.page_bytes};
  s.figures = {.page_bytes = h.page_bytes,
               .pages = h.image_pages,
               .size_cap_bytes = h.size_cap_bytes,
               .stored_bytes = h.stored_pages * h.page_bytes};
  return {};
}

ImageInfo ImageReader::info() const {
  const ImageHeader& h = state_->record.header;
  const ResumeNote& note = state_->record.note;
  ImageInfo info;
  info.header_at = state_->header_at;
  info.image = state_->figures;
  info.options = {.adaptive = h.codec == kCodecAuto,
                  .codec = {.id = static_cast<CodecId>(h.codec),
                            .level = static_cast<std::int32_t>(std::uint32_t{h.level})},
                  .chunk_bytes = h.chunk_pages * h.page_bytes,
                  .threads = h.threads,
                  .early_writeout = {.millionths = h.early_writeout_millionths},
                  .io = static_cast<IoMode>(h.io)};
  info.codecs = codecs();
  info.platform = h.platform != 0;
  info.created_unix_seconds = h.created_unix_seconds;
  info.ram_bytes = h.ram_bytes;
  info.area_header_page = h.area_header_page;
  info.architecture = get_text(h.architecture);
  info.kernel_release = get_text(h.kernel_release);
  info.host = get_text(h.host);
  info.writer = get_text(h.writer);
  for (const std::byte b : h.image_id) info.id += fmt::format("{:02x}", static_cast<unsigned>(b));
  info.write = write_figures();
  info.read = read_figures();
  info.loaded = info.read.duration_ns > 0;
  info.attempts = note.attempts;
  info.state = state_of(note);
  if (h.sealed()) info.cipher = state_->cipher();
  for (const KeySlot& slot : state_->slots()) info.ways.push_back(static_cast<KeyWay>(slot.way));
  return info;
}

const ImageFigures& ImageReader::figures() const {
  return state_->figures;
}
CodecCounts ImageReader::codecs() const {
  return from_records(state_->record.header.codecs);
}
TransferFigures ImageReader::write_figures() const {
  return from_record(state_->record.header.write);
}
TransferFigures ImageReader::read_figures() const {
  return from_record(state_->record.note.read);
}
bool ImageReader::platform() const {
  return state_->record.header.platform != 0;
}
std::uint32_t ImageReader::chunk_bytes() const {
  return state_->record.header.chunk_pages * state_->record.header.page_bytes;
}
std::array<std::byte, 28> ImageReader::original_tail() const {
  return std::bit_cast<std::array<std::byte, 28>>(state_->record.header.original_tail);
}

bool ImageReader::sealed() const {
  return state_->record.header.sealed();
}
bool ImageReader::takes_passphrase() const {
  return dormouse::takes_passphrase(state_->slots());
}
bool ImageReader::takes_key_file() const {
  return dormouse::takes_key_file(state_->slots());
}

Result<void> ImageReader::State::prepare_map_digest() {
  if (map_digest) return {};
  auto prepared = Sha256::prepare();
  if (!prepared) return std::unexpected(prepared.error());
  map_digest.emplace(std::move(*prepared));
  return {};
}

/// Names the image header, which is what a key does not fit.
std::unexpected<Error> ImageReader::State::refused(Error error) const {
  error.object.format("{}", device->name());
  if (error.code == Errc::kWrongKey || error.code == Errc::kCorrupt) error.offset = to_bytes(header_at);
  return std::unexpected(error);
}

Result<void> ImageReader::State::take(std::span<const std::byte> data_key) {
  if (auto r = keys.prepare(cipher(), static_cast<unsigned>(codecs.size())); !r) return refused(r.error());
  const auto done = keys.take(data_key.first<kKeyBytes>(), record.header);
  if (!done && done.error().code == Errc::kCorrupt) {
    return refused(fail(Errc::kCorrupt, "check image header")
                       .because("it is not the one that was sealed: it is damaged, or was changed")
                       .error());
  }
  return done;
}

Result<void> ImageReader::unlock(std::span<const std::byte> passphrase) {
  if (!sealed()) return not_sealed();
  // Whoever only pressed Enter is asked again.
  if (passphrase.empty() || passphrase.size() > kMaxPassphraseBytes) {
    return state_->refused(fail(Errc::kWrongKey, "unlock image")
                               .because("no image is sealed with a passphrase of {} bytes: it has 1 to {}",
                                        passphrase.size(), kMaxPassphraseBytes)
                               .error());
  }
  const auto key = open_with_passphrase(state_->sealed_image(), passphrase);
  return key ? state_->take(key->span()) : state_->refused(key.error());
}

Result<void> ImageReader::unlock(const KeyFile& key_file) {
  if (!sealed()) return not_sealed();
  const auto key = open_with_key_file(state_->sealed_image(), key_file);
  return key ? state_->take(key->span()) : state_->refused(key.error());
}

Result<void> ImageReader::unlock(const ImageSeal& seal) {
  if (!sealed()) return not_sealed();
  return state_->take(seal.data_key());
}

void ImageReader::forget_key() {
  state_->keys.forget();
}

Result<TransferFigures> ImageReader::read(PageSink& sink, Progress& progress, KeyGate* gate) {
  TransferFigures figures;
  const auto done = state_->load(sink, progress, gate, figures);
  if (done) return figures;
  if (gate != nullptr) gate->refuse(done.error());
  return std::unexpected(done.error());
}

Result<void> ImageReader::State::load(PageSink& sink, Progress& progress, KeyGate* gate,
                                      TransferFigures& taken) {
  const ImageHeader& header = record.header;
  if (const std::uint32_t chunk = header.chunk_pages * header.page_bytes; chunk > max_chunk_bytes) {
    return fail(Errc::kUsage, "read image").because("its chunks of {} bytes need larger buffers", chunk);
  }
  if (gate != nullptr && !header.sealed()) {
    return refused(fail(Errc::kCorrupt, "read image")
                       .because("it is not sealed, and was when its key was asked for: it was changed")
                       .error());
  }
  if (header.sealed()) {
    if (gate == nullptr && !keys.ready())
      return fail(Errc::kUsage, "read image").because("it is sealed, and was not unlocked");
    if (auto r = prepare_map_digest(); !r) return r;
  }
  std::uint64_t started = now_ns();
  ReadRun run(header, memory, codecs, keys, map, *device, threads, ring, sink, progress, gate);
  run.begin_progress();
  auto done = map.begin(
      *device, header,
      {.end_page = bounds.end_page, .header_page = bounds.swap_header_page, .image_header_at = header_at},
      map_digest ? &*map_digest : nullptr);
  if (done) done = run.start();
  if (done) done = ring.run(run);
  run.stop();
  if (done) run.complete_progress();
  if (done) done = sink.finish();
  run.end_progress();
  if (!done) return done;
  if (gate != nullptr) started = std::max(started, gate->opened_at_ns().value_or(started));
  taken = {.duration_ns = now_ns() - started, .flush_ns = 0, .source_wait_ns = run.sink_wait_ns()};
  return {};
}

Result<void> ImageReader::note_attempt() {
  ResumeNote& note = state_->record.note;
  if (note.attempts != UINT32_MAX) note.attempts = note.attempts + 1;
  return write_note("count the try in the image header");
}

Result<void> ImageReader::take_back_attempt() {
  ResumeNote& note = state_->record.note;
  if (note.attempts != 0) note.attempts = note.attempts - 1;
  return write_note("take the count of the try back in the image header");
}

Result<void> ImageReader::note_state(ResumeState state) {
  state_->record.note.state = static_cast<std::uint32_t>(state);
  return write_note("note the state of the image in its header");
}

Result<void> ImageReader::note_read(const TransferFigures& figures) {
  state_->record.note.read = to_record(figures);
  return write_note("note read figures in image header");
}

Result<void> ImageReader::write_note(std::string_view operation) {
  State& s = *state_;
  ResumeNote& note = s.record.note;
  if (note.magic[0] == '\0') {
    ResumeNote sealed = make_note(s.record.header.image_id);
    sealed.attempts = note.attempts;
    sealed.state = note.state;
    sealed.read = note.read;
    note = sealed;
  }
  const auto page = s.header_page.span().first(kMinPageBytes);
  encode_image_header(s.record, page);
  s.device->forget_error();  // each note stands for itself: what an earlier one met has been told
  auto done = s.device->write(s.header_at, page);
  if (done) done = s.device->flush();
  if (!done) done.error().operation = operation;
  return done;
}

std::uint64_t ImageReader::memory_bytes() const {
  std::uint64_t contexts = state_->keys.memory_bytes();
  for (const CodecSet& set : state_->codecs) {
    for (const auto& codec : set) contexts += codec->memory_bytes();
  }
  return state_->memory.bytes() + state_->ring.stack_bytes() + state_->threads.stack_bytes() + contexts +
         2 * std::uint64_t{kMaxPageBytes};
}

}  // namespace dormouse

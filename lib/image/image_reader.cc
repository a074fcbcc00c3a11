#include "dormouse/image_reader.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <vector>

#include "format/image_header.h"
#include "image/chunk_memory.h"
#include "pipeline/stage_ring.h"
#include "swap/swap_map_reader.h"

namespace dormouse {
namespace {

enum Stage : unsigned { kFetch, kUnpack, kDeliver };

/// Every codec a chunk may name, for one worker; index is the CodecId.
using CodecSet = std::array<std::unique_ptr<Codec>, 4>;

Result<CodecSet> make_codec_set(std::size_t chunk_bytes) {
  CodecSet set;
  for (const CodecId id : {CodecId::kStored, CodecId::kLzf, CodecId::kLz4, CodecId::kZstd}) {
    auto codec = make_unpacker(id, chunk_bytes);
    if (!codec) return std::unexpected(codec.error());
    set[static_cast<std::size_t>(id)] = std::move(*codec);
  }
  return set;
}

class ReadRun final : public StageWork {
 public:
  ReadRun(const ImageHeader& header, ChunkMemory& memory, std::span<CodecSet> codecs, SwapMapReader& map,
          BlockDevice& device, PageSink& sink, Progress& progress)
      : header_(header),
        memory_(memory),
        codecs_(codecs),
        map_(map),
        device_(device),
        sink_(sink),
        progress_(progress) {}

  Result<bool> produce(std::size_t slot, std::uint64_t) override {
    return map_.next(memory_[slot].placement);
  }
  Result<void> work(unsigned stage, std::size_t slot, std::uint64_t number, unsigned worker) override;
  Result<void> tick() override;
  [[nodiscard]] std::uint64_t sink_wait_ns() const { return sink_wait_ns_; }

 private:
  Result<void> fetch(ChunkSlot& chunk);
  Result<void> unpack(ChunkSlot& chunk, CodecSet& codecs);
  Result<void> deliver(const ChunkSlot& chunk);
  [[nodiscard]] Failure damaged(const ChunkSlot& chunk) const;
  [[nodiscard]] std::span<std::byte> unpacked(const ChunkSlot& chunk) const {
    const auto& header = chunk.placement.header;
    // A stored chunk was read straight to where it belongs.
    return chunk.pages.first(std::size_t{header.pages} * header_.page_bytes);
  }

  const ImageHeader& header_;
  ChunkMemory& memory_;
  std::span<CodecSet> codecs_;
  SwapMapReader& map_;
  BlockDevice& device_;
  PageSink& sink_;
  Progress& progress_;
  std::uint64_t sink_wait_ns_ = 0;  // delivering thread
  std::atomic<std::uint64_t> delivered_bytes_ = 0;
};

Result<void> ReadRun::work(unsigned stage, std::size_t slot, std::uint64_t /*number*/, unsigned worker) {
  ChunkSlot& chunk = memory_[slot];
  switch (stage) {
    case kFetch:
      return fetch(chunk);
    case kUnpack:
      return unpack(chunk, codecs_[worker]);
    default:
      return deliver(chunk);
  }
}

Failure ReadRun::damaged(const ChunkSlot& chunk) const {
  const auto& placement = chunk.placement;
  const std::uint64_t first = placement.header.first_page;
  return fail(Errc::kCorrupt, "check image chunk")
      .on(device_.name())
      .at(to_bytes(page_offset(placement.extents.front().first_page, header_.page_bytes)))
      .because("chunk {} (pages {} to {} of the image) is damaged", std::uint64_t{placement.header.number},
               first, first + placement.header.pages - 1);
}

Result<void> ReadRun::fetch(ChunkSlot& chunk) {
  const bool as_is = chunk.placement.header.codec == static_cast<std::uint8_t>(CodecId::kStored);
  const std::size_t bytes = chunk.placement.stored_pages(header_.page_bytes) * header_.page_bytes;
  const auto target = (as_is ? chunk.pages : chunk.packed).first(bytes);
  chunk.stored = target;
  const auto read = [&](DeviceOffset at, std::span<std::byte> piece) { return device_.read(at, piece); };
  auto done = for_each_extent(chunk.placement.extents, header_.page_bytes, target, read);
  if (!done) done.error().operation = "read image chunk";
  return done;
}

Result<void> ReadRun::unpack(ChunkSlot& chunk, CodecSet& codecs) {
  const ChunkHeader& header = chunk.placement.header;
  // Nothing unchecked reaches a decoder.
  if (xxh3(chunk.stored) != header.stored_xxh3) return damaged(chunk);
  const auto pages = unpacked(chunk);
  const auto filling = chunk.stored.subspan(header.packed_bytes);
  if (!std::ranges::all_of(filling, [](std::byte b) { return b == std::byte{0}; })) return damaged(chunk);
  if (header.codec != static_cast<std::uint8_t>(CodecId::kStored)) {
    if (!codecs[header.codec]->unpack(chunk.stored.first(header.packed_bytes), pages)) return damaged(chunk);
    if (xxh3(pages) != header.pages_xxh3) return damaged(chunk);
  } else if (header.pages_xxh3 != header.stored_xxh3) {
    return damaged(chunk);
  }
  return {};
}

Result<void> ReadRun::deliver(const ChunkSlot& chunk) {
  const auto pages = unpacked(chunk);
  const std::uint64_t before = now_ns();
  auto written = sink_.write(pages);
  sink_wait_ns_ += now_ns() - before;
  if (written) delivered_bytes_.fetch_add(pages.size(), std::memory_order_relaxed);
  return written;
}

Result<void> ReadRun::tick() {
  progress_.advance(delivered_bytes_.load(std::memory_order_relaxed));
  if (progress_.stop_requested()) return fail(Errc::kStopped, "read image").because("stopped by the user");
  return {};
}

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

}  // namespace

struct ImageReader::State {
  std::uint32_t max_chunk_bytes = 0;
  std::vector<CodecSet> codecs;
  ChunkMemory memory;
  StageRing ring;
  SwapMapReader map;
  AlignedBuffer header_page;

  BlockDevice* device = nullptr;
  DeviceOffset header_at{};
  ImageBounds bounds;
  ImageHeaderPage record;
  ImageFigures figures;
};

ImageReader::ImageReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
ImageReader::ImageReader(ImageReader&&) noexcept = default;
ImageReader& ImageReader::operator=(ImageReader&&) noexcept = default;
ImageReader::~ImageReader() = default;

Result<ImageReader> ImageReader::prepare(std::uint32_t max_chunk_bytes, unsigned threads) {
  if (max_chunk_bytes == 0 || max_chunk_bytes % kMinPageBytes != 0 || threads == 0 || threads > kMaxThreads) {
    return fail(Errc::kUsage, "prepare to read an image")
        .because("chunks of {} bytes, {} threads", max_chunk_bytes, threads);
  }
  const std::size_t slots = ring_slots(threads, kDeviceRequests);
  auto memory = ChunkMemory::allocate(slots, max_chunk_bytes);
  if (!memory) return std::unexpected(memory.error());
  auto ring = StageRing::prepare(
      slots, {{.threads = kDeviceRequests}, {.threads = threads}, {.threads = 1, .in_order = true}});
  if (!ring) return std::unexpected(ring.error());
  auto map = SwapMapReader::prepare();
  if (!map) return std::unexpected(map.error());
  auto header_page = AlignedBuffer::allocate(kMaxPageBytes);
  if (!header_page) return std::unexpected(header_page.error());
  auto state = std::make_unique<State>(State{.max_chunk_bytes = max_chunk_bytes,
                                             .codecs = {},
                                             .memory = std::move(*memory),
                                             .ring = std::move(*ring),
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
  info.options = {.codec = {.id = static_cast<CodecId>(h.codec),
                            .level = static_cast<std::int32_t>(std::uint32_t{h.level})},
                  .chunk_bytes = h.chunk_pages * h.page_bytes,
                  .threads = h.threads,
                  .early_writeout = {.millionths = h.early_writeout_millionths},
                  .io = static_cast<IoMode>(h.io)};
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
  return info;
}

const ImageFigures& ImageReader::figures() const {
  return state_->figures;
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

Result<TransferFigures> ImageReader::read(PageSink& sink, Progress& progress) {
  State& s = *state_;
  const ImageHeader& header = s.record.header;
  if (chunk_bytes() > s.max_chunk_bytes) {
    return fail(Errc::kUsage, "read image")
        .because("its chunks of {} bytes need larger buffers", chunk_bytes());
  }
  const std::uint64_t started = now_ns();
  progress.begin("read", s.figures.bytes());
  ReadRun run(header, s.memory, s.codecs, s.map, *s.device, sink, progress);
  auto done = s.map.begin(*s.device, header,
                          {.end_page = s.bounds.end_page,
                           .header_page = s.bounds.swap_header_page,
                           .image_header_at = s.header_at});
  if (done) done = s.ring.run(run);
  if (done) progress.advance(s.figures.bytes());
  if (done) done = sink.finish();
  progress.end();
  if (!done) return std::unexpected(done.error());
  return TransferFigures{
      .duration_ns = now_ns() - started, .flush_ns = 0, .source_wait_ns = run.sink_wait_ns()};
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
  std::uint64_t contexts = 0;
  for (const CodecSet& set : state_->codecs) {
    for (const auto& codec : set) contexts += codec->memory_bytes();
  }
  return state_->memory.bytes() + state_->ring.stack_bytes() + contexts + 2 * std::uint64_t{kMaxPageBytes};
}

}  // namespace dormouse

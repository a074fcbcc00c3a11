#include "dormouse/image_writer.h"

#include <sys/random.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <vector>

#include "format/image_header.h"
#include "image/chunk_memory.h"
#include "image/seal_records.h"
#include "image/write_run.h"
#include "pipeline/stage_ring.h"
#include "seal/sha256.h"
#include "swap/swap_map_writer.h"

namespace dormouse {
namespace {

Result<void> check_options(const ImageOptions& options, std::uint32_t page_bytes) {
  if (options.chunk_bytes == 0 || options.chunk_bytes % page_bytes != 0 ||
      options.chunk_bytes > kMaxChunkBytes || options.chunk_bytes / page_bytes > kMaxChunkPages) {
    return fail(Errc::kUsage, "check image options")
        .because("chunk size {} is not a multiple of {} up to {}", options.chunk_bytes, page_bytes,
                 kMaxChunkBytes);
  }
  if (options.threads == 0 || options.threads > kMaxThreads) {
    return fail(Errc::kUsage, "check image options")
        .because("threads {} is not within 1 and {}", options.threads, kMaxThreads);
  }
  return {};
}

Result<ImageId> draw_image_id() {
  ImageId id;
  if (::getrandom(id.data(), id.size(), 0) != static_cast<ssize_t>(id.size())) {
    return fail(Errc::kIo, "draw image id").os(errno);
  }
  return id;
}

/// Whoever asks for a sealed image must not get one that nobody can open, and not learn so after the
/// snapshot.
Result<std::optional<Sha256>> prepare_map_digest(const ImageSeal* seal) {
  if (seal == nullptr) return std::nullopt;
  if (seal->ways() == 0) {
    return fail(Errc::kUsage, "prepare to seal the image")
        .because("there is no way to open it again: it needs a passphrase or a key file");
  }
  auto digest = Sha256::prepare();
  if (!digest) return std::unexpected(digest.error());
  return std::move(*digest);
}

}  // namespace

struct ImageWriter::State {
  ImageOptions options;
  std::uint32_t page_bytes = 0;
  std::vector<ChunkPacker> packers;
  ChunkMemory memory;
  StageRing ring;
  ThreadedQueue threads;
  SwapMapWriter map;
  AlignedBuffer header_page;
  ImageSeal* seal = nullptr;  // of sealed images, and with it:
  std::optional<Sha256> map_digest;
  std::optional<RoomShortage> shortage = std::nullopt;

  Result<void> draw_key(const ImageId& id);
  void forget_key();
  Result<void> seal_into(ImageHeader& header, const SwapMapSummary& summary);
  Result<void> finish(WriteRun& run, BlockDevice& device, DeviceOffset header_at,
                      const ImageIdentity& identity, const ImageId& id, std::uint64_t started_ns,
                      WrittenImage& result);
};

ImageWriter::ImageWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
ImageWriter::ImageWriter(ImageWriter&&) noexcept = default;
ImageWriter& ImageWriter::operator=(ImageWriter&&) noexcept = default;
ImageWriter::~ImageWriter() = default;

Result<ImageWriter> ImageWriter::prepare(const ImageOptions& options, std::uint32_t page_bytes,
                                         ImageSeal* seal) {
  if (auto r = check_options(options, page_bytes); !r) return std::unexpected(r.error());
  const std::size_t slots =
      ring_slots(options.threads, kDeviceRequests) + (options.adaptive ? kSlotsToChooseBy : 0);
  auto memory = ChunkMemory::allocate(slots, options.threads, options.chunk_bytes);
  if (!memory) return std::unexpected(memory.error());
  auto ring = StageRing::prepare(
      slots,
      {{.threads = options.threads}, {.threads = 1, .in_order = true}, {.threads = 1, .begins = true}});
  if (!ring) return std::unexpected(ring.error());
  auto threads = ThreadedQueue::prepare(kDeviceThreads);
  if (!threads) return std::unexpected(threads.error());
  auto map = SwapMapWriter::prepare(page_bytes);
  if (!map) return std::unexpected(map.error());
  auto header_page = AlignedBuffer::allocate(page_bytes);
  if (!header_page) return std::unexpected(header_page.error());
  auto map_digest = prepare_map_digest(seal);
  if (!map_digest) return std::unexpected(map_digest.error());
  auto state = std::make_unique<State>(State{.options = options,
                                             .page_bytes = page_bytes,
                                             .packers = {},
                                             .memory = std::move(*memory),
                                             .ring = std::move(*ring),
                                             .threads = std::move(*threads),
                                             .map = std::move(*map),
                                             .header_page = std::move(*header_page),
                                             .seal = seal,
                                             .map_digest = std::move(*map_digest)});
  const auto cipher = seal != nullptr ? std::optional(seal->cipher()) : std::nullopt;
  for (unsigned i = 0; i < options.threads; ++i) {
    auto packer = ChunkPacker::prepare(options, page_bytes, cipher);
    if (!packer) return std::unexpected(packer.error());
    state->packers.push_back(std::move(*packer));
  }
  return ImageWriter(std::move(state));
}

const std::optional<RoomShortage>& ImageWriter::shortage() const {
  return state_->shortage;
}

std::uint64_t ImageWriter::memory_bytes() const {
  std::uint64_t contexts = 0;
  for (const ChunkPacker& packer : state_->packers) contexts += packer.memory_bytes();
  return state_->memory.bytes() + state_->ring.stack_bytes() + state_->threads.stack_bytes() + contexts +
         2 * std::uint64_t{state_->page_bytes};
}

Result<WrittenImage> ImageWriter::write(PageSource& source, BlockDevice& device, SwapAllocator& allocator,
                                        DeviceOffset header_at, const ImageIdentity& identity,
                                        Progress& progress) {
  State& s = *state_;
  if (source.page_bytes() != s.page_bytes) {
    return fail(Errc::kUsage, "write image")
        .because("the snapshot has pages of {} bytes, the swap area of {}", source.page_bytes(),
                 s.page_bytes);
  }
  if (source.total_pages() == 0) return fail(Errc::kIo, "read snapshot").because("it has no pages");
  s.shortage.reset();
  const auto room = look_at_room(source.total_pages(), s.options, s.page_bytes, allocator);
  if (!room) return std::unexpected(room.error());
  if (auto r = require_room(*room, s.options, s.page_bytes, device); !r) {
    s.shortage = {.image_pages = source.total_pages(),
                  .needed_pages = room->needed_pages(),
                  .free_pages = room->free_pages(),
                  .usual_ratio = 0};
    return std::unexpected(r.error());
  }
  const auto id = draw_image_id();
  if (!id) return std::unexpected(id.error());
  if (auto r = s.draw_key(*id); !r) {
    s.forget_key();
    return std::unexpected(r.error());
  }
  const std::uint64_t started = now_ns();
  progress.begin("write", source.total_pages() * s.page_bytes);
  WriteRun run(s.options, s.page_bytes, s.memory, s.packers, s.map, source, device, s.threads, s.ring,
               allocator, *room, progress);
  WrittenImage result;
  result.header_at = header_at;
  result.image.pages = source.total_pages();
  auto done = s.map.begin(device, allocator, *id, s.map_digest ? &*s.map_digest : nullptr);
  if (done) done = run.start();
  if (done) done = s.ring.run(run);
  run.stop();
  if (done) progress.advance(result.image.pages * s.page_bytes);
  if (done) done = s.finish(run, device, header_at, identity, *id, started, result);
  s.forget_key();
  device.quiesce();
  progress.end();
  if (done) return result;
  const Error error = run.explained(done.error());
  s.shortage = run.shortage();
  return std::unexpected(error);
}

Result<void> ImageWriter::State::draw_key(const ImageId& id) {
  if (seal == nullptr) return {};
  if (auto r = seal->draw(id); !r) return r;
  for (ChunkPacker& packer : packers) {
    if (auto r = packer.use_key(seal->data_key(), id); !r) return r;
  }
  return {};
}

void ImageWriter::State::forget_key() {
  for (ChunkPacker& packer : packers) packer.forget_key();
}

Result<void> ImageWriter::State::seal_into(ImageHeader& header, const SwapMapSummary& summary) {
  if (seal == nullptr) return {};
  header.features_required = kFeatureSealed;
  header.cipher = static_cast<std::uint8_t>(seal->cipher());
  header.ways = static_cast<std::uint8_t>(seal->ways());
  header.map_digest = summary.map_digest;
  seal->put_slots(std::as_writable_bytes(std::span(header.slots)));
  return seal_header(packers.front().aead(), header);
}

Result<void> ImageWriter::State::finish(WriteRun& run, BlockDevice& device, DeviceOffset header_at,
                                        const ImageIdentity& identity, const ImageId& id,
                                        std::uint64_t started_ns, WrittenImage& result) {
  if (run.pages_read() != result.image.pages) {
    return fail(Errc::kIo, "read snapshot")
        .because("it ended after {} of {} pages", run.pages_read(), result.image.pages);
  }
  const auto summary = map.finish(run.pages_read());
  if (!summary) return std::unexpected(summary.error());
  const std::uint64_t flush_started = now_ns();
  if (auto r = device.flush(); !r) return during("flush image", r.error());
  const std::uint64_t flushed = now_ns();

  result.image.page_bytes = page_bytes;
  result.image.size_cap_bytes = identity.size_cap_bytes;
  result.image.stored_bytes = (summary->chunk_stored_pages + summary->map_pages + 1) * page_bytes;
  result.write = {.duration_ns = flushed - started_ns,
                  .flush_ns = flushed - flush_started,
                  .source_wait_ns = run.source_wait_ns()};
  result.chunks = summary->chunk_count;
  result.map_pages = summary->map_pages;
  result.codecs = run.codecs();

  ImageHeaderPage record;
  ImageHeader& h = record.header;
  h.codec = options.adaptive ? kCodecAuto : static_cast<std::uint8_t>(options.codec.id);
  h.io = static_cast<std::uint8_t>(options.io);
  h.platform = identity.platform ? 1 : 0;
  h.page_bytes = page_bytes;
  h.chunk_pages = options.chunk_bytes / page_bytes;
  h.image_id = id;
  h.created_unix_seconds = static_cast<std::uint64_t>(std::time(nullptr));
  h.image_pages = result.image.pages;
  h.chunk_count = summary->chunk_count;
  h.map_first_page = summary->first_page;
  h.map_pages = summary->map_pages;
  h.stored_pages = result.image.stored_bytes / page_bytes;
  h.codecs = to_records(result.codecs);
  h.level = options.adaptive ? 0U : static_cast<std::uint32_t>(options.codec.level);
  h.early_writeout_millionths = options.early_writeout.millionths;
  h.threads = options.threads;
  h.size_cap_bytes = identity.size_cap_bytes;
  h.chunk_digest = summary->chunk_digest;
  h.write = to_record(result.write);
  h.original_tail = std::bit_cast<MarkTail>(identity.original_tail);
  h.area_uuid = identity.area_uuid;
  h.area_header_page = identity.area_header_page;
  h.ram_bytes = identity.ram_bytes;
  put_text(h.architecture, identity.architecture);
  put_text(h.kernel_release, identity.kernel_release);
  put_text(h.host, identity.host);
  put_text(h.writer, identity.writer);
  if (auto r = seal_into(h, *summary); !r) return r;
  encode_image_header(record, header_page.span());
  auto written = device.write(header_at, header_page.span());
  if (!written) return during("write image header", written.error());
  if (auto r = device.flush(); !r) return during("flush image header", r.error());
  return {};
}

}  // namespace dormouse

#include "dormouse/swap_area.h"

#include <algorithm>
#include <bit>

#include "base/aligned_buffer.h"
#include "format/swap_header.h"

namespace dormouse {
struct SwapArea::State {
  BlockDevice* device = nullptr;
  DeviceOffset header_at{};
  SwapHeader header;
  AlignedBuffer original;  // as open() read it
  AlignedBuffer scratch;   // what is compared or written
  bool written = false;    // some write of the page was taken by the device
  bool mark_taken_off = false;

  [[nodiscard]] std::span<const std::byte> page() const { return original.span().first(header.page_bytes); }
  [[nodiscard]] std::span<std::byte> scratch_page() { return scratch.span().first(header.page_bytes); }
  Result<void> write_durably(std::string_view operation);
};

SwapArea::SwapArea(std::unique_ptr<State> state) : state_(std::move(state)) {}
SwapArea::SwapArea(SwapArea&&) noexcept = default;
SwapArea& SwapArea::operator=(SwapArea&&) noexcept = default;
SwapArea::~SwapArea() = default;

SwapSignature SwapArea::signature() const {
  return state_->header.signature;
}
std::uint32_t SwapArea::page_bytes() const {
  return state_->header.page_bytes;
}
DeviceOffset SwapArea::header_at() const {
  return state_->header_at;
}
std::uint32_t SwapArea::last_page() const {
  return state_->header.last_page;
}
std::array<std::byte, 16> SwapArea::uuid() const {
  return state_->header.uuid;
}
MarkTailBytes SwapArea::tail() const {
  return std::bit_cast<MarkTailBytes>(state_->header.tail);
}
DeviceOffset SwapArea::marked_image_header() const {
  return DeviceOffset{std::uint64_t{state_->header.tail.image_header_offset}};
}
std::span<const std::byte> SwapArea::page() const {
  return state_->page();
}
BlockDevice& SwapArea::device() const {
  return *state_->device;
}

Result<SwapArea> SwapArea::open(BlockDevice& device, DeviceOffset header_at) {
  const std::uint64_t start = to_bytes(header_at);
  const std::uint64_t size = device.size_bytes();
  if (start % kMinPageBytes != 0 || start >= size || size - start < kMinPageBytes) {
    return fail(Errc::kImpossible, "read swap header")
        .on(device.name())
        .at(start)
        .because("the device has only {} bytes; is the resume offset right?", size);
  }
  auto state = std::make_unique<State>();
  state->device = &device;
  state->header_at = header_at;
  auto page = AlignedBuffer::allocate(kMaxPageBytes);
  if (!page) return std::unexpected(page.error());
  auto scratch = AlignedBuffer::allocate(kMaxPageBytes);
  if (!scratch) return std::unexpected(scratch.error());
  state->original = std::move(*page);
  state->scratch = std::move(*scratch);

  const std::uint64_t there = size - start;
  const std::size_t wanted = std::min<std::uint64_t>(kMaxPageBytes, there - there % kMinPageBytes);
  const auto bytes = state->original.span().first(wanted);
  if (auto r = device.read(header_at, bytes); !r) return during("read swap header", r.error());
  // What lies behind the header is no bound: the pieces of a swap file may lie in any order on the device.
  auto header = decode_swap_header(bytes, size);
  if (!header) {
    Error error = header.error();
    error.object.format("{}", device.name());
    error.offset = start;
    return std::unexpected(error);
  }
  if (start % header->page_bytes != 0) {
    return fail(Errc::kImpossible, "read swap header")
        .on(device.name())
        .at(start)
        .because("it does not lie on a page of {} bytes, the area's own page size", header->page_bytes);
  }
  state->header = *header;
  return SwapArea(std::move(state));
}

Result<void> SwapArea::mark(DeviceOffset image_header) {
  if (marked()) {
    return fail(Errc::kBusy, "mark swap area")
        .on(state_->device->name())
        .at(to_bytes(state_->header_at))
        .because("it holds {} already", describe(signature()));
  }
  const auto page = state_->scratch_page();
  if (auto r = state_->device->read(state_->header_at, page); !r)
    return during("read swap header before marking", r.error());
  if (!std::ranges::equal(page, this->page())) {
    return fail(Errc::kBusy, "mark swap area")
        .on(state_->device->name())
        .at(to_bytes(state_->header_at))
        .because("the swap header has changed since it was checked; nothing was written to it");
  }
  put_mark(page, image_header);
  return state_->write_durably("mark swap area");
}

Result<void> SwapArea::clear(const MarkTailBytes& original) {
  const auto tail = std::bit_cast<MarkTail>(original);
  // Anything else would leave neither swap nor an image.
  if (!std::ranges::equal(tail.signature, kPlainSignature)) {
    return fail(Errc::kCorrupt, "clear mark of swap area")
        .on(state_->device->name())
        .at(to_bytes(state_->header_at))
        .because("what was kept of the swap header is no swap signature; nothing was written");
  }
  const auto page = state_->scratch_page();
  std::ranges::copy(this->page(), page.begin());
  put_tail(page, tail);
  state_->mark_taken_off = true;
  return state_->write_durably("clear mark of swap area");
}

bool SwapArea::is_as_opened() {
  // What the device took and did not flush may still come through, whatever reading shows by now.
  if (state_->written) return false;
  const auto page = state_->scratch_page();
  return state_->device->read(state_->header_at, page) && std::ranges::equal(page, this->page());
}

Result<void> SwapArea::mark_again() {
  if (!marked()) {
    return fail(Errc::kUsage, "mark swap area again")
        .on(state_->device->name())
        .at(to_bytes(state_->header_at))
        .because("it carried no mark when it was opened");
  }
  std::ranges::copy(this->page(), state_->scratch_page().begin());
  auto done = state_->write_durably("mark swap area again");
  if (done) state_->mark_taken_off = false;
  return done;
}

bool SwapArea::mark_taken_off() const {
  return state_->mark_taken_off;
}

Result<void> SwapArea::restore_signature() {
  const std::string_view kept{state_->header.tail.original_signature.data(),
                              state_->header.tail.original_signature.size()};
  if (state_->header.signature == SwapSignature::kTuxOnIce || kept != kPlainSignature) {
    return fail(Errc::kImpossible, "clear mark of swap area")
        .on(state_->device->name())
        .at(to_bytes(state_->header_at))
        .because("the mark did not keep the swap area's own signature; make the area anew with mkswap");
  }
  const auto page = state_->scratch_page();
  std::ranges::copy(this->page(), page.begin());
  MarkTail tail = state_->header.tail;
  tail.signature = tail.original_signature;
  put_tail(page, tail);
  state_->mark_taken_off = true;
  return state_->write_durably("clear mark of swap area");
}

Result<void> SwapArea::State::write_durably(std::string_view operation) {
  const auto page = scratch_page();
  auto done = device->write(header_at, page);
  if (done) {
    written = true;
    done = device->flush();
  }
  if (done) return done;
  // To callers kBusy says that nothing was written; of a device that says EBUSY nobody knows.
  Error error = done.error();
  if (error.code == Errc::kBusy) error.code = Errc::kIo;
  return during(operation, error);
}

}  // namespace dormouse

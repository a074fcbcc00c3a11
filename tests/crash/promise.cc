#include "crash/promise.h"

#include <algorithm>

#include "format/image_header.h"

namespace dormouse::test {
namespace {

std::array<std::byte, kSectorBytes> note_in(std::span<const std::byte> header_page) {
  std::array<std::byte, kSectorBytes> note;
  std::ranges::copy(header_page.subspan(kMinPageBytes - kSectorBytes, kSectorBytes), note.begin());
  return note;
}

}  // namespace

void Promise::take(const LoggedCall& call) {
  switch (call.kind) {
    case LoggedCall::Kind::kWrite: {
      if (!story_.on_header(call)) return;
      const Left made = story_.marks(call) ? Left::kImage : Left::kPlain;
      under_way_.erase(call.handle);
      if (call.succeeded) under_way_[call.handle] = made;
      (made == Left::kImage ? image_ : plain_) = true;
      return;
    }
    case LoggedCall::Kind::kFlush: {
      const auto settled = under_way_.find(call.handle);
      if (!call.succeeded || settled == under_way_.end()) return;
      image_ = settled->second == Left::kImage;
      plain_ = !image_;
      under_way_.erase(settled);
      return;
    }
    case LoggedCall::Kind::kLandmark:
      if (call.landmark == kGoesOff) plain_ = false;
      if (call.landmark == kRunsOn || call.landmark == kJumps) image_ = false;
      return;
  }
}

NotePromise::NotePromise(const Story& story) {
  if (story.begins != Left::kImage) return;
  const auto page = story.before.bytes().subspan(story.header_offset(), story.area.page_bytes);
  header_at_ = std::uint64_t{get_tail(page).image_header_offset};
  written_.push_back({.note = note_in(story.before.bytes().subspan(header_at_, kMinPageBytes))});
}

bool NotePromise::is_note(const LoggedCall& call) const {
  return header_at_ != 0 && call.kind == LoggedCall::Kind::kWrite && call.offset == header_at_;
}

void NotePromise::take(const LoggedCall& call) {
  if (is_note(call))
    written_.push_back({.note = note_in(call.data), .handle = call.handle, .succeeded = call.succeeded});
  if (call.kind != LoggedCall::Kind::kFlush || !call.succeeded || written_.empty()) return;
  // One that failed may or may not be there, whatever is flushed after it.
  const auto settled = [&](const Written& written) {
    return written.handle == call.handle && written.succeeded;
  };
  const auto last = std::find_if(written_.rbegin(), written_.rend(), settled);
  if (last != written_.rend()) written_.erase(written_.begin(), last.base() - 1);
}

bool NotePromise::allows(CutDisk& disk) const {
  if (header_at_ == 0) return true;
  const Note found = note_in(disk.medium().bytes().subspan(header_at_, kMinPageBytes));
  return std::ranges::find(written_, found, &Written::note) != written_.end();
}

}  // namespace dormouse::test

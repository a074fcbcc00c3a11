/// What the tool has promised so far about a power cut, read off its own calls.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <vector>

#include "crash/story.h"
#include "support/cut_disk.h"

namespace dormouse::test {

/// Plain swap until a mark is written; plain swap or the image until that write is flushed; from then on the
/// image only; and so on for each write of the swap header. A write that failed leaves it open which of the
/// two until the next one. A landmark rules out one of them until then.
class Promise {
 public:
  explicit Promise(const Story& story)  // must outlive this
      : story_(story), plain_(story.begins == Left::kPlain), image_(story.begins == Left::kImage) {}

  void take(const LoggedCall& call);
  [[nodiscard]] bool allows(Left left) const {
    return (left == Left::kPlain && plain_) || (left == Left::kImage && image_);
  }
  [[nodiscard]] bool allows_image() const { return image_; }

 private:
  const Story& story_;
  bool plain_;
  bool image_;
  std::map<unsigned, Left> under_way_;  // by handle: what its unflushed write of the swap header makes
};

/// Of an image that was there when the story began: a resume note that was flushed is the one that is found,
/// else a machine that dies in every load would be loaded for ever.
class NotePromise {
 public:
  explicit NotePromise(const Story& story);

  void take(const LoggedCall& call);
  /// `disk` holds the image.
  [[nodiscard]] bool allows(CutDisk& disk) const;
  /// The call writes the page of the image header.
  [[nodiscard]] bool is_note(const LoggedCall& call) const;

 private:
  using Note = std::array<std::byte, kSectorBytes>;
  struct Written {
    Note note;
    unsigned handle = 0;
    bool succeeded = true;
  };
  std::uint64_t header_at_ = 0;   // of the image; 0: there was none
  std::vector<Written> written_;  // the last one that is durable, and those after it
};

}  // namespace dormouse::test

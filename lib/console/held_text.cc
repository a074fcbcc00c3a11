#include "console/held_text.h"

#include <algorithm>
#include <cstddef>

namespace dormouse {

Result<HeldText> HeldText::allocate(std::size_t capacity_bytes) {
  auto memory = AlignedBuffer::allocate(capacity_bytes);
  if (!memory) return std::unexpected(memory.error());
  HeldText text;
  text.memory_ = std::move(*memory);
  text.first_ = text.memory_.span().first(capacity_bytes / 2);
  text.last_ = text.memory_.span().subspan(capacity_bytes / 2, capacity_bytes / 2);
  return text;
}

void HeldText::append(std::string_view text) {
  // Once the last part is in use, what follows belongs behind it, even if room became free at the front.
  if (last_size_ == 0 && dropped_ == 0) {
    const auto fits = std::min(text.size(), first_.size() - first_end_);
    std::ranges::copy(std::as_bytes(std::span(text.substr(0, fits))),
                      first_.begin() + static_cast<std::ptrdiff_t>(first_end_));
    first_end_ += fits;
    text.remove_prefix(fits);
  }
  append_last(text);
}

void HeldText::append_last(std::string_view text) {
  if (text.size() > last_.size()) {
    dropped_ += text.size() - last_.size();
    text.remove_prefix(text.size() - last_.size());
  }
  const auto over = std::max(last_size_ + text.size(), last_.size()) - last_.size();
  last_begin_ = last_.empty() ? 0 : (last_begin_ + over) % last_.size();
  last_size_ -= over;
  dropped_ += over;
  for (const char c : text) {
    last_[(last_begin_ + last_size_) % last_.size()] = static_cast<std::byte>(c);
    ++last_size_;
  }
}

bool HeldText::empty() const {
  return first_begin_ == first_end_ && last_size_ == 0;
}

/// Says what is missing, and begins the last part with a whole line if it has one.
void HeldText::write_notice() {
  std::size_t torn = 0;
  for (std::size_t i = 0; i < last_size_; ++i) {
    if (last_[(last_begin_ + i) % last_.size()] != std::byte{'\n'}) continue;
    if (i + 1 < last_size_) torn = i + 1;
    break;
  }
  last_begin_ = (last_begin_ + torn) % last_.size();
  last_size_ -= torn;
  dropped_ += torn;
  notice_.format("\n[... {} bytes left out ...]\n", dropped_ - noticed_);
  notice_begin_ = 0;
  noticed_ = dropped_;
}

std::string_view HeldText::front() {
  const auto text = [](std::span<const std::byte> bytes) {
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  if (first_begin_ < first_end_) return text(first_.subspan(first_begin_, first_end_ - first_begin_));
  if (last_size_ == 0) return {};
  if (dropped_ != noticed_ && notice_begin_ == notice_.view().size()) write_notice();
  if (notice_begin_ < notice_.view().size()) return notice_.view().substr(notice_begin_);
  return text(last_.subspan(last_begin_, std::min(last_size_, last_.size() - last_begin_)));
}

void HeldText::pop(std::size_t bytes) {
  if (first_begin_ < first_end_) {
    first_begin_ += bytes;
  } else if (notice_begin_ < notice_.view().size()) {
    notice_begin_ += bytes;
  } else {
    last_begin_ = (last_begin_ + bytes) % last_.size();
    last_size_ -= bytes;
  }
  if (!empty()) return;
  first_begin_ = first_end_ = last_begin_ = 0;
  dropped_ = noticed_ = 0;
  notice_ = {};
  notice_begin_ = 0;
}

}  // namespace dormouse

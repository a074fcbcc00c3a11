#include "damage/judge.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "damage/counting_device.h"
#include "support/allocation_counter.h"

namespace dormouse::test {
namespace {

// Each thread of a run may cost the C library one small vector: three for the device, one that begins
// transfers, one that unpacks, one that delivers.
constexpr std::uint64_t kThreadAllocations = 6;

class CheckingSink final : public PageSink {
 public:
  explicit CheckingSink(std::span<const std::byte> expected) : expected_(expected) {}
  Result<void> write(std::span<const std::byte> pages) override {
    same_ = same_ && pages.size() <= expected_.size() - bytes_ &&
            std::memcmp(pages.data(), expected_.data() + bytes_, pages.size()) == 0;
    if (!same_) return fail(Errc::kIo, "take pages").because("something else was passed on");
    bytes_ += pages.size();
    return {};
  }
  Result<void> finish() override {
    finished_ = true;
    return {};
  }
  [[nodiscard]] bool same() const { return same_; }
  [[nodiscard]] bool whole() const { return same_ && bytes_ == expected_.size(); }
  [[nodiscard]] bool finished() const { return finished_; }

 private:
  std::span<const std::byte> expected_;
  std::size_t bytes_ = 0;
  bool same_ = true;
  bool finished_ = false;
};

ImageReader make_reader(std::uint32_t max_chunk_bytes, std::optional<Cipher> cipher) {
  auto reader = ImageReader::prepare(max_chunk_bytes, 1, 0, cipher);
  if (!reader) throw std::runtime_error(reader.error().what());
  return std::move(*reader);
}

bool contains(const std::string& text, std::string_view words) {
  return text.find(words) != std::string::npos;
}

}  // namespace

Judge::Judge(std::uint32_t max_chunk_bytes, std::span<const std::byte> stream)
    : reader_(make_reader(max_chunk_bytes, std::nullopt)), stream_(stream) {}

Judge::Judge(std::uint32_t max_chunk_bytes, std::span<const std::byte> stream, KeyFile key)
    : reader_(make_reader(max_chunk_bytes, Cipher::kAes256Gcm)), stream_(stream), key_(std::move(key)) {}

Result<void> Judge::open(BlockDevice& device, DeviceOffset header_at, const ImageBounds& bounds) {
  {
    const AllocationCounter counter;
    auto opened = reader_.open(device, header_at, bounds);
    allocations_ = counter.count();
    if (!opened) return opened;
  }
  // What says that it is plain is held to the same stream, and to no key.
  return key_ && reader_.sealed() ? reader_.unlock(*key_) : Result<void>{};
}

Outcome Judge::read(MemoryBlockDevice& disk, std::uint64_t shown_bytes, DeviceOffset header_at,
                    const ImageBounds& bounds) {
  CountingDevice device(disk, shown_bytes);
  CheckingSink sink(stream_);
  NoProgress progress;
  Outcome outcome;
  auto opened = open(device, header_at, bounds);
  outcome.opened = opened.has_value();
  if (!opened) {
    outcome.error = opened.error();
  } else {
    const AllocationCounter counter;
    if (auto done = reader_.read(sink, progress); !done) outcome.error = done.error();
    allocations_ += counter.count();
  }
  EXPECT_TRUE(sink.same()) << "something damaged was passed on";
  EXPECT_EQ(sink.finished(), !outcome.error) << outcome.what();
  EXPECT_TRUE(outcome.error || sink.whole()) << "a part was taken for the whole";
  EXPECT_EQ(device.changes(), 0U) << outcome.what();
  EXPECT_LE(allocations_, kThreadAllocations) << outcome.what();
  EXPECT_LE(device.bytes_read(), std::min(shown_bytes, bounds.end_page * bounds.page_bytes))
      << outcome.what();
  EXPECT_LE(device.reads(), bounds.end_page) << outcome.what();
  if (outcome.error) {
    EXPECT_EQ(outcome.error->object.view(), disk.name()) << outcome.what();
    // A mark may lead to the very offset that stands for none; the detail names it.
    EXPECT_TRUE(outcome.error->offset != Error::kNoOffset || to_bytes(header_at) == Error::kNoOffset)
        << outcome.what();
    EXPECT_FALSE(outcome.error->detail.empty()) << outcome.what();
    EXPECT_LT(outcome.error->detail.view().size(), 320U) << "cut: " << outcome.what();
  }
  return outcome;
}

void expect_damage(const Outcome& outcome) {
  ASSERT_TRUE(outcome.error) << "it was read without an error";
  const std::string what = outcome.what();
  EXPECT_TRUE(outcome.error->code == Errc::kCorrupt || outcome.error->code == Errc::kWrongKey) << what;
  EXPECT_EQ(exit_code(outcome.error->code), 3) << what;
  if (!outcome.opened || outcome.error->operation == "check closing record") return;
  EXPECT_TRUE((contains(what, "chunk ") && contains(what, " (pages ")) ||
              contains(what, "the closing record") || contains(what, "behind the image's end"))
      << what;
}

Tally::~Tally() {
  if (tried() == 0) return;
  std::printf("%s: %llu damages tried, %llu refused, %llu harmless\n", what_.c_str(),
              static_cast<unsigned long long>(tried()), static_cast<unsigned long long>(refused_),
              static_cast<unsigned long long>(harmless_));
}

}  // namespace dormouse::test

#include "support/cut_disk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "support/page_patterns.h"

namespace dormouse::test {
namespace {

/// One draw for one place, the same whoever asks first.
std::uint64_t draw(std::uint64_t seed, std::uint64_t place) {
  return SeededRandom(seed ^ (place * 0xd6e8feb86659fd93U)).next();
}

/// By seed few, half or most of the places.
bool drawn(std::uint64_t seed, std::uint64_t place) {
  constexpr std::uint64_t kShareOf16[] = {2, 8, 14};
  return draw(seed, place) % 16 < kShareOf16[seed % 3];
}

}  // namespace

bool Arrival::has(std::size_t a_write, std::size_t a_sector) const {
  switch (kind) {
    case Kind::kNothing:
      return false;
    case Kind::kEverything:
      return true;
    case Kind::kWriteOnly:
      return a_write == write;
    case Kind::kWriteMissing:
      return a_write != write;
    case Kind::kHeadOnly:
      return a_write == write && a_sector < sector;
    case Kind::kTailOnly:
      return a_write == write && a_sector >= sector;
    case Kind::kTailMissing:
      return a_write != write || a_sector < sector;
    case Kind::kSeededWrites:
      return drawn(seed, a_write);
    case Kind::kSeededSectors:
      return drawn(seed, (a_write << 16) + a_sector);
    case Kind::kTheseSectors:
      return (seed >> a_sector & 1) != 0;
  }
  return false;
}

std::string Arrival::text() const {
  constexpr std::string_view kNames[] = {"nothing arrived",        "everything arrived",
                                         "only one write arrived", "one write was lost",
                                         "only one head arrived",  "only one tail arrived",
                                         "one tail was lost",      "seeded writes arrived",
                                         "seeded sectors arrived", "the sectors of the seed's bits arrived"};
  return fmt::format("{} (unflushed write {}, sector {}, seed {})", kNames[std::to_underlying(kind)], write,
                     sector, seed);
}

CutDisk::CutDisk(const MemoryBlockDevice& before, ByteRange watched)
    : watched_range_(watched), durable_(before.clone()), now_(before.clone()), watched_(watched.length) {}

template <class Visit>
void CutDisk::for_each_arrived(const Unflushed& write, std::size_t index, Visit visit) const {
  for (std::size_t sector = 0; sector < write.sectors(); ++sector) {
    if (write.history[sector] || !arrival_.has(index, sector)) continue;
    visit(write.call->offset + sector * kSectorBytes,
          std::span(write.call->data).subspan(sector * kSectorBytes, kSectorBytes));
  }
}

void CutDisk::take(const LoggedCall& call) {
  take_back();
  if (call.kind == LoggedCall::Kind::kWrite) {
    unflushed_.push_back({.call = &call, .history = std::vector<bool>(call.data.size() / kSectorBytes)});
  }
  if (call.kind == LoggedCall::Kind::kFlush && call.succeeded && !call.forgotten) {
    const auto is_flushed = [&](const Unflushed& write) {
      return write.call->handle == call.handle && write.call->succeeded;
    };
    for (std::size_t i = 0; i < unflushed_.size(); ++i) {
      if (is_flushed(unflushed_[i])) make_durable(i);
    }
    std::erase_if(unflushed_, is_flushed);
  }
  on_watched_.clear();
  for (std::size_t i = 0; i < unflushed_.size(); ++i) {
    const LoggedCall& write = *unflushed_[i].call;
    const std::uint64_t start = to_bytes(watched_range_.start);
    if (write.offset < start + watched_range_.length && write.end() > start) on_watched_.push_back(i);
  }
}

void CutDisk::make_durable(std::size_t index) {
  const Unflushed& flushed = unflushed_[index];
  const LoggedCall& call = *flushed.call;
  for (std::size_t sector = 0; sector < flushed.sectors(); ++sector) {
    if (flushed.history[sector]) continue;
    const std::uint64_t at = call.offset + sector * kSectorBytes;
    const std::byte* bytes = call.data.data() + sector * kSectorBytes;
    std::memcpy(durable_.mutable_bytes(at, kSectorBytes).data(), bytes, kSectorBytes);
    std::memcpy(now_.mutable_bytes(at, kSectorBytes).data(), bytes, kSectorBytes);
  }
  for (std::size_t i = 0; i < index; ++i) {
    Unflushed& earlier = unflushed_[i];
    const std::uint64_t from = std::max(earlier.call->offset, call.offset);
    const std::uint64_t to = std::min(earlier.call->end(), call.end());
    for (std::uint64_t at = from; at < to; at += kSectorBytes) {
      earlier.history[(at - earlier.call->offset) / kSectorBytes] = true;
    }
  }
  durable_digest_.reset();
}

std::vector<Arrival> CutDisk::arrivals(const ArrivalPlan& plan, std::uint64_t seed) const {
  using Kind = Arrival::Kind;
  std::vector<Arrival> all{{.kind = Kind::kNothing}};
  const std::size_t count = unflushed_.size();
  if (count == 0) return all;
  if (count == 1 && unflushed_.front().sectors() <= kMinPageBytes / kSectorBytes) {
    const std::uint64_t ways = std::uint64_t{1} << unflushed_.front().sectors();
    for (std::uint64_t sectors = 1; sectors < ways; ++sectors)
      all.push_back({.kind = Kind::kTheseSectors, .seed = sectors});
    return all;
  }
  all.push_back({.kind = Kind::kEverything});

  SeededRandom random(seed);
  std::vector<std::size_t> singles;
  for (std::size_t i = 0; i < std::min(count, plan.single_writes); ++i) {
    const bool newest = count <= plan.single_writes || i < plan.single_writes / 4;
    singles.push_back(newest ? count - 1 - i : random.below(count));
  }
  for (const std::size_t i : singles) {
    if (count > 1) {
      all.push_back({.kind = Kind::kWriteOnly, .write = i});
      all.push_back({.kind = Kind::kWriteMissing, .write = i});
    }
    const std::size_t sectors = unflushed_[i].sectors();
    const bool every = count <= plan.every_tear && sectors <= plan.every_tear;
    const std::size_t tears = every ? sectors - 1 : std::min<std::size_t>(2, sectors - 1);
    for (std::size_t tear = 0; tear < tears; ++tear) {
      const std::size_t sector = 1 + (every ? tear : random.below(sectors - 1));
      all.push_back({.kind = Kind::kTailOnly, .write = i, .sector = sector});
      all.push_back({.kind = Kind::kTailMissing, .write = i, .sector = sector});
      if (count > 1) all.push_back({.kind = Kind::kHeadOnly, .write = i, .sector = sector});
    }
  }
  for (std::size_t i = 0; i < plan.seeded; ++i) {
    if (count > 2) all.push_back({.kind = Kind::kSeededWrites, .seed = random.next()});
    all.push_back({.kind = Kind::kSeededSectors, .seed = random.next()});
  }
  return all;
}

void CutDisk::take_back() {
  for (const std::uint64_t at : changed_) {
    std::memcpy(now_.mutable_bytes(at, kSectorBytes).data(), durable_.bytes().data() + at, kSectorBytes);
  }
  changed_.clear();
  arrival_ = {};
  built_ = false;
}

void CutDisk::choose(const Arrival& arrival) {
  take_back();
  arrival_ = arrival;
}

std::span<const std::byte> CutDisk::watched() {
  const std::uint64_t start = to_bytes(watched_range_.start);
  const auto durable = durable_.bytes().subspan(start, watched_range_.length);
  if (on_watched_.empty()) return durable;
  std::ranges::copy(durable, watched_.begin());
  for (const std::size_t i : on_watched_) {
    for_each_arrived(unflushed_[i], i, [&](std::uint64_t at, std::span<const std::byte> bytes) {
      if (at < start || at >= start + watched_range_.length) return;
      std::memcpy(watched_.data() + (at - start), bytes.data(), bytes.size());
    });
  }
  return watched_;
}

MemoryBlockDevice& CutDisk::medium() {
  if (built_) return now_;
  for (std::size_t i = 0; i < unflushed_.size(); ++i) {
    for_each_arrived(unflushed_[i], i, [&](std::uint64_t at, std::span<const std::byte> bytes) {
      std::memcpy(now_.mutable_bytes(at, bytes.size()).data(), bytes.data(), bytes.size());
      changed_.push_back(at);
    });
  }
  built_ = true;
  return now_;
}

Digest CutDisk::digest() {
  if (!durable_digest_) {
    DigestState whole;
    whole.update(durable_.bytes());
    durable_digest_ = whole.value();
  }
  const auto now = medium().bytes();
  std::ranges::sort(changed_);
  const auto repeated = std::ranges::unique(changed_);
  changed_.erase(repeated.begin(), repeated.end());
  DigestState state;
  state.update(*durable_digest_);
  for (const std::uint64_t at : changed_) {
    const auto bytes = now.subspan(at, kSectorBytes);
    if (std::ranges::equal(bytes, durable_.bytes().subspan(at, kSectorBytes))) continue;
    state.update(std::as_bytes(std::span(&at, 1)));
    state.update(bytes);
  }
  return state.value();
}

}  // namespace dormouse::test

/// A disk that loses its power: every state in which the writes that were not flushed may leave it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/checksum.h"
#include "io/memory_block_device.h"
#include "support/write_log.h"

namespace dormouse::test {

/// What a disk promises to write whole or not at all.
inline constexpr std::size_t kSectorBytes = 512;

/// Which sectors of the unflushed writes have arrived. Writes are counted in the order in which they were
/// made.
struct Arrival {
  enum class Kind : std::uint8_t {
    kNothing,
    kEverything,
    kWriteOnly,      ///< one write, and no other
    kWriteMissing,   ///< every write but one
    kHeadOnly,       ///< of one write the sectors before `sector`, and no other write
    kTailOnly,       ///< of one write the sectors from `sector` on, and no other write
    kTailMissing,    ///< everything but that
    kSeededWrites,   ///< each write or not, by seed
    kSeededSectors,  ///< each sector of each write or not, by seed
    kTheseSectors,   ///< of the only write: sector n if bit n of the seed is set
  };
  Kind kind = Kind::kNothing;
  std::size_t write = 0;
  std::size_t sector = 0;
  std::uint64_t seed = 0;

  [[nodiscard]] bool has(std::size_t a_write, std::size_t a_sector) const;
  /// For messages of tests.
  [[nodiscard]] std::string text() const;
};

/// How much is tried at one instant. A single unflushed page arrives in each of the 256 ways that there are.
struct ArrivalPlan {
  std::size_t single_writes = 32;  ///< up to so many unflushed writes each is tried alone; else the newest
                                   ///< and seeded others
  std::size_t every_tear = 8;      ///< up to so many of them each is torn at each of its sectors; else at two
  std::size_t seeded = 12;         ///< subsets of whole writes, and as many of sectors
};

/// Replays a log: take() call after call, choose() what arrived, look. Of two writes to one sector the later
/// one wins if both arrive; once it has been flushed the earlier one is history. A failed write may arrive
/// whatever is flushed after it.
class CutDisk {
 public:
  /// The calls that are taken must outlive this. `watched`: what is looked at in every state: cheap.
  CutDisk(const MemoryBlockDevice& before, ByteRange watched);

  void take(const LoggedCall& call);
  [[nodiscard]] std::size_t unflushed() const { return unflushed_.size(); }
  /// What is worth a try at this instant; the seed makes it the same every time.
  [[nodiscard]] std::vector<Arrival> arrivals(const ArrivalPlan& plan, std::uint64_t seed) const;

  /// Loses power. What follows looks at what is left then, until the next call of choose() or take().
  void choose(const Arrival& arrival);
  [[nodiscard]] std::span<const std::byte> watched();
  [[nodiscard]] MemoryBlockDevice& medium();
  /// Two media with the same digest are the same; not the other way round.
  [[nodiscard]] Digest digest();

 private:
  struct Unflushed {
    const LoggedCall* call;
    std::vector<bool> history;  // by sector: a later write to it is durable
    [[nodiscard]] std::size_t sectors() const { return history.size(); }
  };
  void make_durable(std::size_t index);
  void take_back();
  /// Calls visit(offset, bytes) for every sector of an unflushed write that arrived, in the order of the
  /// writes.
  template <class Visit>
  void for_each_arrived(const Unflushed& write, std::size_t index, Visit visit) const;

  ByteRange watched_range_;
  MemoryBlockDevice durable_;
  MemoryBlockDevice now_;  // as durable_, but for the sectors of `changed_`
  std::vector<std::uint64_t> changed_;
  std::vector<Unflushed> unflushed_;
  std::vector<std::size_t> on_watched_;  // those of unflushed_ that lie there
  std::vector<std::byte> watched_;
  std::optional<Digest> durable_digest_;
  Arrival arrival_;
  bool built_ = false;
};

}  // namespace dormouse::test

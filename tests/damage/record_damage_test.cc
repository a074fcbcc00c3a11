/// Every field of every record of an image, damaged in every way, with checksums that tell and with checksums
/// that fit.
#include "format/record_damage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "damage/format_tables.h"
#include "damage/judge.h"
#include "damage/victim.h"
#include "support/stride.h"

namespace dormouse::test {
namespace {

std::vector<Field> fields_of(RecordKind kind) {
  switch (kind) {
    case RecordKind::kImageHeader: {
      auto fields = format_fields("## 6. Image header", 4096);
      // The slots as one field would be damaged in a few places only.
      for (const Field& field : format_fields("### 12.5 Key slot", 4096)) {
        for (const std::size_t slot : {0U, 1U, 7U})
          fields.push_back(
              {.name = "slots: " + field.name, .at = 592 + 256 * slot + field.at, .size = field.size});
      }
      return fields;
    }
    case RecordKind::kNote:
      return format_fields("### 6.1 Resume note", 4096);
    case RecordKind::kMapHeader:
      return format_fields("## 7. Swap map page", 4096);
    case RecordKind::kChunk:
      return format_fields("### 7.1 Chunk header", 4096);
    case RecordKind::kExtent:
      return {{.name = "extent", .at = 0, .size = 8}};
    case RecordKind::kExtents:
      return format_fields("### 7.3 Extents record", 4096);
    case RecordKind::kClosing:
      return format_fields("### 7.4 Closing record", 4096);
  }
  return {};
}

TEST(FormatTables, CoverEveryByteOfEveryRecord) {
  const std::map<RecordKind, std::size_t> sizes = {
      {RecordKind::kImageHeader, 3584}, {RecordKind::kNote, 512},  {RecordKind::kMapHeader, 64},
      {RecordKind::kChunk, 48},         {RecordKind::kExtents, 8}, {RecordKind::kClosing, 64}};
  for (const auto& [kind, size] : sizes) {
    std::size_t at = 0;
    for (const Field& field : fields_of(kind)) {
      if (field.name.starts_with("slots: ")) continue;
      EXPECT_EQ(field.at, at) << record_name(kind) << ": a gap or an overlap before " << field.name;
      at = field.at + field.size;
    }
    EXPECT_EQ(at, size) << record_name(kind);
  }
  std::size_t at = 0;
  for (const Field& field : format_fields("### 12.5 Key slot", 4096)) {
    EXPECT_EQ(field.at, at) << "key slot: a gap or an overlap before " << field.name;
    at = field.at + field.size;
  }
  EXPECT_EQ(at, 256U);
}

/// What a reader has to make of a field that is wrong although all checksums fit.
enum class Verdict : std::uint8_t { kDamage, kForeign, kHarmless, kEither };

/// FORMAT.md calls these informational, says that no reader depends on them, or that a reader ignores them.
const std::set<std::string> kInformational = {
    "features_optional", "codec",     "io",    "level",     "early_writeout_millionths", "threads",
    "size_cap_bytes",    "ram_bytes", "write", "area_uuid", "created_unix_seconds",      "architecture",
    "kernel_release",    "host",      "writer"};

/// Eight records that name known codecs and count as many chunks as before: who packed what is only for
/// reports.
bool counts_fit(std::span<const std::byte> value, std::uint64_t chunks) {
  std::uint64_t counted = 0;
  for (std::size_t at = 0; at < value.size(); at += 16) {
    const auto record = value.subspan(at, 16);
    if (record[0] > std::byte{3} || (record[1] | record[2] | record[3]) != std::byte{0}) return false;
    const std::uint64_t more = get_integer(record, 8, 8);
    if (more > chunks - counted) return false;
    counted += more;
  }
  return counted == chunks;
}

Verdict verdict_on(RecordKind kind, const Field& field, std::span<const std::byte> value,
                   std::uint64_t chunks, bool sealed) {
  if (kind == RecordKind::kNote) return Verdict::kHarmless;  // another note, or none
  if (kind != RecordKind::kImageHeader) return Verdict::kDamage;
  if (field.name == "magic") return Verdict::kForeign;  // nothing says any more that it was ours
  // One slot opens the image; another may hold a way for somebody else, and only has to make sense.
  if (sealed && field.name.starts_with("slots")) return Verdict::kEither;
  if (field.name == "platform") return value[0] <= std::byte{1} ? Verdict::kHarmless : Verdict::kDamage;
  if (field.name == "codecs") return counts_fit(value, chunks) ? Verdict::kHarmless : Verdict::kDamage;
  if (field.name == "original_tail") {
    const auto signature = value.subspan(18);
    return std::memcmp(signature.data(), "SWAPSPACE2", 10) == 0 ? Verdict::kHarmless : Verdict::kDamage;
  }
  return kInformational.contains(field.name) ? Verdict::kHarmless : Verdict::kDamage;
}

class RecordDamage : public ::testing::TestWithParam<VictimShape> {
 protected:
  RecordDamage()
      : victim_(GetParam()),
        judge_(GetParam().chunk_pages * GetParam().page_bytes, victim_.stream(), victim_key()) {}

  Outcome attempt() { return judge_.read(victim_.disk(), victim_.header_at(), victim_.bounds()); }

  /// Of a long map those that begin or end a map page, and those right beside.
  std::vector<RecordPlace> chosen(RecordKind kind) {
    if (GetParam().only_map && (kind == RecordKind::kImageHeader || kind == RecordKind::kNote)) return {};
    if (GetParam().every_record || kind == RecordKind::kMapHeader) return victim_.records(kind);
    const auto& all = victim_.records();
    std::vector<RecordPlace> found;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto is_edge = [&](std::size_t at) {
        return at == 0 || at + 1 >= all.size() || all[at].kind == RecordKind::kMapHeader;
      };
      if (all[i].kind == kind && (is_edge(i) || is_edge(i - 1) || is_edge(i - 2) || is_edge(i + 1)))
        found.push_back(all[i]);
    }
    return found;
  }

  void each_damage(RecordKind kind,
                   const std::function<void(const RecordPlace&, const Field&, const FieldDamage&)>& with) {
    std::size_t number = 0;
    for (const RecordPlace& record : chosen(kind)) {
      const auto bytes = victim_.disk().bytes().subspan(record.at, record.bytes);
      const std::vector<std::byte> sound(bytes.begin(), bytes.end());
      for (const Field& field : fields_of(kind)) {
        for (const FieldDamage& damage : field_damages(sound, field)) {
          if (number++ % stride(5) != 0) continue;
          SCOPED_TRACE(fmt::format("{} at byte {}, {}", record_name(kind), record.at, damage.what));
          std::ranges::copy(damage.bytes, victim_.change(record.at + field.at, field.size).begin());
          with(record, field, damage);
          victim_.restore();
          if (HasFatalFailure()) return;
        }
      }
    }
    ASSERT_TRUE(victim_.is_restored()) << "a reader wrote to the disk";
    EXPECT_FALSE(attempt().error) << "the damage was undone";
  }

  /// Which bytes the map page describes, and that they are said to be lost.
  void expect_map_page_lost(const Outcome& outcome, std::uint64_t at) {
    const RecordPlace page = victim_.map_page_of(at);
    EXPECT_EQ(outcome.error->offset, page.at) << outcome.what();
    const std::string lost =
        page.chunk == victim_.chunks()
            ? "lost is the closing record"
            : fmt::format("lost is the map from chunk {} on (pages {} to {} of the image)", page.chunk,
                          victim_.first_page_of(page.chunk), victim_.shape().image_pages - 1);
    EXPECT_NE(outcome.what().find(lost), std::string::npos) << outcome.what();
  }

  Victim victim_;
  Judge judge_;
};

TEST_P(RecordDamage, AsItIsIsFoundByAChecksum) {
  for (const RecordKind kind : kAllKinds) {
    Tally tally(fmt::format("{}, {} as it is", GetParam().name, record_name(kind)));
    each_damage(kind, [&](const RecordPlace& record, const Field&, const FieldDamage&) {
      const Outcome outcome = attempt();
      tally.add(outcome);
      if (kind == RecordKind::kNote) {
        EXPECT_FALSE(outcome.error) << "the note is no part of the image: " << outcome.what();
        return;
      }
      expect_damage(outcome);
      if (!outcome.error) return;
      if (kind != RecordKind::kImageHeader) return expect_map_page_lost(outcome, record.at);
      EXPECT_FALSE(outcome.opened);
      EXPECT_EQ(outcome.error->operation, "check image header");
      EXPECT_EQ(outcome.error->offset, to_bytes(victim_.header_at()));
    });
  }
}

TEST_P(RecordDamage, BehindChecksumsThatFitIsFoundByItsMeaning) {
  for (const RecordKind kind : kAllKinds) {
    Tally tally(fmt::format("{}, {} resealed", GetParam().name, record_name(kind)));
    each_damage(kind, [&](const RecordPlace& record, const Field& field, const FieldDamage& damage) {
      if (field.name == "checksum") return;  // it would be made right again
      victim_.reseal(record.at + field.at, field.size);
      const Outcome outcome = attempt();
      tally.add(outcome);
      switch (verdict_on(kind, field, damage.bytes, victim_.chunks(), GetParam().sealed)) {
        case Verdict::kEither:
          if (outcome.error) expect_damage(outcome);
          return;
        case Verdict::kHarmless:
          EXPECT_FALSE(outcome.error) << outcome.what();
          return;
        case Verdict::kForeign:
          ASSERT_TRUE(outcome.error);
          EXPECT_EQ(outcome.error->code, Errc::kNoImage) << outcome.what();
          EXPECT_EQ(outcome.error->offset, to_bytes(victim_.header_at()));
          return;
        case Verdict::kDamage:
          break;
      }
      expect_damage(outcome);
      if (!outcome.error) return;
      if (kind == RecordKind::kChunk || kind == RecordKind::kExtent || kind == RecordKind::kExtents) {
        const std::string chunk = fmt::format("chunk {} ", record.chunk);
        const std::string pages = fmt::format("(pages {} to ", victim_.first_page_of(record.chunk));
        const std::string what = outcome.what();
        EXPECT_TRUE(what.find(chunk) != std::string::npos && what.find(pages) != std::string::npos) << what;
      }
    });
  }
}

/// Several at once, anywhere, resealed: whatever comes of it, it is refused with words or is the same stream.
TEST_P(RecordDamage, InSeveralPlacesAtOnceIsRefusedOrHarmless) {
  const auto kRounds = static_cast<int>((GetParam().every_record ? 3000U : 1000U) / stride(3));
  Tally tally(GetParam().name + ", 2 to 4 fields at once, resealed");
  SeededRandom random(2006);
  std::map<RecordKind, std::vector<Field>> fields;
  for (const RecordKind kind : kAllKinds) fields[kind] = fields_of(kind);
  for (int round = 0; round < kRounds; ++round) {
    std::string trace = fmt::format("round {}", round);
    for (std::uint64_t count = 2 + random.below(3); count > 0; --count) {
      const auto kind = kAllKinds[random.below(std::size(kAllKinds))];
      const auto records = victim_.records(kind);
      if (records.empty()) continue;
      const RecordPlace& record = records[random.below(records.size())];
      const Field& field = fields[kind][random.below(fields[kind].size())];
      const auto damages = field_damages(victim_.disk().bytes().subspan(record.at, record.bytes), field);
      if (damages.empty()) continue;
      const FieldDamage& damage = damages[random.below(damages.size())];
      std::ranges::copy(damage.bytes, victim_.change(record.at + field.at, field.size).begin());
      trace += fmt::format("; {} at {}: {}", record_name(kind), record.at, damage.what);
    }
    SCOPED_TRACE(trace);
    victim_.reseal();
    const Outcome outcome = attempt();
    tally.add(outcome);
    if (outcome.error && outcome.error->code != Errc::kNoImage) expect_damage(outcome);
    victim_.restore();
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(tally.refused(), tally.tried() / 2);
}

INSTANTIATE_TEST_SUITE_P(Shapes, RecordDamage, ::testing::ValuesIn(victim_shapes()),
                         [](const auto& shape) { return shape.param.name; });

TEST(Victim, LongMapHasEveryKindOfRecord) {
  Victim victim(victim_shape("long_map"));
  EXPECT_GE(victim.records(RecordKind::kMapHeader).size(), 3U);
  for (const RecordKind kind : kAllKinds) EXPECT_FALSE(victim.records(kind).empty()) << record_name(kind);
  std::set<std::byte> codecs;
  for (const RecordPlace& chunk : victim.records(RecordKind::kChunk))
    codecs.insert(victim.disk().bytes()[chunk.at + 4]);
  EXPECT_EQ(codecs.size(), 4U);
}

}  // namespace
}  // namespace dormouse::test

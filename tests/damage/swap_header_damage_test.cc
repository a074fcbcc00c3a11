/// Every field of the swap header, damaged in every way: a usable area within its device, or a refusal with
/// words.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "dormouse/swap_area.h"

#include "damage/counting_device.h"
#include "damage/format_tables.h"
#include "damage/judge.h"
#include "damage/victim.h"
#include "format/record_damage.h"
#include "swap/swap_disk.h"

namespace dormouse::test {
namespace {

constexpr std::string_view kTable = "## 5. Swap header and mark";

/// Is the header usable by FORMAT.md, section 5? Written from the text alone. The area begins with its
/// device.
bool is_usable(std::span<const std::byte> device, std::uint32_t page_bytes) {
  const auto number = [&](std::size_t at) { return get_integer(device, at, 4); };
  const auto text_at = [&](std::size_t at, std::string_view text) {
    return std::memcmp(device.data() + at, text.data(), text.size()) == 0;
  };
  bool known = false;
  for (const std::string_view s : {"SWAPSPACE2", "ULSUSPEND", "S1SUSPEND", "S2SUSPEND", "LINHIB0001"})
    known = known || text_at(page_bytes - 10, s);
  if (!known || number(1024) != 1) return false;
  const std::uint64_t last = number(1028);
  if (last == 0 || last >= device.size() / page_bytes) return false;
  const std::uint64_t bad = number(1032);
  if (bad > (page_bytes - 28 - 1536) / 4) return false;
  for (std::uint64_t i = 0; i < bad; ++i) {
    const std::uint64_t entry = number(1536 + 4 * i);
    if (entry == 0 || entry > last) return false;
  }
  return true;
}

/// Opens the area and holds the call to what must be true of it.
Result<SwapArea> open_area(MemoryBlockDevice& disk) {
  CountingDevice device(disk);
  auto area = SwapArea::open(device, DeviceOffset{0});
  EXPECT_EQ(device.changes(), 0U);
  EXPECT_LE(device.reads(), 1U);
  EXPECT_LE(device.bytes_read(), kMaxPageBytes);
  if (area) return SwapArea::open(disk, DeviceOffset{0});  // one that outlives the counter
  EXPECT_EQ(area.error().code, Errc::kImpossible) << area.error().what();
  EXPECT_EQ(area.error().object.view(), "disk");
  EXPECT_EQ(area.error().offset, 0U);
  EXPECT_NE(area.error().what().find("swap"), std::string::npos) << area.error().what();
  EXPECT_FALSE(area.error().detail.empty());
  return area;
}

std::vector<Field> swap_fields(std::uint32_t page_bytes) {
  auto fields = format_fields(kTable, page_bytes);
  const std::size_t room = (page_bytes - 28 - 1536) / 4;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{2}, room - 1})
    fields.push_back({.name = fmt::format("bad_page_list[{}]", i), .at = 1536 + 4 * i, .size = 4});
  fields.push_back({.name = "boot bits", .at = 0, .size = 1024});
  fields.push_back({.name = "label", .at = 1052, .size = 16});
  return fields;
}

TEST(SwapHeaderDamage, TheTableNamesWhatAMarkChanges) {
  std::size_t at = 4096 - 28;
  for (const Field& field : format_fields(kTable, 4096)) {
    if (field.at < 4096 - 28) continue;
    EXPECT_EQ(field.at, at) << field.name;
    at += field.size;
  }
  EXPECT_EQ(at, 4096U);
}

class SwapHeaderDamage : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  /// Calls `each` for every damage of every field, with the damaged disk.
  void each_damage(MemoryBlockDevice& disk, const std::function<void(const Field&)>& each) {
    const auto page = disk.bytes().first(GetParam());
    const std::vector<std::byte> sound(page.begin(), page.end());
    for (const Field& field : swap_fields(GetParam())) {
      for (const FieldDamage& damage : field_damages(sound, field)) {
        SCOPED_TRACE(damage.what);
        std::ranges::copy(damage.bytes, disk.mutable_bytes(field.at, field.size).begin());
        const std::vector<std::byte> before(page.begin(), page.end());
        each(field);
        EXPECT_TRUE(std::ranges::equal(page, before)) << "the swap header was written to";
        std::ranges::copy(sound, disk.mutable_bytes(0, sound.size()).begin());
      }
    }
  }
};

TEST_P(SwapHeaderDamage, GivesAUsableAreaOrARefusalWithWords) {
  const std::uint32_t room = (GetParam() - 28 - 1536) / 4;
  std::vector<std::uint32_t> full(room);
  for (std::uint32_t i = 0; i < room; ++i) full[i] = 1 + i % 90;
  for (const auto& bad_pages : {std::vector<std::uint32_t>{}, {3, 99, 7}, full}) {
    const SwapShape shape{
        .page_bytes = GetParam(), .last_page = 99, .bad_pages = bad_pages, .spare_pages = 1};
    MemoryBlockDevice disk = make_swap_disk(shape);
    std::uint64_t refused = 0;
    std::uint64_t usable = 0;
    each_damage(disk, [&](const Field&) {
      const auto area = open_area(disk);
      ASSERT_EQ(area.has_value(), is_usable(disk.bytes(), GetParam())) << (area ? "" : area.error().what());
      ++(area ? usable : refused);
      if (!area) return;
      // Whatever an allocator hands out lies within the device and not on the header.
      const auto allocator = make_free_layout_allocator(*area);
      for (auto extent = allocator->allocate(1000); extent; extent = allocator->allocate(1000)) {
        ASSERT_GT(extent->pages, 0U);
        ASSERT_GE(extent->first_page, 1U);
        ASSERT_LE(extent->end_page(), disk.size_bytes() / GetParam());
      }
    });
    std::printf("swap header, pages of %u, %zu bad: %llu damages tried, %llu refused, %llu harmless\n",
                GetParam(), bad_pages.size(), static_cast<unsigned long long>(refused + usable),
                static_cast<unsigned long long>(refused), static_cast<unsigned long long>(usable));
    EXPECT_GT(refused, 100U);
  }
}

INSTANTIATE_TEST_SUITE_P(PageSizes, SwapHeaderDamage, ::testing::Values(4096U, 16384U, 65536U),
                         [](const auto& size) { return std::to_string(size.param); });

/// The mark of an area with an image: what it says is where to look, and no more than that.
TEST(MarkDamage, LeadsToTheImageOrToARefusal) {
  Victim victim(victim_shape("partition"));
  Judge judge(victim.shape().chunk_pages * 4096, victim.stream());
  MemoryBlockDevice& disk = victim.disk();
  const std::vector<std::byte> sound(disk.bytes().begin(), disk.bytes().begin() + 4096);
  Tally tally("marked swap header");
  for (const Field& field : swap_fields(4096)) {
    for (const FieldDamage& damage : field_damages(sound, field)) {
      SCOPED_TRACE(damage.what);
      std::ranges::copy(damage.bytes, victim.change(field.at, field.size).begin());
      const auto area = open_area(disk);
      ASSERT_EQ(area.has_value(), is_usable(disk.bytes(), 4096));
      if (!area) {
        tally.add({.error = area.error()});
      } else if (area->signature() == SwapSignature::kUserMark) {
        const Outcome outcome = judge.read(
            disk, area->marked_image_header(),
            {.end_page = area->last_page() + 1U, .swap_header_page = 0, .page_bytes = area->page_bytes()});
        tally.add(outcome);
        const bool led_astray = field.name == "image_header_offset";
        if (led_astray) {
          // Within the device there is a page, but none that begins an image: perhaps uswsusp's.
          const std::uint64_t to = to_bytes(area->marked_image_header());
          ASSERT_TRUE(outcome.error);
          EXPECT_EQ(outcome.error->code,
                    to % 4096 == 0 && to < disk.size_bytes() ? Errc::kNoImage : Errc::kCorrupt)
              << outcome.what();
          EXPECT_NE(outcome.what().find(std::to_string(to)), std::string::npos) << outcome.what();
        } else if (outcome.error) {
          EXPECT_EQ(field.name, "last_page") << outcome.what();
          expect_damage(outcome);
        }
      }
      victim.restore();
    }
  }
  EXPECT_TRUE(victim.is_restored());
}

TEST(MarkDamage, AMarkThatKeptNoSignatureIsNotUndoneByGuessing) {
  Victim victim(victim_shape("partition"));
  const Field field{.name = "original_signature", .at = 4096 - 20, .size = 10};
  const std::vector<std::byte> sound(victim.disk().bytes().begin(), victim.disk().bytes().begin() + 4096);
  for (const FieldDamage& damage : field_damages(sound, field)) {
    SCOPED_TRACE(damage.what);
    std::ranges::copy(damage.bytes, victim.change(field.at, field.size).begin());
    CountingDevice device(victim.disk());
    auto area = SwapArea::open(device, DeviceOffset{0});
    ASSERT_TRUE(area) << area.error().what();
    const auto restored = area->restore_signature();
    ASSERT_FALSE(restored);
    EXPECT_EQ(restored.error().code, Errc::kImpossible) << restored.error().what();
    EXPECT_EQ(device.changes(), 0U);
    victim.restore();
  }
}

TEST(SwapHeaderDamage, ADeviceThatEndsAtAnyPageOfTheArea) {
  const SwapShape shape{.last_page = 60};
  MemoryBlockDevice disk = make_swap_disk(shape);
  for (std::uint64_t pages = 1; pages <= 61; ++pages) {
    CountingDevice device(disk, pages * 4096);
    const auto area = SwapArea::open(device, DeviceOffset{0});
    EXPECT_EQ(area.has_value(), pages == 61) << pages;
    if (!area) {
      EXPECT_EQ(area.error().code, Errc::kImpossible);
      EXPECT_NE(area.error().what().find("made for a larger one"), std::string::npos) << area.error().what();
    }
    EXPECT_EQ(device.changes(), 0U);
  }
}

}  // namespace
}  // namespace dormouse::test

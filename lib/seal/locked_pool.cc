#include "seal/locked_pool.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <functional>

namespace dormouse {
namespace {

bool within(std::span<const std::byte> memory, const void* place) {
  const auto* at = static_cast<const std::byte*>(place);
  // std::less orders pointers into different objects, too.
  return !std::less<>{}(at, memory.data()) && std::less<>{}(at, memory.data() + memory.size());
}

std::span<const std::byte> bytes_of(const PrivatePages& pages) {
  return {pages.data, pages.bytes};
}

}  // namespace

LockedPool::~LockedPool() {
  for (const PrivatePages& pages : large_) unmap_private_pages(pages);
}

void* LockedPool::allocate(std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  // Only the lists of what is taken can throw.
  try {
    if (bytes >= kLargeBytes) return allocate_large(bytes);
    const std::size_t units = std::max<std::size_t>(1, (bytes + kUnitBytes - 1) / kUnitBytes);
    auto place = find_room(units);
    if (!place) {
      if (!grow()) return nullptr;
      place = find_room(units);
    }
    if (!place) return nullptr;
    Block& block = blocks_[place->block];
    const auto first = block.units.begin() + static_cast<std::ptrdiff_t>(place->unit);
    std::fill_n(first, units, kInside);
    *first = static_cast<std::uint16_t>(units);
    return block.memory.span().data() + place->unit * kUnitBytes;
  } catch (const std::exception&) {
    return nullptr;
  }
}

bool LockedPool::release(void* piece) noexcept {
  const std::lock_guard lock(mutex_);
  const auto place = place_of(piece);
  if (!place) return release_large(piece);
  Block& block = blocks_[place->block];
  const std::size_t units = block.units[place->unit];
  std::fill_n(block.units.begin() + static_cast<std::ptrdiff_t>(place->unit), units, kFree);
  ::explicit_bzero(block.memory.span().data() + place->unit * kUnitBytes, units * kUnitBytes);
  return true;
}

std::size_t LockedPool::piece_bytes(const void* inside) const noexcept {
  const std::lock_guard lock(mutex_);
  if (const auto place = place_of(inside)) return blocks_[place->block].units[place->unit] * kUnitBytes;
  const auto found = std::ranges::find_if(
      large_, [&](const PrivatePages& pages) { return within(bytes_of(pages), inside); });
  return found == large_.end() ? 0 : found->bytes;
}

Result<void> LockedPool::reserve(std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    if (find_room((bytes + kUnitBytes - 1) / kUnitBytes)) return {};
    return grow();
  } catch (const std::exception&) {
    return fail(Errc::kNoMemory, "allocate memory for keys");
  }
}

Result<void> LockedPool::grow() {
  auto memory = Secret::allocate(kBlockBytes);
  if (!memory) return std::unexpected(memory.error());
  blocks_.push_back({.memory = std::move(*memory), .units = std::vector<std::uint16_t>(kUnits, kFree)});
  return {};
}

/// The first that is long enough.
std::optional<LockedPool::Place> LockedPool::find_room(std::size_t units) const {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    std::size_t run = 0;
    for (std::size_t u = 0; u < kUnits; ++u) {
      run = blocks_[b].units[u] == kFree ? run + 1 : 0;
      if (run == units) return Place{.block = b, .unit = u + 1 - units};
    }
  }
  return std::nullopt;
}

/// Where the piece begins that `piece` points into.
std::optional<LockedPool::Place> LockedPool::place_of(const void* piece) const {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const auto memory = blocks_[b].memory.span();
    if (!within(memory, piece)) continue;
    auto unit = static_cast<std::size_t>(static_cast<const std::byte*>(piece) - memory.data()) / kUnitBytes;
    while (unit > 0 && blocks_[b].units[unit] == kInside) --unit;
    if (blocks_[b].units[unit] == kFree) return std::nullopt;
    return Place{.block = b, .unit = unit};
  }
  return std::nullopt;
}

void* LockedPool::allocate_large(std::size_t bytes) {
  large_.reserve(large_.size() + 1);
  const auto pages = map_private_pages(bytes, PageLock::kIfAllowed);
  if (!pages) return nullptr;
  large_.push_back(*pages);
  return pages->data;
}

bool LockedPool::release_large(const void* piece) {
  const auto found =
      std::ranges::find(large_, piece, [](const PrivatePages& pages) -> const void* { return pages.data; });
  if (found == large_.end()) return false;
  unmap_private_pages(*found);
  large_.erase(found);
  return true;
}

}  // namespace dormouse

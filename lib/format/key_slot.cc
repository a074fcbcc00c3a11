#include "format/key_slot.h"

#include <algorithm>
#include <span>

namespace dormouse {
namespace {

template <class Field>
bool is_zero(const Field& field) {
  return std::ranges::all_of(std::as_bytes(std::span(&field, 1)),
                             [](std::byte b) { return b == std::byte{0}; });
}

bool has_no_cost(const KeySlot& slot) {
  return cost_of(slot) == PassphraseCost{.memory_kib = 0, .passes = 0, .lanes = 0};
}

bool has_no_pair(const KeySlot& slot) {
  return is_zero(slot.public_key) && is_zero(slot.private_nonce) && is_zero(slot.sealed_private) &&
         is_zero(slot.private_tag);
}

}  // namespace

PassphraseCost cost_of(const KeySlot& slot) {
  return {.memory_kib = slot.memory_kib, .passes = slot.passes, .lanes = slot.lanes};
}

std::string_view fault_of(const KeySlot& slot) {
  constexpr std::string_view kCost = "what its passphrase costs is out of range";
  constexpr std::string_view kRest = "fields that it does not use are not zero";
  if (!is_zero(slot.reserved_0) || slot.reserved_1 != 0 || slot.reserved_2 != 0 ||
      !is_zero(slot.reserved_3)) {
    return "reserved fields are not zero";
  }
  switch (static_cast<KeyWay>(slot.way)) {
    case KeyWay::kPassphrase:
      if (!is_payable(cost_of(slot))) return kCost;
      return has_no_pair(slot) ? "" : kRest;
    case KeyWay::kKeyPair:
      return is_payable(cost_of(slot)) ? "" : kCost;
    case KeyWay::kKeyFile:
      return has_no_cost(slot) && has_no_pair(slot) ? "" : kRest;
  }
  return "its way is not known";
}

}  // namespace dormouse

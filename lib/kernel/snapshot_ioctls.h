/// The requests that /dev/snapshot understands, with their numbers nailed down.
/// Source: kernel-facts A.2; <linux/suspend_ioctls.h> is the same on 6.1, 6.12 and 7.2.
#pragma once

// The header uses _IO and its kin without including them.
#include <linux/suspend_ioctls.h>
#include <sys/ioctl.h>

#include <cstdint>
#include <string_view>

namespace dormouse {

static_assert(SNAPSHOT_FREEZE == 0x3301);
static_assert(SNAPSHOT_UNFREEZE == 0x3302);
static_assert(SNAPSHOT_ATOMIC_RESTORE == 0x3304);
static_assert(SNAPSHOT_FREE == 0x3305);
static_assert(SNAPSHOT_FREE_SWAP_PAGES == 0x3309);
static_assert(SNAPSHOT_S2RAM == 0x330B);
static_assert(SNAPSHOT_SET_SWAP_AREA == 0x400C330D);
static_assert(SNAPSHOT_GET_IMAGE_SIZE == 0x8008330E);
static_assert(SNAPSHOT_PLATFORM_SUPPORT == 0x330F);
static_assert(SNAPSHOT_POWER_OFF == 0x3310);
static_assert(SNAPSHOT_CREATE_IMAGE == 0x40043311);
static_assert(SNAPSHOT_PREF_IMAGE_SIZE == 0x3312);
static_assert(SNAPSHOT_AVAIL_SWAP_SIZE == 0x80083313);
static_assert(SNAPSHOT_ALLOC_SWAP_PAGE == 0x80083314);
static_assert(sizeof(resume_swap_area) == 12);

/// "SNAPSHOT_FREEZE" and so on; "SNAPSHOT_?" for a number it does not know.
constexpr std::string_view snapshot_ioctl_name(unsigned long request) {
  switch (request) {
    case SNAPSHOT_FREEZE:
      return "SNAPSHOT_FREEZE";
    case SNAPSHOT_UNFREEZE:
      return "SNAPSHOT_UNFREEZE";
    case SNAPSHOT_ATOMIC_RESTORE:
      return "SNAPSHOT_ATOMIC_RESTORE";
    case SNAPSHOT_FREE:
      return "SNAPSHOT_FREE";
    case SNAPSHOT_FREE_SWAP_PAGES:
      return "SNAPSHOT_FREE_SWAP_PAGES";
    case SNAPSHOT_S2RAM:
      return "SNAPSHOT_S2RAM";
    case SNAPSHOT_SET_SWAP_AREA:
      return "SNAPSHOT_SET_SWAP_AREA";
    case SNAPSHOT_GET_IMAGE_SIZE:
      return "SNAPSHOT_GET_IMAGE_SIZE";
    case SNAPSHOT_PLATFORM_SUPPORT:
      return "SNAPSHOT_PLATFORM_SUPPORT";
    case SNAPSHOT_POWER_OFF:
      return "SNAPSHOT_POWER_OFF";
    case SNAPSHOT_CREATE_IMAGE:
      return "SNAPSHOT_CREATE_IMAGE";
    case SNAPSHOT_PREF_IMAGE_SIZE:
      return "SNAPSHOT_PREF_IMAGE_SIZE";
    case SNAPSHOT_AVAIL_SWAP_SIZE:
      return "SNAPSHOT_AVAIL_SWAP_SIZE";
    case SNAPSHOT_ALLOC_SWAP_PAGE:
      return "SNAPSHOT_ALLOC_SWAP_PAGE";
    default:
      return "SNAPSHOT_?";
  }
}

}  // namespace dormouse

/// The block devices of the machine, as /sys shows them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dormouse/error.h"

#include "kernel/host.h"

namespace dormouse {

struct SysDevice {
  std::string name = {};  ///< of its directory in /sys/class/block: "sda2", "dm-0"
  std::string path = {};  ///< of its node: "/dev/sda2", "/dev/mapper/vg-swap"
  std::uint64_t number = 0;
  std::uint64_t size_bytes = 0;
  std::string disk = {};         ///< name of the disk that this is a partition of; else its own name
  std::string sys_path = {};     ///< with the way to the hardware: ".../usb1/.../block/sda/sda2"
  std::string mapped_name = {};  ///< of the device mapper: "vg-swap"; else empty
  std::string mapped_uuid = {};  ///< "CRYPT-LUKS2-...", "LVM-..."
  std::string part_uuid = {};    ///< where the kernel tells them
  std::string part_label = {};
};

struct SysDevices {
  std::vector<SysDevice> devices = {};    ///< by name
  std::vector<std::string> skipped = {};  ///< what could not be looked at, with the reason
};

/// "/dev/sdb (Input/output error)", for the list of what was skipped.
[[nodiscard]] std::string skipped_text(const std::string& device, const Error& error);

/// All that have a size, without memory disks, zram and floppies. A device that goes away meanwhile is no
/// error.
Result<SysDevices> list_block_devices(const Host& host);

/// The device of this name; kIo where the kernel has none or does not tell.
Result<SysDevice> read_block_device(const std::string& name, const Host& host);

/// Its name in /sys by its number; nullopt where the kernel knows none.
std::optional<std::string> block_device_name(std::uint64_t number, const Host& host);

/// Names of the devices that `name` lies on: the device itself, the disk of a partition, and on through the
/// device mapper and MD.
[[nodiscard]] std::set<std::string> whole_stack(const std::string& name, const Host& host);

/// Of several devices that show the same content those that no other of them lies on: a mirror rather than
/// its halves, a multipath device rather than its paths.
[[nodiscard]] std::vector<SysDevice> uppermost(const std::vector<SysDevice>& devices, const Host& host);

}  // namespace dormouse

#include "area/tag_search.h"

#include <blkid/blkid.h>
#include <fcntl.h>

#include <cerrno>
#include <memory>

#include "base/errno_meaning.h"
#include "base/system_calls.h"

namespace dormouse {
namespace {

constexpr std::string_view kLook = "look for tags";

struct FreeProbe {
  void operator()(blkid_probe probe) const { blkid_free_probe(probe); }
};
using Probe = std::unique_ptr<blkid_struct_probe, FreeProbe>;

std::string value_of(const Probe& probe, const char* name) {
  const char* data = nullptr;
  if (blkid_probe_lookup_value(probe.get(), name, &data, nullptr) != 0 || data == nullptr) return {};
  return data;
}

Result<OpenFile> open_to_look(const SysDevice& device, const Host& host) {
  int fd = 0;
  do {
    // Without waiting for a medium.
    fd = host.calls.open(device.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
  } while (fd == -EINTR);
  if (fd < 0) return fail(code_of(-fd), kLook).on(device.path).os(-fd);
  return OpenFile(host.calls, fd);
}

bool has_tag(const AreaTag& tag, const DeviceTags& tags) {
  switch (tag.kind) {
    case AreaTag::Kind::kUuid:
      return tag.matches(tags.uuid);
    case AreaTag::Kind::kLabel:
      return tag.matches(tags.label);
    case AreaTag::Kind::kPartUuid:
      return tag.matches(tags.part_uuid);
    case AreaTag::Kind::kPartLabel:
      return tag.matches(tags.part_label);
  }
  return false;
}

}  // namespace

Result<DeviceTags> read_tags(const SysDevice& device, bool of_partition, const Host& host) {
  const auto file = open_to_look(device, host);
  if (!file) return std::unexpected(file.error());
  const Probe probe(blkid_new_probe());
  if (!probe) return fail(Errc::kNoMemory, kLook).on(device.path);
  if (blkid_probe_set_device(probe.get(), file->fd(), 0, 0) != 0) {
    return fail(Errc::kIo, kLook).on(device.path).because("libblkid cannot read it");
  }
  blkid_probe_enable_superblocks(probe.get(), 1);
  blkid_probe_set_superblocks_flags(probe.get(), BLKID_SUBLKS_UUID | BLKID_SUBLKS_LABEL | BLKID_SUBLKS_TYPE);
  if (of_partition) {
    blkid_probe_enable_partitions(probe.get(), 1);
    blkid_probe_set_partitions_flags(probe.get(), BLKID_PARTS_ENTRY_DETAILS);
  }
  // 1: nothing known is on it; -2: more than one thing, of which none can be believed.
  const int status = blkid_do_safeprobe(probe.get());
  if (status == -1) return fail(Errc::kIo, kLook).on(device.path).because("it cannot be read");
  DeviceTags tags{.type = value_of(probe, "TYPE"),
                  .uuid = value_of(probe, "UUID"),
                  .label = value_of(probe, "LABEL"),
                  .part_uuid = value_of(probe, "PART_ENTRY_UUID"),
                  .part_label = value_of(probe, "PART_ENTRY_NAME")};
  if (!device.part_uuid.empty()) tags.part_uuid = device.part_uuid;
  if (!device.part_label.empty()) tags.part_label = device.part_label;
  return tags;
}

Result<TagSearch> search_tag(const AreaTag& tag, const Host& host) {
  auto all = list_block_devices(host);
  if (!all) return std::unexpected(all.error());
  TagSearch search{.found = {}, .skipped = std::move(all->skipped)};
  for (const SysDevice& device : all->devices) {
    // What the kernel tells of partitions needs no reading.
    const bool told = tag.kind == AreaTag::Kind::kPartUuid
                          ? tag.matches(device.part_uuid)
                          : tag.kind == AreaTag::Kind::kPartLabel && tag.matches(device.part_label);
    if (told) {
      search.found.push_back(device);
      continue;
    }
    const auto tags = read_tags(device, tag.of_partition(), host);
    if (!tags) {
      // A drive without a medium.
      if (tags.error().errnum != ENOMEDIUM && tags.error().errnum != ENXIO)
        search.skipped.push_back(skipped_text(device.path, tags.error()));
      continue;
    }
    if (has_tag(tag, *tags)) search.found.push_back(device);
  }
  search.found = uppermost(search.found, host);
  return search;
}

}  // namespace dormouse

#include "device_tags.h"

#include <blkid.h>

#include <memory>

namespace dormouse {
namespace {

struct FreeProbe {
  void operator()(blkid_struct_probe* probe) const { blkid_free_probe(probe); }
};
struct DropCache {
  void operator()(blkid_struct_cache* cache) const { blkid_put_cache(cache); }
};
struct EndIteration {
  void operator()(blkid_struct_dev_iterate* iteration) const { blkid_dev_iterate_end(iteration); }
};

std::string value(blkid_probe probe, const char* name) {
  const char* data = nullptr;
  return blkid_probe_lookup_value(probe, name, &data, nullptr) == 0 && data != nullptr ? data : "";
}

}  // namespace

DeviceTags device_tags(const std::string& path) {
  const std::unique_ptr<blkid_struct_probe, FreeProbe> probe(blkid_new_probe_from_filename(path.c_str()));
  if (probe == nullptr) return {};
  blkid_probe_enable_superblocks(probe.get(), 1);
  blkid_probe_set_superblocks_flags(probe.get(), BLKID_SUBLKS_UUID);
  blkid_probe_enable_partitions(probe.get(), 1);
  blkid_probe_set_partitions_flags(probe.get(), BLKID_PARTS_ENTRY_DETAILS);
  // Two file systems on one device: then its UUID would be a guess.
  if (blkid_do_safeprobe(probe.get()) < 0) return {};
  return {.uuid = value(probe.get(), "UUID"), .partuuid = value(probe.get(), "PART_ENTRY_UUID")};
}

bool uuid_is_shared(const std::string& path, const std::string& uuid) {
  blkid_cache raw = nullptr;
  // A cache of this call alone: the one in /run may be of yesterday.
  if (blkid_get_cache(&raw, "/dev/null") != 0) return false;
  const std::unique_ptr<blkid_struct_cache, DropCache> cache(raw);
  if (blkid_probe_all(cache.get()) != 0) return false;
  const std::unique_ptr<blkid_struct_dev_iterate, EndIteration> devices(blkid_dev_iterate_begin(cache.get()));
  blkid_dev_set_search(devices.get(), "UUID", uuid.c_str());
  for (blkid_dev device = nullptr; blkid_dev_next(devices.get(), &device) == 0;) {
    if (path != blkid_dev_devname(device)) return true;
  }
  return false;
}

}  // namespace dormouse

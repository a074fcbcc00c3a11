#include "dormouse/files.h"

#include "io/file_page_sink.h"
#include "io/file_page_source.h"
#include "io/posix_block_device.h"

namespace dormouse {
namespace {

// Result<unique_ptr<Derived>> as Result<unique_ptr<Base>>.
template <class Base, class Derived>
Result<std::unique_ptr<Base>> as_seam(Result<std::unique_ptr<Derived>> made) {
  if (!made) return std::unexpected(made.error());
  return std::unique_ptr<Base>(std::move(*made));
}

}  // namespace

Result<std::unique_ptr<BlockDevice>> open_storage(const std::string& path, IoMode io) {
  return as_seam<BlockDevice>(PosixBlockDevice::open(path, {.io = io}));
}

Result<std::unique_ptr<PageSource>> open_snapshot_file(const std::string& path, std::uint32_t page_bytes) {
  return as_seam<PageSource>(FilePageSource::open(path, page_bytes));
}

Result<std::unique_ptr<PageSink>> create_snapshot_file(const std::string& path) {
  return as_seam<PageSink>(FilePageSink::open(path));
}

}  // namespace dormouse

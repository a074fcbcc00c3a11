#include "image/seal_records.h"

namespace dormouse {
namespace {

Nonce nonce_of(const ChunkHeader& header) {
  return make_nonce(NonceUse::kChunk, header.number);
}

}  // namespace

Result<void> seal_chunk(Aead& aead, const ImageId& id, ChunkHeader& header, std::span<std::byte> stored) {
  ChunkTag tag{};
  if (auto r = aead.seal(nonce_of(header), associated_data(id, header), stored, stored, tag); !r) return r;
  put_tag(header, tag);
  return {};
}

Result<void> open_chunk(Aead& aead, const ImageId& id, const ChunkHeader& header,
                        std::span<std::byte> stored) {
  return aead.open(nonce_of(header), associated_data(id, header), stored, stored, get_tag(header));
}

Result<void> seal_header(Aead& aead, ImageHeader& header) {
  const ImageHeader plain = header.without_tag();
  return aead.seal(make_nonce(NonceUse::kHeader, 0), std::as_bytes(std::span(&plain, 1)), {}, {},
                   header.header_tag);
}

Result<void> check_sealed_header(Aead& aead, const ImageHeader& header) {
  const ImageHeader plain = header.without_tag();
  return aead.open(make_nonce(NonceUse::kHeader, 0), std::as_bytes(std::span(&plain, 1)), {}, {},
                   header.header_tag);
}

}  // namespace dormouse

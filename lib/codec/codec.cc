/// The factory: the only place that knows all codecs.
#include "dormouse/codec.h"

#include "dormouse/image_options.h"

#include "base/codec_spec.h"
#include "codec/lz4_codec.h"
#include "codec/lzf_codec.h"
#include "codec/stored_codec.h"
#include "codec/zstd_codec.h"

namespace dormouse {
namespace {

Result<void> check_chunk_bytes(std::size_t chunk_bytes) {
  if (chunk_bytes > 0 && chunk_bytes <= kMaxChunkBytes) return {};
  return fail(Errc::kUsage, "make codec")
      .because("chunks have 1 to {} bytes, not {}", kMaxChunkBytes, chunk_bytes);
}

}  // namespace

Result<std::unique_ptr<Codec>> make_codec(CodecSpec spec, std::size_t chunk_bytes) {
  if (auto r = check_codec(spec); !r) return std::unexpected(r.error());
  if (auto r = check_chunk_bytes(chunk_bytes); !r) return std::unexpected(r.error());
  switch (spec.id) {
    case CodecId::kStored:
      return std::make_unique<StoredCodec>();
    case CodecId::kLzf:
      return std::make_unique<LzfCodec>(LzfCodec::Use::kBoth);
    case CodecId::kLz4:
      return Lz4Codec::make(spec.level);
    case CodecId::kZstd:
      return ZstdCodec::make(spec.level, chunk_bytes);
  }
  return fail(Errc::kUsage, "make codec");
}

Result<std::unique_ptr<Codec>> make_unpacker(CodecId id, std::size_t chunk_bytes) {
  if (auto r = check_codec({.id = id, .level = codec_levels(id).standard}); !r)
    return std::unexpected(r.error());
  if (auto r = check_chunk_bytes(chunk_bytes); !r) return std::unexpected(r.error());
  switch (id) {
    case CodecId::kStored:
      return std::make_unique<StoredCodec>();
    case CodecId::kLzf:
      return std::make_unique<LzfCodec>(LzfCodec::Use::kUnpackOnly);
    case CodecId::kLz4:
      return Lz4Codec::make_unpacker();
    case CodecId::kZstd:
      return ZstdCodec::make_unpacker();
  }
  return fail(Errc::kUsage, "make codec");
}

}  // namespace dormouse

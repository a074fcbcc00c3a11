#include "codec/zstd_codec.h"

// Contexts in memory of the caller are exported by every shared libzstd, but declared only for those who ask.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <array>

#include "dormouse/units.h"

#include "codec/unpack_check.h"

namespace dormouse {
namespace {

constexpr std::string_view kPrepare = "prepare zstd";
constexpr std::string_view kUnpack = "unpack zstd chunk";

struct Parameter {
  ZSTD_cParameter name;
  int value;
};

/// Everything is spelt out, so that libzstd has nothing left to choose by the size of a chunk: the workspace
/// is measured with the same list that later packs.
std::array<Parameter, 9> parameters_for(std::int32_t level, std::size_t chunk_bytes) {
  const ZSTD_compressionParameters p = ZSTD_getCParams(level, chunk_bytes, 0);
  return {{{ZSTD_c_windowLog, static_cast<int>(p.windowLog)},
           {ZSTD_c_chainLog, static_cast<int>(p.chainLog)},
           {ZSTD_c_hashLog, static_cast<int>(p.hashLog)},
           {ZSTD_c_searchLog, static_cast<int>(p.searchLog)},
           {ZSTD_c_minMatch, static_cast<int>(p.minMatch)},
           {ZSTD_c_targetLength, static_cast<int>(p.targetLength)},
           {ZSTD_c_strategy, static_cast<int>(p.strategy)},
           {ZSTD_c_contentSizeFlag, 0},
           {ZSTD_c_checksumFlag, 0}}};
}

Failure refused(std::size_t status) {
  return fail(Errc::kNoMemory, kPrepare).because("libzstd: {}", ZSTD_getErrorName(status));
}

Result<std::size_t> packer_bytes(const std::array<Parameter, 9>& parameters) {
  ZSTD_CCtx_params* params = ZSTD_createCCtxParams();
  if (params == nullptr) return fail(Errc::kNoMemory, kPrepare);
  std::size_t status = 0;
  for (const Parameter& p : parameters) {
    if (ZSTD_isError(status) == 0) status = ZSTD_CCtxParams_setParameter(params, p.name, p.value);
  }
  if (ZSTD_isError(status) == 0) status = ZSTD_estimateCCtxSize_usingCCtxParams(params);
  ZSTD_freeCCtxParams(params);
  if (ZSTD_isError(status) != 0) return refused(status);
  return status;
}

}  // namespace

Result<void> ZstdCodec::prepare_packer(std::int32_t level, std::size_t chunk_bytes) {
  level_ = level;
  const auto parameters = parameters_for(level, chunk_bytes);
  const auto bytes = packer_bytes(parameters);
  if (!bytes) return std::unexpected(bytes.error());
  auto memory = AlignedBuffer::allocate(*bytes);
  if (!memory) return std::unexpected(memory.error());
  packer_memory_ = std::move(*memory);
  packer_ = ZSTD_initStaticCCtx(packer_memory_.data(), packer_memory_.size());
  if (packer_ == nullptr)
    return fail(Errc::kNoMemory, kPrepare).because("libzstd refused a workspace of {} bytes", *bytes);
  for (const Parameter& p : parameters) {
    const std::size_t status = ZSTD_CCtx_setParameter(packer_, p.name, p.value);
    if (ZSTD_isError(status) != 0) return refused(status);
  }
  // The estimate is libzstd's own, but a context that turns out too small would store every chunk without a
  // word.
  std::array<std::byte, kMinPageBytes> page{};
  std::array<std::byte, kMinPageBytes> packed{};
  if (!pack(page, packed))
    return fail(Errc::kNoMemory, kPrepare).because("a workspace of {} bytes is too small", *bytes);
  return {};
}

Result<void> ZstdCodec::prepare_unpacker() {
  auto memory = AlignedBuffer::allocate(ZSTD_estimateDCtxSize());
  if (!memory) return std::unexpected(memory.error());
  unpacker_memory_ = std::move(*memory);
  unpacker_ = ZSTD_initStaticDCtx(unpacker_memory_.data(), unpacker_memory_.size());
  if (unpacker_ == nullptr) return fail(Errc::kNoMemory, kPrepare);
  return {};
}

Result<std::unique_ptr<Codec>> ZstdCodec::make(std::int32_t level, std::size_t chunk_bytes) {
  std::unique_ptr<ZstdCodec> codec(new ZstdCodec());
  if (auto r = codec->prepare_packer(level, chunk_bytes); !r) return std::unexpected(r.error());
  if (auto r = codec->prepare_unpacker(); !r) return std::unexpected(r.error());
  return codec;
}

Result<std::unique_ptr<Codec>> ZstdCodec::make_unpacker() {
  std::unique_ptr<ZstdCodec> codec(new ZstdCodec());
  if (auto r = codec->prepare_unpacker(); !r) return std::unexpected(r.error());
  return codec;
}

std::optional<std::size_t> ZstdCodec::pack(std::span<const std::byte> in, std::span<std::byte> out) {
  if (packer_ == nullptr || in.empty()) return std::nullopt;
  const std::size_t packed = ZSTD_compress2(packer_, out.data(), out.size(), in.data(), in.size());
  if (ZSTD_isError(packed) != 0) return std::nullopt;
  return packed;
}

Result<void> ZstdCodec::unpack(std::span<const std::byte> in, std::span<std::byte> out) {
  if (in.empty()) return damaged(kUnpack, in.size());
  const std::size_t got = ZSTD_decompressDCtx(unpacker_, out.data(), out.size(), in.data(), in.size());
  if (ZSTD_isError(got) != 0) return damaged(kUnpack, in.size());
  if (got != out.size()) return wrong_length(kUnpack, got, out.size());
  return {};
}

}  // namespace dormouse

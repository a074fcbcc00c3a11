/// What a data key seals: the chunks of an image, and its header. FORMAT.md, "Sealed images".
#pragma once

#include <cstddef>
#include <span>

#include "dormouse/error.h"

#include "format/image_header.h"
#include "format/swap_map_page.h"
#include "seal/aead.h"

namespace dormouse {

/// Encrypts the stored pages of a chunk in place and puts the tag into its header. Requires: all of the
/// header but the tag and `extent_count` is final.
Result<void> seal_chunk(Aead& aead, const ImageId& id, ChunkHeader& header, std::span<std::byte> stored);
/// Decrypts them in place. kCorrupt where the tag does not match; the pages are zero then.
Result<void> open_chunk(Aead& aead, const ImageId& id, const ChunkHeader& header,
                        std::span<std::byte> stored);

/// Fills in the tag of the header. Requires: all of it but the tag and the checksum is final.
Result<void> seal_header(Aead& aead, ImageHeader& header);
/// kCorrupt where the tag does not match.
Result<void> check_sealed_header(Aead& aead, const ImageHeader& header);

}  // namespace dormouse

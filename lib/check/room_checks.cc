#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "check/checks.h"
#include "check/finding_ids.h"
#include "check/memory_sample.h"
#include "codec/codec_ladder.h"

namespace dormouse {
namespace {

/// Less than this says little about a machine; what desktops' memory packs to says more.
constexpr std::uint64_t kLeastSample = 1024 * 1024;
constexpr std::uint64_t kManyExtents = 10'000;

std::string codec_text(const CodecSpec& codec) {
  const bool has_level = codec.id == CodecId::kLz4 || codec.id == CodecId::kZstd;
  return has_level ? fmt::format("{}:{}", codec_name(codec.id), codec.level)
                   : std::string(codec_name(codec.id));
}

/// What `bytes` of memory take on the device: chunks end on pages, which costs half a page in 256 KiB, and
/// the swap map and the image header need some.
std::uint64_t stored_bytes(std::uint64_t bytes, double ratio) {
  constexpr std::uint64_t kHeaderAndMap = 64 * 1024;
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(bytes) * std::min(ratio, 1.0))) +
         bytes / 128 + kHeaderAndMap;
}

double usual_ratio(const CodecSpec& codec) {
  return codec_ladder()[rung_of(codec)].ratio;
}

double share(std::uint64_t part, std::uint64_t of) {
  return of == 0 ? 0 : std::min(1.0, static_cast<double>(part) / static_cast<double>(of));
}

Prediction foretell(const CheckSubject& subject, const AreaFacts& area, const MemoryFigures& memory) {
  const auto image = foretell_image(memory, subject.settings.image_size.bytes(memory.total),
                                    area.free_elsewhere_bytes + (area.active ? area.free_bytes : 0));
  // s2disk turns to the strongest one by itself where the room is short, whatever was asked for.
  const CodecSpec strongest = codec_ladder().back().codec;
  const CodecChoice& choice = subject.settings.codec;
  const CodecSpec chosen = choice.automatic ? CodecSpec{.id = CodecId::kLz4, .level = 1} : choice.spec;
  const auto sample = pack_sample({chosen, strongest}, {.page_bytes = subject.page_bytes}, subject.host);
  Prediction prediction;
  prediction.image_bytes = image.image_bytes;
  prediction.swapped_out_bytes = image.swapped_out_bytes;
  prediction.codec = codec_text(chosen);
  prediction.sampled_bytes = sample.bytes >= kLeastSample ? sample.bytes : 0;
  // The sample is of memory that could be swapped out; cache and the kernel's own are what they usually are.
  const double part =
      prediction.sampled_bytes > 0 ? share(memory.swappable - image.swapped_out_bytes, image.image_bytes) : 0;
  const auto ratio = [&](const CodecSpec& codec, double sampled) {
    return part * sampled + (1 - part) * usual_ratio(codec);
  };
  prediction.ratio = ratio(chosen, sample.ratios[0]);
  const double best = std::min(prediction.ratio, ratio(strongest, sample.ratios[1]));
  prediction.stored_bytes = stored_bytes(prediction.image_bytes, prediction.ratio);
  prediction.least_bytes = stored_bytes(std::min(image.image_bytes, memory.undroppable()), best);
  return prediction;
}

/// What is left for the image once the kernel has swapped out what it must. It may take any area for that;
/// the others are counted first.
std::uint64_t room_left(const AreaFacts& area, const Prediction& prediction) {
  if (!area.active) return area.free_bytes;
  const std::uint64_t out = prediction.swapped_out_bytes > area.free_elsewhere_bytes
                                ? prediction.swapped_out_bytes - area.free_elsewhere_bytes
                                : 0;
  return area.free_bytes - std::min(out, area.free_bytes);
}

std::string foretold_text(const Prediction& prediction) {
  return fmt::format(
      "an image of about {} bytes is foreseen, stored in about {} with {} (ratio {:.2f}, {})",
      prediction.image_bytes, prediction.stored_bytes, prediction.codec, prediction.ratio,
      prediction.sampled_bytes > 0
          ? fmt::format("from {} bytes of this machine's memory", prediction.sampled_bytes)
          : std::string("the usual one, since too little memory of processes could be looked at"));
}

}  // namespace

CheckedRoom check_room(const CheckSubject& subject, const AreaFacts& area, const MemoryFigures& memory,
                       std::uint64_t extents) {
  CheckedRoom checked{.findings = {}, .prediction = foretell(subject, area, memory)};
  const Prediction& prediction = checked.prediction;
  const std::uint64_t room = room_left(area, prediction);
  const std::string what = fmt::format(
      "{}; {} bytes are free for it{}", foretold_text(prediction), room,
      room < area.free_bytes ? fmt::format(" after {} have been swapped out", prediction.swapped_out_bytes)
                             : std::string());
  const std::uint64_t comfortable = prediction.stored_bytes + prediction.stored_bytes / 9;
  if (prediction.least_bytes > room) {
    checked.findings.push_back(found(
        finding::kTooSmall,
        fmt::format(
            "the swap area is too small: {}, and even the smallest image, packed with {}, needs about {}",
            what, codec_text(codec_ladder().back().codec), prediction.least_bytes),
        fmt::format("free at least {0} bytes of it, or make it larger by that much, better by {1}",
                    prediction.least_bytes - room, comfortable - room)));
  } else if (comfortable > room) {
    checked.findings.push_back(found(
        finding::kTight,
        fmt::format(
            "the room is tight: {}{}", what,
            prediction.stored_bytes > room
                ? fmt::format(". It fits only smaller or packed harder, down to {}", prediction.least_bytes)
                : std::string()),
        fmt::format(
            "free or add {} bytes of swap, ask for a stronger codec (--compress=zstd), or for a smaller "
            "image (--image-size)",
            comfortable - room)));
  } else {
    checked.findings.push_back(found(
        finding::kRoom,
        fmt::format("{}{}", what, prediction.image_bytes > room ? ": it fits because it is packed" : "")));
  }
  if (extents > kManyExtents) {
    checked.findings.push_back(found(
        finding::kFragmented,
        fmt::format("the swap file {} lies in {} pieces: writing to it is slow, and finding room takes long",
                    area.swap_file, extents),
        "make it anew in one piece: swapoff, delete it, fallocate, mkswap, swapon"));
  }
  return checked;
}

}  // namespace dormouse

/// Measures the image writer and reader between memory and a device, once for each rate and codec, and prints
/// JSON that bench/run makes tables of: runs, medians and bounds are its business.
///
///     pipeline_bench [--device memory|null|FILE] [--rate MB/S]... [--codec NAME[:LEVEL]|auto]...
///                    [--seal off|CIPHER]... [--mib N] [--image-mib N] [--threads N] [--read on|off]
///                    [SNAPSHOT]
///
/// Data: N MiB spread over SNAPSHOT (all of it where N is 0), or a seeded mix; --image-mib repeats it up to
/// that length. With several --seal, each codec is measured once with each of them, one right after the
/// other. FILE: a file or block device with a swap area that nobody uses; its image is never marked. Rate 0,
/// the default: no limit. The device of memory is touched before, else the kernel's clearing of fresh pages
/// would be measured. The null device remembers nothing, so nothing is read back from it.
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "dormouse/files.h"
#include "dormouse/image_reader.h"
#include "dormouse/image_writer.h"
#include "dormouse/swap_area.h"

#include "arguments.h"
#include "base/aligned_buffer.h"
#include "base/codec_spec.h"
#include "bench_data.h"
#include "candidate.h"
#include "io/memory_block_device.h"
#include "io/null_block_device.h"
#include "rate_limited_device.h"
#include "repeating_source.h"
#include "support/cheap_cost.h"
#include "swap/swap_disk.h"

namespace dormouse::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

constexpr std::string_view kUsual[] = {"none", "lzf", "lz4", "zstd:-1", "zstd:1", "zstd:3", "auto"};

struct Options {
  std::string device = "memory";
  std::size_t mib = 128;
  std::uint64_t image_mib = 0;  // 0: the data once
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  bool read_back = true;
  std::vector<double> rates;
  std::vector<Candidate> codecs;
  std::vector<std::optional<Cipher>> seals;
  std::string snapshot;
};

/// One of the things that are compared.
struct Case {
  double rate = 0;  // MB/s; 0: no limit
  Candidate codec;
  std::optional<Cipher> seal;
};

template <class T>
T must(Result<T> result) {
  if constexpr (std::is_void_v<T>) {
    if (result) return;
  } else {
    if (result) return std::move(*result);
  }
  fmt::print(stderr, "pipeline_bench: {}\n", result.error().what());
  std::exit(1);
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

/// What this process has used so far.
rusage usage() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return used;
}

/// How long something took, on the clock and on all processors together.
class Stopwatch {
 public:
  [[nodiscard]] Json read() const {
    return {{"seconds", seconds_since(began_)},
            {"processor_seconds", processor_seconds() - processor_began_}};
  }

 private:
  static double processor_seconds() {
    const rusage used = usage();
    return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  }
  Clock::time_point began_ = Clock::now();
  double processor_began_ = processor_seconds();
};

/// What is written to, and the swap area whose room is used.
struct Bench {
  std::unique_ptr<MemoryBlockDevice> memory;  // holds the area's header where the device cannot
  std::unique_ptr<BlockDevice> device;        // where `memory` is not written to itself
  std::unique_ptr<SwapArea> area;
  [[nodiscard]] BlockDevice& target() const { return device ? *device : *memory; }
};

Bench make_bench(const Options& options, std::uint64_t image_bytes) {
  Bench bench;
  if (options.device != "memory" && options.device != "null") {
    bench.device = must(open_storage(options.device, IoMode::kDirect));
    bench.area = std::make_unique<SwapArea>(must(SwapArea::open(*bench.device, DeviceOffset{0})));
    return bench;
  }
  // Stored chunks, their map and header pages, and something to spare.
  const auto last_page = static_cast<std::uint32_t>(image_bytes / kMinPageBytes * 11 / 10 + 64);
  bench.memory = std::make_unique<MemoryBlockDevice>(test::make_swap_disk({.last_page = last_page}));
  bench.area = std::make_unique<SwapArea>(must(SwapArea::open(*bench.memory, DeviceOffset{0})));
  if (options.device == "null") {
    bench.device = std::make_unique<NullBlockDevice>(bench.memory->size_bytes());
  } else {
    const auto all = bench.memory->mutable_bytes(kMinPageBytes, bench.memory->size_bytes() - kMinPageBytes);
    std::ranges::fill(all, std::byte{0});
  }
  return bench;
}

/// MB/s of copying `bytes` chunk by chunk as `copy(offset, chunk)` does, on one thread.
template <class Copy>
double copy_rate(std::uint64_t bytes, Copy copy) {
  auto buffer = must(AlignedBuffer::allocate(kDefaultChunkBytes));
  std::uint64_t at = 0;
  const auto began = Clock::now();
  while (at < bytes) {
    const auto chunk = buffer.span().first(std::min<std::uint64_t>(kDefaultChunkBytes, bytes - at));
    copy(at, chunk);
    at += chunk.size();
  }
  return static_cast<double>(bytes) / 1e6 / seconds_since(began);
}

/// The rates that bound the pipeline where all of it lies in memory.
Json copy_rates(const Bench& bench, std::span<const std::byte> data) {
  RepeatingSource source(data, data.size());
  Json rates = {{"source_mb_per_s", copy_rate(data.size(), [&](std::uint64_t, std::span<std::byte> chunk) {
                   must(source.read(chunk));
                 })}};
  if (bench.device) return rates;
  const auto offset = [](std::uint64_t at) { return DeviceOffset{kMinPageBytes + at}; };
  rates["device_write_mb_per_s"] =
      copy_rate(data.size(), [&](std::uint64_t at, std::span<const std::byte> chunk) {
        must(bench.memory->write(offset(at), chunk));
      });
  rates["device_read_mb_per_s"] = copy_rate(data.size(), [&](std::uint64_t at, std::span<std::byte> chunk) {
    must(bench.memory->read(offset(at), chunk));
  });
  return rates;
}

Json chosen_json(const CodecCounts& codecs) {
  auto counts = Json::object();
  for (const auto& [codec, chunks] : codecs) {
    if (chunks > 0) counts[std::string(codec_text(codec).view())] = chunks;
  }
  return counts;
}

/// With the cheapest passphrase there is: what a way costs is paid before the image is written, and not
/// measured.
std::optional<ImageSeal> make_seal(std::optional<Cipher> cipher) {
  if (!cipher) return std::nullopt;
  auto seal = must(ImageSeal::prepare(*cipher));
  must(seal.add_passphrase(std::as_bytes(std::span("bench")), test::kCheap));
  return seal;
}

Json read_back(const Bench& bench, BlockDevice& device, DeviceOffset header_at,
               const std::optional<ImageSeal>& seal, const Options& options) {
  auto reader = must(ImageReader::prepare(kDefaultChunkBytes, options.threads));
  NoProgress progress;
  NullPageSink sink;
  must(reader.open(device, header_at,
                   {.end_page = device.size_bytes() / kMinPageBytes,
                    .swap_header_page = bench.area->header_page(),
                    .page_bytes = kMinPageBytes}));
  if (seal) must(reader.unlock(*seal));
  const Stopwatch watch;
  must(reader.read(sink, progress));
  return watch.read();
}

Json measure(const Bench& bench, const Case& one, std::span<const std::byte> data, std::uint64_t image_bytes,
             const Options& options) {
  RateLimitedDevice limited(bench.target(), one.rate * 1e6);
  BlockDevice& device = one.rate > 0 ? static_cast<BlockDevice&>(limited) : bench.target();
  const auto allocator = make_free_layout_allocator(*bench.area);
  ImageOptions image_options;
  image_options.adaptive = one.codec.adaptive;
  image_options.codec = one.codec.codec;
  image_options.threads = options.threads;
  auto seal = make_seal(one.seal);
  auto writer = must(ImageWriter::prepare(image_options, kMinPageBytes, seal ? &*seal : nullptr));
  const auto header = must(allocator->allocate(1));
  const DeviceOffset header_at = page_offset(header.first_page, kMinPageBytes);
  ImageIdentity identity;
  identity.original_tail = bench.area->tail();
  NoProgress progress;
  RepeatingSource source(data, image_bytes);
  const Stopwatch watch;
  const auto written = must(writer.write(source, device, *allocator, header_at, identity, progress));
  Json result = {{"rate_mb_per_s", one.rate},
                 {"codec", one.codec.name},
                 {"seal", seal_name(one.seal)},
                 {"write", watch.read()},
                 {"read", nullptr},
                 {"flush_seconds", static_cast<double>(written.write.flush_ns) / 1e9},
                 {"stored_bytes", written.image.stored_bytes},
                 {"held_bytes", writer.memory_bytes()},
                 {"chosen", chosen_json(written.codecs)}};
  if (options.read_back && options.device != "null") {
    result["read"] = read_back(bench, device, header_at, seal, options);
  }
  return result;
}

int run(const Options& options, std::span<const std::byte> data) {
  const std::uint64_t image_bytes = options.image_mib > 0 ? options.image_mib << 20 : data.size();
  const Bench bench = make_bench(options, image_bytes);
  Json result = {{"data", data_name(options.snapshot)},
                 {"image_bytes", image_bytes},
                 {"threads", options.threads},
                 {"bounds", copy_rates(bench, data)},
                 {"runs", Json::array()}};
  for (const double rate : options.rates) {
    for (const Candidate& codec : options.codecs) {
      for (const auto& seal : options.seals) {
        result["runs"].push_back(
            measure(bench, {.rate = rate, .codec = codec, .seal = seal}, data, image_bytes, options));
      }
    }
  }
  result["peak_rss_bytes"] = static_cast<std::uint64_t>(usage().ru_maxrss) * 1024;
  fmt::print("{}\n", result.dump(1));
  return 0;
}

bool take_rate(Options& options, std::string_view value) {
  double rate = 0;
  if (!take_number(rate, value)) return false;
  options.rates.push_back(rate);
  return true;
}

bool add_seal(Options& options, std::string_view value) {
  return take_seal(options.seals.emplace_back(), value);
}

bool take_option(Options& options, std::string_view name, const std::string& value) {
  if (name == "--device") return !(options.device = value).empty();
  if (name == "--mib") return take_number(options.mib, value);
  if (name == "--image-mib") return take_number(options.image_mib, value);
  if (name == "--threads") return take_number(options.threads, value) && options.threads > 0;
  if (name == "--read") return take_switch(options.read_back, value);
  if (name == "--rate") return take_rate(options, value);
  if (name == "--seal") return add_seal(options, value);
  const auto candidate = parse_candidate(value);
  if (name != "--codec" || !candidate) return false;
  options.codecs.push_back(*candidate);
  return true;
}

std::optional<Options> parse(std::span<char*> args) {
  Options options;
  const bool good = walk_arguments(
      args,
      [&](std::string_view name, const std::string& value) { return take_option(options, name, value); },
      options.snapshot);
  if (!good) return std::nullopt;
  if (options.rates.empty()) options.rates = {0};
  if (options.codecs.empty()) options.codecs = candidates(kUsual);
  if (options.seals.empty()) options.seals = {std::nullopt};
  return options;
}

}  // namespace
}  // namespace dormouse::bench

int main(int argc, char** argv) {
  const auto options = dormouse::bench::parse({argv, static_cast<std::size_t>(argc)});
  if (!options) {
    fmt::print(stderr,
               "usage: pipeline_bench [--device memory|null|FILE] [--rate MB/S]... [--codec "
               "NAME[:LEVEL]|auto]...\n"
               "                      [--seal off|CIPHER]... [--mib N] [--image-mib N] [--threads N] [--read "
               "on|off] [SNAPSHOT]\n");
    return 2;
  }
  const auto data = dormouse::bench::load_data(options->snapshot, options->mib << 20);
  return data ? dormouse::bench::run(*options, *data) : 1;
}

/// Measures the image writer and reader in memory, at given device rates, against their bound, and prints a
/// Markdown table.
///
///     pipeline_bench [--mib N] [--runs N] [--threads N] [--rate MB/S]... [--codec NAME[:LEVEL]|auto]...
///     [SNAPSHOT]
///
/// Efficiency = bound / time. The bound is the longest of: the codec alone on all threads (measured in the
/// same run, with the checksums that belong to it), and the stored bytes at the device's rate. Rate 0: a
/// device that takes everything at once. Each figure is the median of the runs, which alternate between
/// codecs. What misleads: other work on the machine; see README.md.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "dormouse/image_reader.h"
#include "dormouse/image_writer.h"
#include "dormouse/swap_area.h"

#include "bench_data.h"
#include "codec/codec_ladder.h"
#include "format/checksum.h"
#include "image/memory_pages.h"
#include "io/memory_block_device.h"
#include "rate_limited_device.h"
#include "report/figures_text.h"
#include "swap/swap_disk.h"

namespace dormouse::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Candidate {
  std::string name;
  bool adaptive = false;
  CodecSpec codec{};
};

struct Options {
  std::size_t mib = 128;
  unsigned runs = 3;
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  std::vector<double> rates;
  std::vector<Candidate> codecs;
  std::string snapshot;
};

struct Sample {
  double write_seconds = 0;
  double read_seconds = 0;
  double stored_bytes = 0;
  CodecCounts codecs{};
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

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

Sample measure(const Candidate& candidate, std::span<const std::byte> data, const Options& options,
               double rate) {
  const test::SwapShape shape{.last_page =
                                  static_cast<std::uint32_t>(data.size() / kMinPageBytes * 11 / 10 + 64)};
  MemoryBlockDevice disk = test::make_swap_disk(shape);
  RateLimitedDevice device(disk, rate * 1e6);
  auto area = must(SwapArea::open(disk, DeviceOffset{0}));
  const auto allocator = make_free_layout_allocator(area);
  auto writer = must(ImageWriter::prepare(
      {.adaptive = candidate.adaptive, .codec = candidate.codec, .threads = options.threads}, kMinPageBytes));
  const auto header = must(allocator->allocate(1));
  const DeviceOffset header_at = page_offset(header.first_page, kMinPageBytes);
  ImageIdentity identity;
  identity.original_tail = area.tail();
  NoProgress progress;
  test::MemoryPageSource source(data, kMinPageBytes);
  Sample sample;
  auto began = Clock::now();
  const auto written = must(writer.write(source, device, *allocator, header_at, identity, progress));
  sample.write_seconds = seconds_since(began);
  sample.stored_bytes = static_cast<double>(written.image.stored_bytes);
  sample.codecs = written.codecs;
  auto reader = must(ImageReader::prepare(kDefaultChunkBytes, options.threads));
  must(
      reader.open(device, header_at, {.end_page = disk.size_bytes() / kMinPageBytes, .swap_header_page = 0}));
  NullPageSink sink;
  began = Clock::now();
  must(reader.read(sink, progress));
  sample.read_seconds = seconds_since(began);
  return sample;
}

/// MB/s of one thread that only packs and checks.
double codec_rate(const Candidate& candidate, std::span<const std::byte> data) {
  auto codec = must(make_codec(candidate.codec, kDefaultChunkBytes));
  std::vector<std::byte> packed(kDefaultChunkBytes);
  const auto began = Clock::now();
  std::uint64_t check = 0;
  for (std::size_t at = 0; at < data.size(); at += kDefaultChunkBytes) {
    const auto chunk = data.subspan(at, std::min<std::size_t>(kDefaultChunkBytes, data.size() - at));
    check ^= xxh3(chunk);
    const auto size = codec->pack(chunk, std::span(packed).first(chunk.size() - kMinPageBytes));
    if (size) check ^= xxh3(std::span(packed).first(*size));
  }
  const double seconds = seconds_since(began);
  if (check == 0) fmt::print(stderr, "pipeline_bench: the checksums are all alike\n");
  return static_cast<double>(data.size()) / 1e6 / seconds;
}

void print_rate(double rate, std::span<const std::byte> data, const Options& options,
                const std::map<std::string, double>& codec_rates) {
  std::map<std::string, std::vector<Sample>> samples;
  for (unsigned run = 0; run < options.runs; ++run) {
    for (const Candidate& candidate : options.codecs) {
      samples[candidate.name].push_back(measure(candidate, data, options, rate));
    }
  }
  const double megabytes = static_cast<double>(data.size()) / 1e6;
  fmt::print(
      "\nDevice {}:\n\n| codec | ratio | write MB/s | efficiency | read MB/s | chosen "
      "|\n|---|---|---|---|---|---|\n",
      rate > 0 ? fmt::format("{:.0f} MB/s", rate) : "without limit");
  for (const Candidate& candidate : options.codecs) {
    const auto& runs = samples[candidate.name];
    std::vector<double> writes;
    std::vector<double> reads;
    for (const Sample& s : runs) {
      writes.push_back(s.write_seconds);
      reads.push_back(s.read_seconds);
    }
    const double seconds = median(writes);
    const double by_device = rate > 0 ? runs.front().stored_bytes / 1e6 / rate : 0;
    const auto own = codec_rates.find(candidate.name);
    const double by_codec = own == codec_rates.end() ? 0 : megabytes / (own->second * options.threads);
    fmt::print("| {} | {:.3f} | {:.0f} | {} | {:.0f} | {} |\n", candidate.name,
               runs.front().stored_bytes / static_cast<double>(data.size()), megabytes / seconds,
               own == codec_rates.end() ? std::string("-")
                                        : fmt::format("{:.2f}", std::max(by_device, by_codec) / seconds),
               megabytes / median(reads), codec_counts_text(runs.back().codecs));
  }
}

std::optional<Options> parse(std::span<char*> args) {
  Options options;
  for (std::size_t i = 1; i < args.size(); ++i) {
    const std::string arg = args[i];
    if (!arg.starts_with("--")) {
      options.snapshot = arg;
      continue;
    }
    if (i + 1 == args.size()) return std::nullopt;
    const std::string value = args[++i];
    const auto number = std::strtoul(value.c_str(), nullptr, 10);
    if (arg == "--mib") {
      options.mib = number;
    } else if (arg == "--runs") {
      options.runs = static_cast<unsigned>(number);
    } else if (arg == "--threads") {
      options.threads = static_cast<unsigned>(number);
    } else if (arg == "--rate") {
      options.rates.push_back(std::strtod(value.c_str(), nullptr));
    } else if (arg == "--codec" && value == "auto") {
      options.codecs.push_back({.name = "auto", .adaptive = true});
    } else if (const auto spec = parse_codec(value); arg == "--codec" && spec) {
      options.codecs.push_back({.name = value, .codec = *spec});
    } else {
      return std::nullopt;
    }
  }
  if (options.rates.empty()) options.rates = {20, 100, 500, 0};
  if (options.codecs.empty()) {
    for (const char* name : {"none", "lzf", "lz4", "zstd:-1", "zstd:1", "zstd:3", "auto"}) {
      const bool adaptive = std::string_view(name) == "auto";
      options.codecs.push_back({.name = name,
                                .adaptive = adaptive,
                                .codec = adaptive ? CodecSpec{}
                                         : std::string_view(name) == "none"
                                             ? CodecSpec{.id = CodecId::kStored, .level = 0}
                                             : must(parse_codec(name))});
    }
  }
  return options.mib > 0 && options.runs > 0 && options.threads > 0 ? std::optional(options) : std::nullopt;
}

int run(const Options& options) {
  const auto data = load_data(options.snapshot, options.mib << 20);
  if (!data) return 1;
  std::map<std::string, double> codec_rates;
  for (const Candidate& candidate : options.codecs) {
    if (candidate.adaptive) continue;
    std::vector<double> rates;
    for (unsigned i = 0; i < 3; ++i) rates.push_back(codec_rate(candidate, *data));
    codec_rates[candidate.name] = median(rates);
  }
  fmt::print("{} MiB of {}, {} threads, medians of {} runs.\n\n| codec | one thread, MB/s |\n|---|---|\n",
             data->size() >> 20, data_name(options.snapshot), options.threads, options.runs);
  for (const Candidate& candidate : options.codecs) {
    if (!candidate.adaptive) fmt::print("| {} | {:.0f} |\n", candidate.name, codec_rates[candidate.name]);
  }
  for (const double rate : options.rates) print_rate(rate, *data, options, codec_rates);
  return 0;
}

}  // namespace
}  // namespace dormouse::bench

int main(int argc, char** argv) {
  const auto options = dormouse::bench::parse({argv, static_cast<std::size_t>(argc)});
  if (!options) {
    fmt::print(stderr,
               "usage: pipeline_bench [--mib N] [--runs N] [--threads N] [--rate MB/S]... [--codec "
               "NAME[:LEVEL]|auto]... "
               "[SNAPSHOT]\n");
    return 2;
  }
  return dormouse::bench::run(*options);
}

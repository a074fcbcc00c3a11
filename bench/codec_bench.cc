/// Measures packing and unpacking per codec, level and chunk size, and prints Markdown tables. It chose the
/// chunk size (README.md, "Chunk size").
///
///     codec_bench [--mib N] [--seconds S] [--codec NAME[:LEVEL]]... [SNAPSHOT]
///
/// Data: the first N MiB of SNAPSHOT (a stream taken with s2disk or captured as the README says), or, without
/// one, a seeded mix of page kinds. What misleads: one thread only, data that is hot in no cache, and a
/// processor that others use too; compare within one run. The ratio counts what the format really stores:
/// chunks rounded up to whole pages, and chunks that save less than a page stored as they are.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "dormouse/codec.h"
#include "dormouse/units.h"

#include "bench_data.h"

namespace dormouse {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;
constexpr std::size_t kChunkSizes[] = {4 * kKiB,   16 * kKiB,  64 * kKiB, 128 * kKiB,
                                       256 * kKiB, 512 * kKiB, 1 * kMiB,  4 * kMiB};

struct BenchOptions {
  std::size_t mib = 128;
  double seconds = 0.3;  // at least this long per figure
  std::vector<CodecSpec> codecs;
  std::string snapshot;
};

struct Figures {
  double pack_mb_per_s = 0;
  double unpack_mb_per_s = 0;
  double ratio = 0;
};

struct PackedChunk {
  std::span<const std::byte> plain;
  std::size_t place = 0;  // in the packed area
  std::size_t size = 0;   // 0: stored as it is
};

std::size_t stored_bytes(const PackedChunk& chunk) {
  return divide_up(chunk.size == 0 ? chunk.plain.size() : chunk.size, kMinPageBytes) * kMinPageBytes;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// MB/s (10^6 bytes) of the fastest round: others can only make a round slower.
template <class Round>
double best_rate(std::size_t bytes, double seconds, Round round) {
  double best = 0;
  for (const auto start = Clock::now(); best == 0 || seconds_since(start) < seconds;) {
    const auto began = Clock::now();
    round();
    best = std::max(best, static_cast<double>(bytes) / 1e6 / seconds_since(began));
  }
  return best;
}

Figures measure(Codec& codec, std::span<const std::byte> data, std::size_t chunk_bytes, double seconds) {
  std::vector<PackedChunk> chunks;
  for (std::size_t at = 0; at < data.size(); at += chunk_bytes) {
    chunks.push_back({.plain = data.subspan(at, std::min(chunk_bytes, data.size() - at)), .place = at});
  }
  std::vector<std::byte> packed(data.size());
  std::vector<std::byte> unpacked(chunk_bytes);
  Figures figures;
  figures.pack_mb_per_s = best_rate(data.size(), seconds, [&] {
    for (PackedChunk& chunk : chunks) {
      const std::size_t room = chunk.plain.size() - 1;
      chunk.size = codec.pack(chunk.plain, std::span(packed).subspan(chunk.place, room)).value_or(0);
      if (chunk.size + kMinPageBytes > chunk.plain.size()) chunk.size = 0;  // saves no page
    }
  });
  figures.unpack_mb_per_s = best_rate(data.size(), seconds, [&] {
    for (const PackedChunk& chunk : chunks) {
      const auto out = std::span(unpacked).first(chunk.plain.size());
      if (chunk.size == 0) {
        std::ranges::copy(chunk.plain, out.begin());
      } else if (!codec.unpack(std::span<const std::byte>(packed).subspan(chunk.place, chunk.size), out)) {
        fmt::print(stderr, "codec_bench: a chunk does not unpack\n");
        std::exit(1);
      }
    }
  });
  std::size_t stored = 0;
  for (const PackedChunk& chunk : chunks) stored += stored_bytes(chunk);
  figures.ratio = static_cast<double>(stored) / static_cast<double>(data.size());
  return figures;
}

std::string title(CodecSpec spec) {
  if (spec.level == 0) return std::string(codec_name(spec.id));
  return fmt::format("{} {}", codec_name(spec.id), spec.level);
}

std::string size_text(std::size_t bytes) {
  return bytes >= kMiB ? fmt::format("{}M", bytes / kMiB) : fmt::format("{}K", bytes / kKiB);
}

void print_head(std::string_view caption) {
  fmt::print("\n{}\n\n| codec |", caption);
  for (const std::size_t chunk : kChunkSizes) fmt::print(" {} |", size_text(chunk));
  fmt::print("\n|---|");
  for (std::size_t i = 0; i < std::size(kChunkSizes); ++i) fmt::print("---|");
  fmt::print("\n");
}

template <class Cell>
void print_table(std::string_view caption, const BenchOptions& options,
                 const std::vector<std::vector<Figures>>& rows, Cell cell) {
  print_head(caption);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    fmt::print("| {} |", title(options.codecs[i]));
    for (const Figures& figures : rows[i]) fmt::print(" {} |", cell(figures));
    fmt::print("\n");
  }
}

int run(const BenchOptions& options, std::span<const std::byte> data) {
  std::vector<std::vector<Figures>> rows;
  for (const CodecSpec spec : options.codecs) {
    auto& row = rows.emplace_back();
    for (const std::size_t chunk_bytes : kChunkSizes) {
      auto codec = make_codec(spec, chunk_bytes);
      if (!codec) {
        fmt::print(stderr, "codec_bench: {}\n", codec.error().what());
        return 1;
      }
      fmt::print(stderr, "{} {}\n", title(spec), size_text(chunk_bytes));
      row.push_back(measure(**codec, data, chunk_bytes, options.seconds));
    }
  }
  fmt::print("{} MiB of {}, one thread.\n", data.size() / kMiB, bench::data_name(options.snapshot));
  print_table("Stored size / image size (whole pages):", options, rows,
              [](const Figures& f) { return fmt::format("{:.3f}", f.ratio); });
  print_table("Pack, MB/s:", options, rows,
              [](const Figures& f) { return fmt::format("{:.0f}", f.pack_mb_per_s); });
  print_table("Unpack, MB/s:", options, rows,
              [](const Figures& f) { return fmt::format("{:.0f}", f.unpack_mb_per_s); });
  return 0;
}

std::optional<BenchOptions> parse(std::span<char*> args) {
  BenchOptions options;
  for (std::size_t i = 1; i < args.size(); ++i) {
    const std::string arg = args[i];
    if (!arg.starts_with("--")) {
      options.snapshot = arg;
      continue;
    }
    if (i + 1 == args.size()) return std::nullopt;
    const std::string value = args[++i];
    if (arg == "--mib") {
      options.mib = std::strtoul(value.c_str(), nullptr, 10);
    } else if (arg == "--seconds") {
      options.seconds = std::strtod(value.c_str(), nullptr);
    } else if (const auto spec = parse_codec(value); arg == "--codec" && spec) {
      options.codecs.push_back(*spec);
    } else {
      return std::nullopt;
    }
  }
  if (options.codecs.empty()) {
    options.codecs = {{CodecId::kStored, 0}, {CodecId::kLzf, 0},   {CodecId::kLz4, 1},  {CodecId::kLz4, 4},
                      {CodecId::kZstd, -5},  {CodecId::kZstd, -1}, {CodecId::kZstd, 1}, {CodecId::kZstd, 3}};
  }
  return options.mib > 0 ? std::optional(options) : std::nullopt;
}

}  // namespace
}  // namespace dormouse

int main(int argc, char** argv) {
  const auto options = dormouse::parse(std::span(argv, static_cast<std::size_t>(argc)));
  if (!options) {
    fmt::print(stderr, "usage: codec_bench [--mib N] [--seconds S] [--codec NAME[:LEVEL]]... [SNAPSHOT]\n");
    return 2;
  }
  const auto data = dormouse::bench::load_data(options->snapshot, options->mib << 20);
  return data ? dormouse::run(*options, *data) : 1;
}

/// Measures packing and unpacking per codec, level and chunk size, memory to memory, and prints JSON that
/// bench/run makes tables of. It chose the chunk size (README.md, "Chunk size").
///
///     codec_bench [--mib N] [--seconds S] [--threads N] [--checks on|off] [--seal off|CIPHER] [--chunk
///     KIB]...
///                 [--codec NAME[:LEVEL]]... [SNAPSHOT]
///
/// Data: N MiB spread over SNAPSHOT (all of it where N is 0), or, without one, a seeded mix of page kinds.
/// Each figure is the fastest of the rounds that fit into S seconds, at least one: others can only make a
/// round slower. With checks, the checksums that an image needs are made and checked as well; with a cipher,
/// chunks are sealed and opened instead, into memory beside, since one round must leave to the next what it
/// found. What misleads: data that is hot in no cache, and a processor that others use too; compare within
/// one run. The ratio counts what the format really stores: chunks rounded up to whole pages, and chunks that
/// save less than a page stored as they are.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "dormouse/codec.h"
#include "dormouse/image_options.h"
#include "dormouse/units.h"

#include "arguments.h"
#include "bench_data.h"
#include "candidate.h"
#include "format/checksum.h"
#include "seal/aead.h"

namespace dormouse::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

constexpr std::string_view kUsual[] = {"none",    "lzf",     "lz4",    "lz4:4",
                                       "zstd:-5", "zstd:-1", "zstd:1", "zstd:3"};

struct Options {
  std::size_t mib = 128;
  double seconds = 0.3;
  unsigned threads = 1;
  bool checks = false;
  std::optional<Cipher> seal;
  std::vector<std::size_t> chunks;  // bytes
  std::vector<Candidate> codecs;
  std::string snapshot;
};

struct Figures {
  double pack_mb_per_s = 0;
  double unpack_mb_per_s = 0;
  double ratio = 0;
};

struct PackedChunk {
  std::span<const std::byte> plain;
  std::span<std::byte> packed;  // as long as the chunk; the part in use is `stored`
  std::size_t size = 0;         // packed; 0: kept as it is
  std::uint64_t plain_check = 0;
  std::uint64_t stored_check = 0;
  std::span<std::byte> sealed = {};  // as long as the chunk; empty where nothing is sealed
  Tag tag{};

  [[nodiscard]] std::span<const std::byte> stored() const {
    if (size == 0) return plain;
    return packed.first(divide_up(size, kMinPageBytes) * kMinPageBytes);
  }
};

/// One thread's share of the work.
struct Worker {
  std::unique_ptr<Codec> codec;
  std::vector<std::byte> unpacked;
  std::optional<Aead> aead;
  std::vector<std::byte> opened;
};

/// What is authenticated with a chunk is so long.
constexpr std::array<std::byte, 48> kAssociated{};
constexpr std::array<std::byte, kKeyBytes> kKey{std::byte{1}};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Each key and number once only, in a real image: here nothing is secret.
bool seal(Worker& worker, PackedChunk& chunk) {
  const auto stored = chunk.stored();
  const auto done = worker.aead->seal(make_nonce(NonceUse::kChunk, 0), kAssociated, stored,
                                      chunk.sealed.first(stored.size()), chunk.tag);
  return done.has_value();
}

/// What was stored, or nothing.
std::span<const std::byte> open(Worker& worker, const PackedChunk& chunk) {
  const std::size_t size = chunk.stored().size();
  const auto opened = std::span(worker.opened).first(size);
  const auto done = worker.aead->open(make_nonce(NonceUse::kChunk, 0), kAssociated, chunk.sealed.first(size),
                                      opened, chunk.tag);
  return done ? opened : std::span<std::byte>{};
}

bool pack(Worker& worker, PackedChunk& chunk, bool checks) {
  if (worker.aead) checks = false;
  if (checks) chunk.plain_check = xxh3(chunk.plain);
  // Stored pages are whole: less than a page saved is nothing saved.
  const std::size_t room = chunk.plain.size() - kMinPageBytes;
  chunk.size = worker.codec->pack(chunk.plain, chunk.packed.first(room)).value_or(0);
  if (checks) chunk.stored_check = chunk.size == 0 ? chunk.plain_check : xxh3(chunk.stored());
  return !worker.aead || seal(worker, chunk);
}

bool unpack(Worker& worker, const PackedChunk& chunk, bool checks) {
  if (worker.aead) {
    const auto stored = open(worker, chunk);
    if (chunk.size == 0 || stored.empty()) return !stored.empty();
    return worker.codec
        ->unpack(stored.first(chunk.size), std::span(worker.unpacked).first(chunk.plain.size()))
        .has_value();
  }
  if (checks && xxh3(chunk.stored()) != chunk.stored_check) return false;
  const auto out = std::span(worker.unpacked).first(chunk.plain.size());
  if (chunk.size == 0) {
    // The reader fetches such a chunk straight to where it belongs.
    if (!checks) std::memcpy(out.data(), chunk.plain.data(), out.size());
    return true;
  }
  if (!worker.codec->unpack(chunk.packed.first(chunk.size), out)) return false;
  return !checks || xxh3(out) == chunk.plain_check;
}

/// Calls `work(worker, chunk)` for all chunks, on all threads, which take the next as they become free.
/// Seconds.
template <class Work>
double time_round(std::vector<Worker>& workers, std::vector<PackedChunk>& chunks, Work work) {
  std::atomic<std::size_t> next = 0;
  const auto run = [&](Worker& worker) {
    for (std::size_t i = next++; i < chunks.size(); i = next++) work(worker, chunks[i]);
  };
  const auto began = Clock::now();
  {
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < workers.size(); ++i) helpers.emplace_back([&, i] { run(workers[i]); });
    run(workers[0]);
  }
  return seconds_since(began);
}

/// MB/s (10^6 bytes) of the fastest round.
template <class Round>
double best_rate(std::size_t bytes, double seconds, Round round) {
  double best = 0;
  for (const auto start = Clock::now(); best == 0 || seconds_since(start) < seconds;) {
    best = std::max(best, static_cast<double>(bytes) / 1e6 / round());
  }
  return best;
}

Figures measure(std::vector<Worker>& workers, std::span<const std::byte> data, std::size_t chunk_bytes,
                std::span<std::byte> packed, std::span<std::byte> sealed, const Options& options) {
  std::vector<PackedChunk> chunks;
  for (std::size_t at = 0; at < data.size(); at += chunk_bytes) {
    const std::size_t size = std::min(chunk_bytes, data.size() - at);
    chunks.push_back({.plain = data.subspan(at, size), .packed = packed.subspan(at, size)});
    if (options.seal) chunks.back().sealed = sealed.subspan(at, size);
  }
  std::atomic<bool> good = true;
  Figures figures;
  figures.pack_mb_per_s = best_rate(data.size(), options.seconds, [&] {
    return time_round(workers, chunks, [&](Worker& worker, PackedChunk& chunk) {
      if (!pack(worker, chunk, options.checks)) good = false;
    });
  });
  figures.unpack_mb_per_s = best_rate(data.size(), options.seconds, [&] {
    return time_round(workers, chunks, [&](Worker& worker, const PackedChunk& chunk) {
      if (!unpack(worker, chunk, options.checks)) good = false;
    });
  });
  if (!good) {
    fmt::print(stderr, "codec_bench: a chunk does not unpack to what it was\n");
    std::exit(1);
  }
  std::size_t stored = 0;
  for (const PackedChunk& chunk : chunks) stored += chunk.stored().size();
  figures.ratio = static_cast<double>(stored) / static_cast<double>(data.size());
  return figures;
}

Result<Aead> make_keyed(Cipher cipher) {
  auto aead = Aead::prepare(cipher);
  if (!aead) return aead;
  if (auto r = aead->set_key(kKey); !r) return std::unexpected(r.error());
  return aead;
}

Result<std::vector<Worker>> make_workers(const CodecSpec& spec, std::size_t chunk_bytes,
                                         const Options& options) {
  std::vector<Worker> workers(options.threads);
  for (Worker& worker : workers) {
    auto codec = make_codec(spec, chunk_bytes);
    if (!codec) return std::unexpected(codec.error());
    worker.codec = std::move(*codec);
    worker.unpacked.resize(chunk_bytes);
    if (!options.seal) continue;
    auto aead = make_keyed(*options.seal);
    if (!aead) return std::unexpected(aead.error());
    worker.aead.emplace(std::move(*aead));
    worker.opened.resize(chunk_bytes);
  }
  return workers;
}

int run(const Options& options, std::span<const std::byte> data) {
  Json result = {{"data", data_name(options.snapshot)}, {"bytes", data.size()},
                 {"threads", options.threads},          {"checks", options.checks},
                 {"seal", seal_name(options.seal)},     {"rows", Json::array()}};
  std::vector<std::byte> packed(data.size());
  std::vector<std::byte> sealed(options.seal ? data.size() : 0);
  for (const Candidate& candidate : options.codecs) {
    for (const std::size_t chunk_bytes : options.chunks) {
      auto workers = make_workers(candidate.codec, chunk_bytes, options);
      if (!workers) {
        fmt::print(stderr, "codec_bench: {}\n", workers.error().what());
        return 1;
      }
      const Figures figures = measure(*workers, data, chunk_bytes, packed, sealed, options);
      result["rows"].push_back({{"codec", candidate.name},
                                {"chunk_bytes", chunk_bytes},
                                {"ratio", figures.ratio},
                                {"pack_mb_per_s", figures.pack_mb_per_s},
                                {"unpack_mb_per_s", figures.unpack_mb_per_s}});
    }
  }
  fmt::print("{}\n", result.dump(1));
  return 0;
}

bool take_chunk(Options& options, const std::string& value) {
  std::size_t kib = 0;
  constexpr std::size_t kPageKib = kMinPageBytes / 1024;
  if (!take_number(kib, value) || kib == 0 || kib % kPageKib != 0 || kib * 1024 > kMaxChunkBytes)
    return false;
  options.chunks.push_back(kib * 1024);
  return true;
}

bool take_option(Options& options, std::string_view name, const std::string& value) {
  if (name == "--mib") return take_number(options.mib, value);
  if (name == "--seconds") return take_number(options.seconds, value);
  if (name == "--threads") return take_number(options.threads, value) && options.threads > 0;
  if (name == "--checks") return take_switch(options.checks, value);
  if (name == "--seal") return take_seal(options.seal, value);
  if (name == "--chunk") return take_chunk(options, value);
  const auto candidate = parse_candidate(value);
  if (name != "--codec" || !candidate || candidate->adaptive) return false;
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
  if (options.chunks.empty()) options.chunks = {kDefaultChunkBytes};
  if (options.codecs.empty()) options.codecs = candidates(kUsual);
  return options;
}

}  // namespace
}  // namespace dormouse::bench

int main(int argc, char** argv) {
  const auto options = dormouse::bench::parse(std::span(argv, static_cast<std::size_t>(argc)));
  if (!options) {
    fmt::print(
        stderr,
        "usage: codec_bench [--mib N] [--seconds S] [--threads N] [--checks on|off] [--seal off|CIPHER]\n"
        "                   [--chunk KIB]... [--codec NAME[:LEVEL]]... [SNAPSHOT]\n");
    return 2;
  }
  const auto data = dormouse::bench::load_data(options->snapshot, options->mib << 20);
  return data ? dormouse::bench::run(*options, *data) : 1;
}

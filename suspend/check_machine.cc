/// s2disk --check: looks at everything and changes nothing.
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "dormouse/image_reader.h"
#include "dormouse/image_writer.h"

#include "area/area_resolver.h"
#include "area/swap_file.h"
#include "check/boot_checks.h"
#include "check/finding_ids.h"
#include "check/machine_check.h"
#include "kernel/snapshot_file.h"
#include "memory_bound.h"
#include "suspend_tool.h"
#include "tool/tool_report.h"

namespace dormouse {
namespace {

/// A seal like the one that will be asked for, with a key that nobody needs: a passphrase would have to be
/// typed, and a key file may be what is wrong.
Result<std::optional<ImageSeal>> stand_in_seal(const Settings& settings) {
  if (!settings.encrypt.on) return std::nullopt;
  auto seal = ImageSeal::prepare(settings.encrypt.cipher.value_or(Cipher::kAes256Gcm));
  if (!seal) return std::unexpected(seal.error());
  const auto key = KeyFile::generate_raw();
  if (!key) return std::unexpected(key.error());
  if (auto r = seal->add_key_file(*key); !r) return std::unexpected(r.error());
  return std::optional<ImageSeal>(std::move(*seal));
}

/// What a suspend with these settings allocates and locks: made here in the same way, asked, and given back.
Result<std::uint64_t> own_memory_bytes(const Settings& settings, std::uint32_t page_bytes, const Host& host) {
  const MemoryBound bound(host);
  auto seal = stand_in_seal(settings);
  if (!seal) return std::unexpected(seal.error());
  ImageOptions options = image_options(settings, page_bytes);
  options.adaptive = settings.codec.automatic;
  options.codec = settings.codec.spec;
  const auto writer = ImageWriter::prepare(options, page_bytes, *seal ? &**seal : nullptr);
  if (!writer) return std::unexpected(writer.error());
  const auto cipher = *seal ? std::optional((*seal)->cipher()) : std::nullopt;
  const auto reader = settings.verify ? ImageReader::prepare(options.chunk_bytes, options.threads, 0, cipher)
                                      : ImageReader::prepare(page_bytes, 1);
  if (!reader) return std::unexpected(reader.error());
  return writer->memory_bytes() + reader->memory_bytes();
}

Result<AreaSearch> look_for_area(const Settings& settings, std::uint32_t page_bytes, const Host& host) {
  return find_area({.resume_device = settings.resume_device,
                    .resume_offset_pages = settings.resume_offset_pages,
                    .origin = settings.origin(Key::kResumeDevice).text()},
                   SearchOptions{.sealed_image = settings.encrypt.on, .page_bytes = page_bytes}, host);
}

/// Pieces of the swap file; 0 where it is none, or where they cannot be counted.
std::uint64_t extents_of(const Result<AreaSearch>& search, std::uint32_t page_bytes, const Host& host) {
  if (!search || search->target.swap_file.empty()) return 0;
  const auto place = locate_swap_file(search->target.swap_file, page_bytes, host);
  return place ? place->extents : 0;
}

}  // namespace

int check_only(const Settings& settings, const Host& host) {
  const std::uint32_t page_bytes = system_page_bytes();
  const auto own = own_memory_bytes(settings, page_bytes, host);
  // For want of memory it is a finding like others.
  const bool no_memory = !own && own.error().code == Errc::kNoMemory;
  if (!own && !no_memory) {
    complain("s2disk", own.error().what());
    return exit_code(own.error().code);
  }
  const auto search = look_for_area(settings, page_bytes, host);
  MachineCheck check = check_machine({.settings = settings,
                                      .host = host,
                                      .page_bytes = page_bytes,
                                      .root = ::geteuid() == 0,
                                      .own_bytes = own.value_or(0),
                                      .swap_file_extents = extents_of(search, page_bytes, host),
                                      .boot = check_boot},
                                     search);
  if (no_memory) {
    check.findings.insert(check.findings.begin(),
                          found(finding::kTooLittleMemory, own.error().what(),
                                "end some programs, or ask for fewer threads (--threads=1)"));
  }
  const std::string text = settings.report == ReportFormat::kJson ? check_json(check) : check_text(check);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    complain("s2disk", fail(Errc::kIo, "write report").on("standard output").os(errno).error().what());
    return exit_code(Errc::kIo);
  }
  return check.exit_code();
}

}  // namespace dormouse

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "dormouse/sealing.h"

#include "check/checks.h"
#include "check/finding_ids.h"
#include "kernel/machine_info.h"
#include "report/safe_text.h"

namespace dormouse {
namespace {

/// Whatever the report file is replaced by is made beside it, so the directory counts.
std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string in_tree(const std::string& path, const Host& host) {
  return path.starts_with('/') ? host.paths.root + path : path;
}

void check_report_file(const CheckSubject& subject, Findings& findings) {
  const std::string& path = subject.settings.report_file;
  if (path.empty()) return;
  const std::string remedy = "name another with --report-file, or 'report file' in the configuration";
  const auto refuse = [&](const std::string& why) {
    findings.push_back(found(finding::kReportFile,
                             fmt::format("the report file {} cannot be written: {}", safe_text(path), why),
                             remedy));
  };
  const std::string file = in_tree(path, subject.host);
  struct stat info{};
  if (::stat(file.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    // A device or a FIFO is written to as it is.
    if (S_ISDIR(info.st_mode)) refuse("it is a directory");
    return;
  }
  const std::string directory = directory_of(file);
  if (::faccessat(AT_FDCWD, directory.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    const int errnum = errno;
    refuse(fmt::format("its directory: {}", std::strerror(errnum)));
  }
}

void check_key_files(const CheckSubject& subject, Findings& findings) {
  if (!subject.settings.encrypt.on) return;
  for (const std::string& path : subject.settings.all_key_files()) {
    const auto key = KeyFile::read(in_tree(path, subject.host));
    if (key) continue;
    // Kept from others on purpose: that this is not root has been said.
    if (!subject.root && key.error().errnum == EACCES) continue;
    findings.push_back(found(
        finding::kKeyFile, fmt::format("the image could not be sealed: {}", safe_text(key.error().what())),
        "make a key with suspend-keygen, or name the right file ('key file', --key-file)"));
  }
}

void check_size(const CheckSubject& subject, const MemoryFigures& memory, Findings& findings) {
  const std::uint64_t cap = subject.settings.image_size.bytes(memory.total);
  if (cap <= memory.limit) return;
  findings.push_back(found(
      finding::kSizeAboveLimit,
      fmt::format(
          "the cap of {} bytes on the image ({}) is above the {} bytes that this kernel can save, about "
          "half of the memory; that limit counts",
          cap, subject.settings.origin(Key::kImageSize).text(), memory.limit)));
}

void check_threads(const CheckSubject& subject, Findings& findings) {
  const unsigned processors = usable_cpus();
  if (!subject.settings.threads || *subject.settings.threads <= processors) return;
  findings.push_back(found(
      finding::kManyThreads,
      fmt::format("{} threads ({}) share {} processors: more of them take memory and gain nothing",
                  *subject.settings.threads, subject.settings.origin(Key::kThreads).text(), processors)));
}

}  // namespace

Findings check_settings_here(const CheckSubject& subject, const std::optional<MemoryFigures>& memory) {
  Findings findings;
  check_report_file(subject, findings);
  check_key_files(subject, findings);
  if (memory) check_size(subject, *memory, findings);
  check_threads(subject, findings);
  return findings;
}

}  // namespace dormouse

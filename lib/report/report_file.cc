#include "report/report_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>

#include "base/unique_fd.h"

namespace dormouse {
namespace {

namespace fs = std::filesystem;

Result<void> write_all(int fd, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const auto written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail(Errc::kIo, "write the report").os(errno).on(path);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

/// Character device or FIFO: there is nothing to replace, the text goes where it leads. O_NONBLOCK: a FIFO
/// nobody reads is an error and not a wait without end.
Result<void> write_in_place(const std::string& path, std::string_view text) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file.valid()) return fail(Errc::kIo, "open the report file").os(errno).on(path);
  if (::fcntl(file.get(), F_SETFL, 0) != 0) return fail(Errc::kIo, "open the report file").os(errno).on(path);
  return write_all(file.get(), text, path);
}

/// A file under a name nobody else uses, removed again unless it was renamed.
class TemporaryFile {
 public:
  static Result<TemporaryFile> create(const fs::path& directory) {
    std::uint64_t random = 0;
    if (::getrandom(&random, sizeof random, 0) != static_cast<ssize_t>(sizeof random))
      return fail(Errc::kIo, "getrandom").os(errno);
    TemporaryFile made;
    made.path_ = directory / fmt::format(".dormouse-{:016x}.tmp", random);
    made.file_.reset(::open(made.path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (!made.file_.valid())
      return fail(Errc::kIo, "create a temporary file for the report").os(errno).on(made.path_.string());
    return made;
  }
  TemporaryFile(TemporaryFile&&) = default;
  ~TemporaryFile() {
    if (file_.valid()) ::unlink(path_.c_str());
  }

  Result<void> fill(std::string_view text) {
    if (auto written = write_all(file_.get(), text, path_.string()); !written) return written;
    if (::fsync(file_.get()) != 0) return fail(Errc::kIo, "flush the report").os(errno).on(path_.string());
    return {};
  }
  Result<void> rename_to(const fs::path& target) {
    if (::rename(path_.c_str(), target.c_str()) != 0)
      return fail(Errc::kIo, "rename the report").os(errno).on(target.string());
    file_.reset();
    return {};
  }

 private:
  TemporaryFile() = default;
  fs::path path_;
  UniqueFd file_;  // open: path_ is still ours to remove
};

Result<void> replace(const fs::path& target, std::string_view text) {
  const auto directory = target.has_parent_path() ? target.parent_path() : fs::path(".");
  auto temporary = TemporaryFile::create(directory);
  if (!temporary) return std::unexpected(temporary.error());
  if (auto filled = temporary->fill(text); !filled) return filled;
  if (auto renamed = temporary->rename_to(target); !renamed) return renamed;
  // The new name survives a power cut once the directory is flushed; the report is whole either way.
  const UniqueFd opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.valid()) ::fsync(opened.get());
  return {};
}

}  // namespace

Result<void> write_report_file(const std::string& path, std::string_view text) {
  if (path.empty()) return fail(Errc::kUsage, "open the report file").because("its name is empty");
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno != ENOENT) return fail(Errc::kIo, "look at the report file").os(errno).on(path);
    return replace(path, text);
  }
  if (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode)) return write_in_place(path, text);
  if (!S_ISREG(status.st_mode))
    return fail(Errc::kUsage, "open the report file").on(path).because("it is not a regular file");
  std::error_code error;
  const auto target = fs::canonical(path, error);
  if (error) return fail(Errc::kIo, "look at the report file").os(error.value()).on(path);
  return replace(target, text);
}

}  // namespace dormouse

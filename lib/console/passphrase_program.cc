/// A passphrase that another program asks for.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <thread>

#include "dormouse/sealing.h"

#include "console/passphrase_source.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to the program

namespace dormouse {
namespace {

using Words = std::vector<std::string>;

/// A program that runs, with standard input from nowhere. It does not outlive this.
class Child {
 public:
  /// `output`: a pipe's end for its standard output, which then is the child's alone; -1: output is dropped.
  static Result<Child> start(Words words, int output) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (output >= 0) {
      ::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    } else {
      ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
      ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    // Ours may be blocked and ignored (SignalWatcher).
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    Child child;
    const int error =
        ::posix_spawnp(&child.pid_, arguments[0], &files, &attributes, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
    if (error != 0) {
      child.pid_ = -1;
      return fail(Errc::kIo, kAskPassphrase).on(words.front()).os(error);
    }
    return child;
  }
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  Child& operator=(Child&&) = delete;
  ~Child() {
    if (pid_ < 0) return;
    // It has something to clean up.
    ::kill(pid_, SIGTERM);
    if (ends_within(kPatience)) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  /// True once it has ended; status() is known then.
  bool ends_within(std::chrono::milliseconds time) {
    constexpr std::chrono::milliseconds kLook(10);
    for (;; time -= kLook) {
      if (pid_ >= 0 && ::waitpid(pid_, &status_, WNOHANG) != 0) pid_ = -1;
      if (pid_ < 0 || time <= std::chrono::milliseconds::zero()) return pid_ < 0;
      std::this_thread::sleep_for(kLook);
    }
  }
  [[nodiscard]] bool succeeded() const { return pid_ < 0 && WIFEXITED(status_) && WEXITSTATUS(status_) == 0; }

  static constexpr std::chrono::milliseconds kPatience{2000};

 private:
  Child() = default;
  pid_t pid_ = -1;
  int status_ = -1;
};

Words words_for(ProgramSource::Kind kind, std::string_view prompt, std::optional<unsigned> seconds) {
  const std::string text = seconds ? fmt::format("{} ({} s)", prompt, *seconds) : std::string(prompt);
  if (kind == ProgramSource::Kind::kPlymouth) return {"plymouth", "ask-for-password", "--prompt=" + text};
  Words words = {"systemd-ask-password", "--no-tty", "--icon=drive-harddisk", "--id=dormouse:passphrase"};
  if (seconds) words.push_back(fmt::format("--timeout={}", *seconds));
  words.push_back(text + ":");
  return words;
}

}  // namespace

bool ProgramSource::plymouth_answers() {
  auto ping = Child::start({"plymouth", "--ping"}, -1);
  return ping && ping->ends_within(Child::kPatience) && ping->succeeded();
}

Result<Secret> ProgramSource::read(std::string_view prompt, AnswerWait& wait) {
  auto answer =
      Secret::allocate(kMaxPassphraseBytes + 2);  // with a line's end, and one to see that it is too long
  if (!answer) return answer;
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(Errc::kIo, kAskPassphrase).on("a pipe").os(errno);
  const UniqueFd from(ends[0]);
  UniqueFd to(ends[1]);
  ::fcntl(from.get(), F_SETFL, O_NONBLOCK);
  const Words words = words_for(kind_, prompt, wait.limit_seconds());
  auto child = Child::start(words, to.get());
  if (!child) return std::unexpected(child.error());
  to.reset();
  std::size_t size = 0;
  for (;;) {
    const auto rest = answer->span().subspan(size);
    const auto got = ::read(from.get(), rest.data(), rest.size());
    if (got > 0) size += static_cast<std::size_t>(got);
    if (got == 0) break;  // the end, or full
    if (got < 0 && errno != EAGAIN && errno != EINTR)
      return fail(Errc::kIo, kAskPassphrase).on(words.front()).os(errno);
    if (got > 0) continue;
    if (auto r = wait.turn(); !r) return std::unexpected(r.error());
  }
  const auto typed = answer->span().first(size);
  const auto end = std::ranges::find(typed, std::byte{'\n'});
  const auto length = static_cast<std::size_t>(end - typed.begin());
  if (length > kMaxPassphraseBytes) {
    return fail(Errc::kUsage, kAskPassphrase)
        .on(words.front())
        .because("it gave more than {} bytes, the most that a passphrase can have", kMaxPassphraseBytes);
  }
  if (!child->ends_within(Child::kPatience) || !child->succeeded())
    return fail(Errc::kStopped, kAskPassphrase).on(words.front()).because("nobody answered it");
  answer->shrink(length);
  return answer;
}

}  // namespace dormouse

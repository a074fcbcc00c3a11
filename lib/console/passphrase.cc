#include "console/passphrase.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/core_dump.h"
#include "console/passphrase_source.h"
#include "console/signal_watcher.h"

namespace dormouse {
namespace {

constexpr int kRounds = 3;         // for two that have to agree
constexpr int kUnfitAnswers = 10;  // somebody leans on Enter

bool is_stream(int fd) {
  struct stat status{};
  return ::fstat(fd, &status) == 0 &&
         (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || S_ISREG(status.st_mode));
}

Failure nobody() {
  return fail(Errc::kUsage, kAskPassphrase)
      .because(
          "nobody can be asked: there is no terminal here, and neither Plymouth nor systemd asks for it. "
          "Give it as "
          "a line on standard input (a pipe or a file), or use a key file (--key-file)");
}

}  // namespace

AskingWay choose_way(const AskingMeans& means) {
  if (means.stdin_is_stream) return AskingWay::kStandardInput;
  if (means.plymouth) return AskingWay::kPlymouth;
  if (means.terminal) return AskingWay::kTerminal;
  return means.systemd ? AskingWay::kSystemd : AskingWay::kNone;
}

PassphraseAsker::PassphraseAsker(PassphraseRequest request, std::unique_ptr<SignalWatcher> signals,
                                 std::unique_ptr<PassphraseSource> source)
    : request_(std::move(request)), signals_(std::move(signals)), source_(std::move(source)) {}
PassphraseAsker::PassphraseAsker(PassphraseAsker&&) noexcept = default;
PassphraseAsker::~PassphraseAsker() = default;

Result<PassphraseAsker> PassphraseAsker::open(const PassphraseRequest& request) {
  forbid_core_dumps();
  // Before the terminal is changed: a fatal signal would leave it so.
  auto signals = watch(request);
  if (!signals) return std::unexpected(signals.error());
  AskingMeans means{.stdin_is_stream = is_stream(STDIN_FILENO)};
  means.plymouth = request.boot && !means.stdin_is_stream && ProgramSource::plymouth_answers();
  SingleKeys keys;
  if (!means.stdin_is_stream && !means.plymouth) {
    keys = SingleKeys::open({STDIN_FILENO, STDERR_FILENO}, SingleKeys::Scope::kAnyTerminal,
                            SingleKeys::Interrupt::kKey, O_RDWR);
  }
  means.terminal = keys.valid();
  means.systemd = ::access("/run/systemd/system", F_OK) == 0;
  std::unique_ptr<PassphraseSource> source;
  switch (choose_way(means)) {
    case AskingWay::kStandardInput:
      source = std::make_unique<LineSource>(STDIN_FILENO);
      break;
    case AskingWay::kPlymouth:
      source = std::make_unique<ProgramSource>(ProgramSource::Kind::kPlymouth);
      break;
    case AskingWay::kTerminal:
      source = std::make_unique<TerminalSource>(request.tool, std::move(keys));
      break;
    case AskingWay::kSystemd:
      source = std::make_unique<ProgramSource>(ProgramSource::Kind::kSystemd);
      break;
    case AskingWay::kNone:
      return nobody();
  }
  return PassphraseAsker(request, std::move(*signals), std::move(source));
}

Result<PassphraseAsker> PassphraseAsker::with_source(const PassphraseRequest& request,
                                                     std::unique_ptr<PassphraseSource> source) {
  auto signals = watch(request);
  if (!signals) return std::unexpected(signals.error());
  return PassphraseAsker(request, std::move(*signals), std::move(source));
}

Result<std::unique_ptr<SignalWatcher>> PassphraseAsker::watch(const PassphraseRequest& request) {
  if (request.stop) return nullptr;
  auto signals = SignalWatcher::install();
  if (!signals) return std::unexpected(signals.error());
  return std::make_unique<SignalWatcher>(std::move(*signals));
}

Result<Secret> PassphraseAsker::ask() {
  if (++tries_ > 1) remark("that passphrase does not open it");
  const bool confirm = request_.confirm && source_->asks_a_person();
  for (int round = 0; round < kRounds; ++round) {
    auto first = answer(request_.prompt);
    if (!first || !confirm) return first;
    auto second = answer("the same again");
    if (!second) return second;
    if (std::ranges::equal(first->span(), second->span())) return first;
    remark("the two are not the same");
  }
  return fail(Errc::kUsage, kAskPassphrase)
      .because("the two entries differed {} times; nothing was changed", kRounds);
}

Result<Secret> PassphraseAsker::answer(std::string_view prompt) {
  MonotonicClock clock;
  const std::function<bool()> stop =
      request_.stop ? request_.stop : [this] { return signals_->stop_requested(); };
  for (int unfit = 0; unfit < kUnfitAnswers; ++unfit) {
    AnswerWait wait(clock, request_.countdown_seconds, stop);
    InlineText<400> question;
    question.format("{}{}{}", unsaid_.view(), unsaid_.view().empty() ? "" : ": ", prompt);
    unsaid_.format("{}", "");
    auto secret = source_->read(question.view(), wait);
    if (secret && !secret->empty()) return secret;
    if (!secret && secret.error().code != Errc::kUsage) return secret;
    if (!source_->asks_a_person()) {
      if (!secret) return secret;
      return fail(Errc::kUsage, kAskPassphrase).because("the passphrase given is empty");
    }
    remark(secret ? "a passphrase cannot be empty" : secret.error().detail.view());
  }
  return fail(Errc::kStopped, kAskPassphrase).because("no passphrase was given");
}

void PassphraseAsker::remark(std::string_view line) {
  if (!source_->say(line)) unsaid_.format("{}", line);
}

}  // namespace dormouse

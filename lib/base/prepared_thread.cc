#include "base/prepared_thread.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "base/private_memory.h"

namespace dormouse {
namespace {

/// Where a stack begins, and as far as ciphers get, which leave pieces of keys there while they work.
constexpr std::size_t kPrivateBytes = std::size_t{256} << 10;

std::size_t guard_bytes() {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

Result<PreparedThread> PreparedThread::prepare(std::size_t stack_bytes) {
  auto stack = AlignedBuffer::allocate(stack_bytes);
  if (!stack) return std::unexpected(stack.error());
  if (::mprotect(stack->data(), guard_bytes(), PROT_NONE) != 0) {
    return fail(Errc::kNoMemory, "protect the end of a thread's stack").os(errno);
  }
  keep_private_if_allowed(stack->span().last(std::min(kPrivateBytes, stack_bytes - guard_bytes())));
  PreparedThread thread;
  thread.stack_ = std::move(*stack);
  return thread;
}

PreparedThread::PreparedThread(PreparedThread&& other) noexcept : stack_(std::move(other.stack_)) {}

Result<void> PreparedThread::start(void (*body)(void*), void* context) {
  body_ = body;
  context_ = context;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack_.data() + guard_bytes(), stack_.size() - guard_bytes());
  // Signals are for the thread that owns the machine's life cycle; workers never see them.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int status = pthread_create(&thread_, &attributes, &PreparedThread::trampoline, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (status != 0) return fail(Errc::kNoMemory, "start worker thread").os(status);
  running_ = true;
  return {};
}

void PreparedThread::join() {
  if (!running_) return;
  pthread_join(thread_, nullptr);
  running_ = false;
}

void* PreparedThread::trampoline(void* self) {
  auto* thread = static_cast<PreparedThread*>(self);
  thread->body_(thread->context_);
  return nullptr;
}

}  // namespace dormouse

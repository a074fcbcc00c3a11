#include "pipeline/threaded_queue.h"

#include <sys/resource.h>

#include <array>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "base/prepared_thread.h"

namespace dormouse {
namespace {

constexpr int kServingNice = -5;

struct Request {
  std::uint64_t tag = 0;
  DeviceOffset offset{};
  std::span<const std::byte> data;  // to write
  std::span<std::byte> out;         // or to fill
};

}  // namespace

struct ThreadedQueue::State {
  static constexpr std::size_t kInLine = 32;

  BlockDevice* device = nullptr;
  Client* client = nullptr;
  std::mutex mutex;
  std::condition_variable changed;
  std::array<Request, kInLine> line;  // a ring
  std::size_t first = 0;
  std::size_t count = 0;
  bool stopping = false;
  std::vector<PreparedThread> threads;

  Result<void> put(const Request& request) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return count < kInLine; });
    line[(first + count++) % kInLine] = request;
    changed.notify_all();
    return {};
  }

  void serve() {
    // Packers that take every processor would starve these threads, and a device that is not served looks
    // like a slow one. Of this thread only (setpriority(2)); where it is not allowed, it has to go without.
    ::setpriority(PRIO_PROCESS, 0, kServingNice);
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return count > 0 || stopping; });
      if (count == 0) return;
      const Request request = line[first];
      first = (first + 1) % kInLine;
      --count;
      changed.notify_all();
      lock.unlock();
      const auto how = request.out.empty() ? device->write(request.offset, request.data)
                                           : device->read(request.offset, request.out);
      client->request_ended(request.tag, how);
      lock.lock();
    }
  }
};

ThreadedQueue::ThreadedQueue(std::unique_ptr<State> state) : state_(std::move(state)) {}
ThreadedQueue::ThreadedQueue(ThreadedQueue&&) noexcept = default;
ThreadedQueue::~ThreadedQueue() {
  if (state_) stop();
}

Result<ThreadedQueue> ThreadedQueue::prepare(unsigned threads) {
  auto state = std::make_unique<State>();
  for (unsigned i = 0; i < threads; ++i) {
    auto thread = PreparedThread::prepare();
    if (!thread) return std::unexpected(thread.error());
    state->threads.push_back(std::move(*thread));
  }
  return ThreadedQueue(std::move(state));
}

void ThreadedQueue::use(BlockDevice& device) {
  state_->device = &device;
}

std::size_t ThreadedQueue::stack_bytes() const {
  return state_->threads.size() * PreparedThread::kStackBytes;
}

Result<void> ThreadedQueue::start(Client& client, std::span<std::byte> /*memory*/) {
  state_->client = &client;
  state_->stopping = false;
  for (PreparedThread& thread : state_->threads) {
    if (auto r = thread.start(&ThreadedQueue::serve, state_.get()); !r) {
      stop();
      return r;
    }
  }
  return {};
}

Result<void> ThreadedQueue::write(std::uint64_t tag, DeviceOffset offset, std::span<const std::byte> data) {
  return state_->put({.tag = tag, .offset = offset, .data = data, .out = {}});
}

Result<void> ThreadedQueue::read(std::uint64_t tag, DeviceOffset offset, std::span<std::byte> out) {
  return state_->put({.tag = tag, .offset = offset, .data = {}, .out = out});
}

void ThreadedQueue::stop() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->changed.notify_all();
  for (PreparedThread& thread : state_->threads) thread.join();
}

void ThreadedQueue::serve(void* state) {
  static_cast<State*>(state)->serve();
}

}  // namespace dormouse

#include "io/ring_queue.h"

#include <algorithm>
#include <cerrno>

namespace dormouse {
namespace {

/// The tag of the knock that wakes the thread to end. Like IoRing::kNobody it is no place in the table.
constexpr std::uint64_t kStop = RingQueue::kDepth;

std::string_view name_of(const IoRing::Transfer& transfer) {
  return transfer.write ? "write" : "read";
}

}  // namespace

Result<std::unique_ptr<RingQueue>> RingQueue::prepare(Owner& owner, std::unique_ptr<IoRing> ring) {
  if (!ring) return nullptr;
  std::unique_ptr<RingQueue> queue(new RingQueue(owner, std::move(ring)));
  auto thread = PreparedThread::prepare();
  if (!thread) return std::unexpected(thread.error());
  queue->thread_.emplace(std::move(*thread));
  return queue;
}

Result<void> RingQueue::start(Client& client, std::span<std::byte> memory) {
  client_ = &client;
  stopping_ = false;
  ring_->register_memory(memory);  // where that fails each request brings its own
  if (auto r = thread_->start(&RingQueue::run, this); !r) {
    ring_->forget_memory();
    return r;
  }
  return {};
}

Result<void> RingQueue::write(std::uint64_t tag, DeviceOffset offset, std::span<const std::byte> data) {
  if (auto r = owner_.check_request("write", offset, data); !r) return r;
  // The ring has one kind of transfer for both ways; of a write it only reads.
  return begin(tag, offset, const_cast<std::byte*>(data.data()), data.size(), true);
}

Result<void> RingQueue::read(std::uint64_t tag, DeviceOffset offset, std::span<std::byte> out) {
  if (auto r = owner_.check_request("read", offset, out); !r) return r;
  return begin(tag, offset, out.data(), out.size(), false);
}

Result<void> RingQueue::begin(std::uint64_t tag, DeviceOffset offset, std::byte* data, std::size_t bytes,
                              bool write) {
  std::size_t place = 0;
  const IoRing::Transfer transfer{
      .write = write,
      .fd = owner_.fd(),
      .data = data,
      .bytes = bytes,
      .offset = to_bytes(offset),
      .never_wait = owner_.never_wait() && !may_wait_.load(std::memory_order_relaxed)};
  {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return in_flight_ < kDepth; });
    while (requests_[place].used) ++place;
    requests_[place] = {.used = true, .tag = tag, .transfer = transfer};
    ++in_flight_;
  }
  const int status = ring_->begin(transfer, place);
  if (status == 0) return {};
  const std::lock_guard lock(mutex_);
  requests_[place].used = false;
  --in_flight_;
  return std::unexpected(owner_.request_error(name_of(transfer), transfer.offset, -status));
}

void RingQueue::run(void* self) {
  static_cast<RingQueue*>(self)->reap();
}

void RingQueue::reap() {
  IoRing::Ended ended;
  while (true) {
    const bool told = ring_->wait(ended) == 0;
    if (stopping_) return;
    if (!told || ended.tag >= kDepth) continue;
    Request request;
    {
      const std::lock_guard lock(mutex_);
      request = requests_[ended.tag];
    }
    const Result<void> how = settle(request.transfer, ended.moved);
    client_->request_ended(request.tag, how);
    const std::lock_guard lock(mutex_);
    requests_[ended.tag].used = false;
    --in_flight_;
    ended_.notify_all();
  }
}

Result<void> RingQueue::settle(const IoRing::Transfer& transfer, ssize_t moved) {
  if (moved == -EOPNOTSUPP && transfer.never_wait) {
    // Some devices cannot promise that (the device mapper's error target): from now on nobody asks them to.
    may_wait_.store(true, std::memory_order_relaxed);
    moved = 0;
  }
  if (moved == -EINTR || moved == -EAGAIN) moved = 0;
  if (moved < 0) {
    return std::unexpected(
        owner_.request_error(name_of(transfer), transfer.offset, static_cast<int>(-moved)));
  }
  const auto done = static_cast<std::size_t>(moved);
  if (done == transfer.bytes) return {};
  // Direct I/O moves whole blocks; of a torn one nothing is taken for done.
  const std::size_t whole = done - done % kMinPageBytes;
  const DeviceOffset at{transfer.offset + whole};
  const std::span rest(transfer.data + whole, transfer.bytes - whole);
  return transfer.write ? owner_.device().write(at, rest) : owner_.device().read(at, rest);
}

void RingQueue::stop() {
  if (!thread_ || !thread_->running()) return;
  {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return in_flight_ == 0; });
  }
  stopping_ = true;
  ring_->knock(kStop);  // only saves time: the thread looks now and then
  thread_->join();
  ring_->forget_memory();
}

}  // namespace dormouse

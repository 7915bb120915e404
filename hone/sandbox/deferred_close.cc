// SPDX-License-Identifier: Apache-2.0
#include "hone/sandbox/deferred_close.h"

#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace hone {
namespace {

constexpr std::size_t kMax = 8;

class Closer {
 public:
  Closer() : pid_(::getpid()), thread_([this](const std::stop_token& stop) { Run(stop); }) {}
  Closer(const Closer&) = delete;
  Closer& operator=(const Closer&) = delete;
  ~Closer() = default;

  // False if it has to be closed here: too many wait, or we are a forked child without the thread.
  bool Take(Descriptor& descriptor) {
    if (::getpid() != pid_) return false;
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kMax) return false;
    waiting_.push_back(std::move(descriptor));
    wake_.notify_one();
    return true;
  }

 private:
  void Run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::vector<Descriptor> some;
      {
        std::unique_lock lock(mutex_);
        if (!wake_.wait(lock, stop, [this] { return !waiting_.empty(); })) return;
        some.swap(waiting_);
      }
    }
  }

  const pid_t pid_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::vector<Descriptor> waiting_;  // Protected by mutex_.
  std::jthread thread_;              // Last: it uses all the others.
};

}  // namespace

void CloseDeferred(Descriptor descriptor) {
  // Never destroyed: a forked child could not join the thread. What waits when the process ends,
  // the kernel closes.
  static auto* const closer = new Closer;
  if (descriptor.is_open() && !closer->Take(descriptor)) descriptor.Close();
}

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/mcp/line_writer.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <utility>

namespace hone::agent {
namespace {

constexpr std::size_t kRoom = 1 << 20;         // Bytes that may wait before nothing more is read.
constexpr std::size_t kMaxWaiting = 64 << 20;  // Beyond it the reader counts as gone.
constexpr int kWriterSliceMs = 100;            // How soon an end is noticed while nobody reads.

}  // namespace

LineWriter::LineWriter(int out) : out_(out), thread_([this] { Run(); }) {}

LineWriter::~LineWriter() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void LineWriter::Write(std::string line) {
  {
    const std::lock_guard lock(mutex_);
    if (is_broken_) return;
    line += '\n';
    bytes_ += line.size();
    waiting_.push_back(std::move(line));
    is_broken_ = bytes_ > kMaxWaiting;
  }
  changed_.notify_all();
}

bool LineWriter::AwaitRoom(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  const bool is_in_time =
      changed_.wait_for(lock, timeout, [this] { return is_broken_ || bytes_ <= kRoom; });
  return is_in_time && !is_broken_;
}

bool LineWriter::Flush(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  const bool is_in_time =
      changed_.wait_for(lock, timeout, [this] { return is_broken_ || bytes_ == 0; });
  return is_in_time && !is_broken_;
}

bool LineWriter::is_broken() const {
  const std::lock_guard lock(mutex_);
  return is_broken_;
}

// In pieces that a pipe which can be written at all takes whole, so that no call blocks.
bool LineWriter::WriteOut(const std::string& line) {
  std::size_t done = 0;
  while (done < line.size()) {
    {
      const std::lock_guard lock(mutex_);
      if (is_ending_ || is_broken_) return false;
    }
    pollfd place{out_, POLLOUT, 0};
    const int ready = ::poll(&place, 1, kWriterSliceMs);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    if (ready < 0) return false;
    const std::size_t piece = std::min<std::size_t>(line.size() - done, PIPE_BUF);
    const ssize_t written = ::write(out_, line.data() + done, piece);
    if (written < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  return true;
}

void LineWriter::Run() {
  sigset_t pipe;  // That nobody reads is an error of a write, not the end of the process.
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_ending_ || is_broken_ || !waiting_.empty(); });
    if (is_ending_ || is_broken_) return;
    const std::string line = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    const bool is_written = WriteOut(line);
    lock.lock();
    bytes_ -= line.size();
    is_broken_ = is_broken_ || (!is_written && !is_ending_);
    changed_.notify_all();
  }
}

}  // namespace hone::agent

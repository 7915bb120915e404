// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

namespace hone::agent {

// Writes lines to a descriptor from a thread of its own, so that nobody who has something to say
// waits for a reader who does not read. Safe for concurrent use.
class LineWriter {
 public:
  // Does not own the descriptor.
  explicit LineWriter(int out);
  ~LineWriter();  // Does not wait for what was not written.

  // Takes a line without its break. Dropped once nobody reads.
  void Write(std::string line);

  // Blocks while much waits to be written. False: nobody reads, or not within `timeout`.
  bool AwaitRoom(std::chrono::milliseconds timeout);

  bool Flush(std::chrono::milliseconds timeout);  // True: all is written.
  bool is_broken() const;                         // The reader is gone.

 private:
  void Run();
  bool WriteOut(const std::string& line);

  const int out_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> waiting_;  // Protected by mutex_, as what follows.
  std::size_t bytes_ = 0;            // Of them, and of the one that is being written.
  bool is_broken_ = false;
  bool is_ending_ = false;
  std::thread thread_;  // Last, so that what it uses is there.
};

}  // namespace hone::agent

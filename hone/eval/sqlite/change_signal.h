// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "hone/base/descriptor.h"
#include "hone/core/result.h"

namespace hone {

// A file by which processes tell each other that something changed; nobody polls. Everyone who
// hung the same bell hears every ring, his own included; rings may be heard as one.
//
// A process that dies rings too, so that what it had done but not yet announced is noticed. Works
// between processes of one machine (inotify).
class ChangeSignal {
 public:
  virtual ~ChangeSignal() = default;  // Waits for a call of `on_ring` to end.
  virtual void Ring() = 0;            // Safe for concurrent use.
};

// Rings a bell without listening to it, however often it was hung.
class ChangeNotifier {
 public:
  ChangeNotifier() = default;                                  // Of no bell: ringing does nothing.
  explicit ChangeNotifier(const std::filesystem::path& path);  // Makes the file if needed, and can.

  void Ring() const;

 private:
  Descriptor file_;
};

// The bell of a SQLite file, which its queue and its campaigns ring after each commit.
std::filesystem::path ChangeSignalOf(const std::filesystem::path& database);

// Makes the file if needed. Calls `on_ring` from a thread of its own.
Result<std::unique_ptr<ChangeSignal>> WatchChanges(const std::filesystem::path& path,
                                                   std::function<void()> on_ring);

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <utility>
#include <vector>

#include "hone/base/descriptor.h"
#include "hone/core/result.h"
#include "hone/tune/watch/watch_event.h"

namespace hone::tune {

// The events of watches, one JSON document a line, only ever appended to. docs/formats/watch-log.md
//
// A line is written in one piece before the watch goes on, so a kill loses nothing. All but runs
// are also on the disk then; a power cut loses at most the runs after the last other event.
class WatchLog {
 public:
  // Makes the file and its folder where they are missing. What a power cut left of a last line is
  // cut off. kStale if another process writes to it.
  static Result<WatchLog> Open(const std::filesystem::path& path);

  Result<void> Append(const WatchEvent& event);

 private:
  WatchLog(std::filesystem::path path, Descriptor file)
      : path_(std::move(path)), file_(std::move(file)) {}

  std::filesystem::path path_;
  Descriptor file_;
};

// A last line that was not finished is left out; any other fault is kCorrupt and names the line.
Result<std::vector<WatchEvent>> ReadWatchLog(const std::filesystem::path& path);

}  // namespace hone::tune

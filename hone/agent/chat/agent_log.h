// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/descriptor.h"
#include "hone/base/json/json.h"
#include "hone/core/result.h"

namespace hone::agent {

// All that an agent asked and was told, a JSON object a line (docs/formats/walk-log.md,
// docs/formats/kernel-log.md). One that begins again over the same log is told the same as far as
// it goes, and then goes on: that is how it resumes after a kill. Append may be called by several
// threads; all else by one at a time.
class AgentLog {
 public:
  AgentLog() = default;  // In memory alone.

  // Goes on with the file, or begins it. A last line that a kill cut off is dropped. kStale if
  // another process writes it.
  static Result<AgentLog> Open(const std::filesystem::path& path);

  // What the file holds and nothing else: Append is a failure.
  static Result<AgentLog> Read(const std::filesystem::path& path);

  // The next line that was recorded, which must be of this kind; nullopt if there is none left.
  // kInvalidArgument if it is of another: the log is of another walk.
  Result<std::optional<Json>> Next(std::string_view kind);

  // Of the line that Next would give; empty if there is none left.
  std::string_view next_kind() const;

  // On disk when this returns, if there is a file.
  Result<void> Append(std::string_view kind, Json record);

  bool is_at_end() const { return next_ == recorded_.size(); }
  bool is_read_only() const { return is_read_only_; }
  std::string Where() const;  // "walk.jsonl:12", the line that was read last.

 private:
  struct Line {
    std::size_t number = 0;
    Json record;
  };
  Result<void> Take(std::string_view text);

  std::string name_ = "the log";
  Descriptor file_;
  bool is_read_only_ = false;
  std::vector<Line> recorded_;
  std::size_t next_ = 0;
  std::unique_ptr<std::mutex> appending_ = std::make_unique<std::mutex>();
};

}  // namespace hone::agent

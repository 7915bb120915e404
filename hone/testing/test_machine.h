// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/fsuid.h>
#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <utility>

#include "hone/core/result.h"

// For tests that need the machine to be in a bad state.
namespace hone {

// While it lives, this thread has the file rights of the user nobody: root may write anywhere.
class AsNobody {
 public:
  AsNobody() : user_(::setfsuid(kNobody)) {}
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;
  ~AsNobody() { ::setfsuid(static_cast<uid_t>(user_)); }

 private:
  static constexpr uid_t kNobody = 65534;
  int user_;
};

// A file system of this size in memory, unmounted when destroyed. Needs root.
class TinyDisk {
 public:
  static Result<TinyDisk> Mount(const std::filesystem::path& at, std::size_t bytes);

  TinyDisk(TinyDisk&& other) noexcept;
  TinyDisk& operator=(TinyDisk&&) = delete;
  ~TinyDisk();

  Result<void> MakeReadOnly();

 private:
  explicit TinyDisk(std::filesystem::path at) : at_(std::move(at)) {}

  std::filesystem::path at_;
};

// Runs `body` in a forked child, waits until it has written a byte to the descriptor that it is
// given, runs `meanwhile` here, and kills the child with SIGKILL.
void KillWhenReady(
    const std::function<void(int ready)>& body, const std::function<void()>& meanwhile = [] {});

}  // namespace hone

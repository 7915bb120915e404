// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "hone/base/clock.h"
#include "hone/core/result.h"

namespace hone::kernels {

// The one folder in a source tree that is no part of it, and that builds must therefore not see.
inline constexpr char kUnseenFolder[] = ".git";

// What lies in a source tree.
struct TreeIdentity {
  // SHA-256 over path, mode and contents of all files, links and folders: equal for equal trees,
  // wherever they lie. Times are not in it.
  std::string contents;

  // SHA-256 over what the file system says of them. If it is the same before and after, nothing was
  // changed in between, not even back again.
  std::string stamps;

  friend bool operator==(const TreeIdentity&, const TreeIdentity&) = default;
};

// Reads every file, on several threads, but those whose contents are known by their state from
// before (file_digests.h): that is kept in a file of `digests` for each tree. Links are not
// followed: what counts is their text. A pipe, socket or device, a file that cannot be read, and a
// tree that changes meanwhile are an error.
Result<TreeIdentity> IdentifyTree(const std::filesystem::path& tree,
                                  const std::filesystem::path& digests,
                                  Clock& clock = SystemClock());

// Whether what is known by its state is believed in this folder: on file systems on which this
// kernel notes the time of every change, also one through memory.
bool CanKnowByState(const std::filesystem::path& folder);

}  // namespace hone::kernels

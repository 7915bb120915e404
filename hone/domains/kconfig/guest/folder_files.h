// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

#include "hone/core/result.h"

namespace hone::kernels {

struct FolderFile {
  std::filesystem::path name;  // From the folder on.
  std::string content;
  bool is_program = false;
  bool is_ours =
      false;  // Nobody but root and this user can change it, or put another in its place.
};

// What is done with the files of a folder.
struct FolderReader {
  std::function<bool(const std::filesystem::path& name)> wants;
  std::function<Result<void>(FolderFile file)> take;
  std::size_t max_file = 0;  // Bytes; a larger one is an Error.
};

// Reads all files below a folder, whoever may write there. A link in it becomes what it points to
// where that is a file of this folder; one that leads out is an Error, one that leads nowhere or to
// a folder is passed over, as are pipes, sockets and devices. Only regular files are opened.
Result<void> ReadFolder(const std::filesystem::path& folder, const FolderReader& reader);

}  // namespace hone::kernels

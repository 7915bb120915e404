// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace hone::kernels {

// A file of the first file system that a kernel sees; its folders are made.
struct InitramfsFile {
  std::string path;  // Without the leading slash: "etc/hone".
  std::string content;
  bool is_program = false;
};

// An archive in cpio's "newc" form, as a kernel unpacks it, with /dev/console. The same files give
// the same bytes.
std::string MakeInitramfs(const std::vector<InitramfsFile>& files);

}  // namespace hone::kernels

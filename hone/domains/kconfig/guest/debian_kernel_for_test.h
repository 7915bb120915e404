// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "hone/base/file.h"
#include "hone/base/process/subprocess.h"
#include "hone/domains/kconfig/guest/initramfs.h"

// Debian's own kernels: guests that nobody of us built.
namespace hone::kernels {

// The folder of Debian's kernel for a processor (as Debian names it; empty: this machine's); empty
// if it cannot be had.
inline std::filesystem::path DebianKernel(const std::string& arch) {
  Command command;
  command.arguments = {HONE_SOURCE_DIR "/scripts/debian-kernel"};
  if (!arch.empty()) command.arguments.push_back(arch);
  command.limit = std::chrono::minutes{2};
  const auto ran = RunProcess(command);
  if (!ran || ran->status != 0) return {};
  return ran->output.substr(0, ran->output.find('\n'));
}

inline std::vector<InitramfsFile> ModulesIn(const std::filesystem::path& folder) {
  std::vector<InitramfsFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(
        {"modules/" + entry.path().filename().string(), ReadFile(entry.path()).value(), false});
  }
  std::sort(files.begin(), files.end(),
            [](const auto& one, const auto& other) { return one.path < other.path; });
  return files;
}

}  // namespace hone::kernels

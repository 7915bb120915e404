// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <future>
#include <string>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/base/process/subprocess.h"
#include "hone/base/temp_dir.h"
#include "hone/core/task.h"

namespace hone {

// The real binary, with a store of its own in a folder that goes away with the test.
class HoneTest : public testing::Test {
 protected:
  HoneTest();

  std::filesystem::path Folder() const { return folder_->path(); }
  std::filesystem::path Store() const { return Folder() / "hone.db"; }

  // The command line for these arguments and this store.
  std::vector<std::string> CommandFor(std::vector<std::string> arguments) const;

  ProcessResult Run(std::vector<std::string> arguments) const;

  // Runs with --json and parses what is on standard output; null if it is no JSON.
  Json RunJson(std::vector<std::string> arguments) const;

  // A campaign in the background.
  struct Live {
    pid_t pid = 0;
    std::future<ProcessResult> result;
  };

  // Returns when `is_there` says so, or when the process has ended.
  Live Start(std::vector<std::string> arguments, const std::function<bool()>& is_there) const;

  // How many decisions of the newest campaign are stored; 0 if there is none yet.
  std::size_t CountDecisions() const;
  bool WasPushed(const TaskId& task) const;

 private:
  const Result<TempDir> folder_;
};

}  // namespace hone

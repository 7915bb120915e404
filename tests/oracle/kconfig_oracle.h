// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hone/base/process/subprocess.h"
#include "hone/base/temp_dir.h"
#include "hone/core/result.h"
#include "hone/kconfig/files/kernel_environment.h"
#include "hone/kconfig/values/configuration.h"

namespace hone::kconfig {

// Debian's kernel tree and the C tool built from it; scripts/kernel-tree has them ready. An Error
// says why they are not to be had here.
struct KernelOracle {
  std::filesystem::path tree;
  std::filesystem::path conf;

  static Result<KernelOracle> Find();
};

// The C tool and ours over one architecture, both with the same environment and the same results
// of shell commands.
class ArchOracle {
 public:
  static Result<ArchOracle> Load(const KernelOracle& oracle, const std::string& arch);

  const TreePlace& place() const { return place_; }
  const std::shared_ptr<const Tree>& tree() const { return tree_; }
  const LoadOptions& options() const { return options_; }

  // A file with the results of the shell commands, for kconfig_popen_table.
  std::filesystem::path table() const { return folder_->path() / "table"; }

  struct Outcome {
    int status = 0;
    std::string output;
    std::string config;  // .config afterwards.
    std::string file;    // What `read_back` holds afterwards.
  };

  // Runs conf in an empty folder that holds `config` as .config if it is given.
  Result<Outcome> RunC(const std::string& mode, const std::optional<std::string>& config,
                       const std::string& read_back = "") const;

 private:
  KernelOracle oracle_;
  TreePlace place_;
  LoadOptions options_;
  std::shared_ptr<const Tree> tree_;
  std::shared_ptr<TempDir> folder_;
};

// Each comparison with its result.
struct Tally {
  std::size_t equal = 0;
  std::vector<std::string> different;  // What, and the first line that differs.

  void Compare(const std::string& what, const std::string& ours, const std::string& theirs);
};

void CompareAllModes(const ArchOracle& arch, Tally& tally);
void CompareDefconfig(const ArchOracle& arch, const std::filesystem::path& file, Tally& tally);
void CompareSync(const ArchOracle& arch, Tally& tally);  // auto.conf and its companions.

}  // namespace hone::kconfig

// SPDX-License-Identifier: Apache-2.0
#include "tests/oracle/kconfig_oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "hone/base/file.h"
#include "hone/kconfig/conf/modes.h"
#include "hone/kconfig/files/config_file.h"
#include "hone/kconfig/files/tree_image.h"
#include "hone/kconfig/shell/shell_memo.h"

namespace hone::kconfig {
namespace {

namespace fs = std::filesystem;

std::string FirstDifference(const std::string& ours, const std::string& theirs) {
  std::size_t line = 1;
  const std::size_t size = std::min(ours.size(), theirs.size());
  std::size_t at = 0;
  for (; at < size && ours[at] == theirs[at]; ++at) line += ours[at] == '\n' ? 1 : 0;
  const std::size_t begin = at == 0 ? 0 : ours.rfind('\n', at - 1) + 1;
  const auto text = [&](const std::string& from) {
    return from.substr(std::min(begin, from.size()), from.find('\n', begin) - begin);
  };
  return fmt::format("line {}: ours \"{}\", C \"{}\"", line, text(ours), text(theirs));
}

std::string Sorted(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::sort(lines.begin(), lines.end());
  return fmt::format("{}", fmt::join(lines, "\n"));
}

// What is compared is the tree from the snapshot, which is the same as the one that was parsed.
Result<std::shared_ptr<const Tree>> LoadByBothWays(LoadOptions options, const fs::path& snapshots) {
  options.snapshots = snapshots;
  auto parsed = LoadTreeOrError(options);
  if (!parsed) return parsed.error();
  Loaded again = LoadTree(options);
  if (!again.is_from_snapshot) return Error{Errc::kUnavailable, "the snapshot was not used"};
  if (ImageOf(*again.tree) != ImageOf(**parsed)) {
    return Error{Errc::kUnavailable, "the tree of the snapshot is another one"};
  }
  return again.tree;
}

}  // namespace

Result<KernelOracle> KernelOracle::Find() {
  Command command;
  command.arguments = {HONE_SOURCE_DIR "/scripts/kernel-tree"};
  command.limit = std::chrono::minutes(10);
  const auto result = RunProcess(command);
  if (!result) return result.error();
  if (result->status != 0 || result->end != ProcessResult::End::kExited) {
    return Error{Errc::kUnavailable, "scripts/kernel-tree: " + result->errors};
  }
  const fs::path folder = result->output.substr(0, result->output.find('\n'));
  return KernelOracle{folder / "tree", folder / "conf"};
}

Result<ArchOracle> ArchOracle::Load(const KernelOracle& oracle, const std::string& arch) {
  ArchOracle loaded;
  loaded.oracle_ = oracle;
  auto place = LocateTree(oracle.tree, arch);
  if (!place) return place.error();
  loaded.place_ = std::move(*place);
  Environment inherited;
  for (const char* name : {"PATH", "HOME", "LD_LIBRARY_PATH"}) {
    if (const char* value = std::getenv(name)) inherited[name] = value;
  }
  loaded.options_ = OptionsFor(loaded.place_, inherited, ShellPolicy::kRun);
  loaded.options_.memo = oracle.conf.parent_path() / "memo";
  auto folder = TempDir::Make("kconfig");
  if (!folder) return folder.error();
  loaded.folder_ = std::make_shared<TempDir>(std::move(*folder));
  auto tree = LoadByBothWays(loaded.options_, loaded.folder_->path() / "trees");
  if (!tree) return tree.error();
  loaded.tree_ = std::move(*tree);
  const auto results = loaded.tree_->shell_results();
  const ShellTable table(results.begin(), results.end());
  const auto written = WriteFileDurably(loaded.table(), WriteShellTable(table));
  if (!written) return written.error();
  return loaded;
}

Result<ArchOracle::Outcome> ArchOracle::RunC(const std::string& mode,
                                             const std::optional<std::string>& config,
                                             const std::string& read_back) const {
  auto folder = TempDir::Make("conf");
  if (!folder) return folder.error();
  if (config) {
    if (auto written = WriteFileDurably(folder->path() / ".config", *config); !written) {
      return written.error();
    }
  }
  Command command;
  command.arguments = {oracle_.conf.string(), mode, "Kconfig"};
  command.environment.emplace(options_.environment.begin(), options_.environment.end());
  (*command.environment)["LD_PRELOAD"] = HONE_POPEN_TABLE;
  (*command.environment)["SHELL_TABLE"] = table().string();
  command.folder = folder->path();
  command.max_output = 16 << 20;
  auto result = RunProcess(command);
  if (!result) return result.error();
  Outcome outcome;
  outcome.status = result->status;
  outcome.output = std::move(result->output);
  const auto after = ReadFile(folder->path() / ".config");
  if (after) outcome.config = *after;
  if (!read_back.empty()) {
    if (const auto file = ReadFile(folder->path() / read_back)) outcome.file = *file;
  }
  return outcome;
}

void Tally::Compare(const std::string& what, const std::string& ours, const std::string& theirs) {
  if (ours == theirs && !theirs.empty()) {
    ++equal;
  } else {
    different.push_back(what + ": " + FirstDifference(ours, theirs));
  }
}

void CompareAllModes(const ArchOracle& arch, Tally& tally) {
  for (const std::string mode : {"alldefconfig", "allnoconfig", "allyesconfig", "allmodconfig"}) {
    const std::string what = arch.place().arch + " " + mode;
    Configuration ours(arch.tree());
    if (mode == "allnoconfig") SetAllNew(ours, Tristate::kNo);
    if (mode == "allyesconfig") SetAllNew(ours, Tristate::kYes);
    if (mode == "allmodconfig") SetAllNew(ours, Tristate::kModule);
    const auto theirs = arch.RunC("--" + mode, std::nullopt);
    tally.Compare(what, WriteConfig(ours), theirs ? theirs->config : theirs.error().message);
  }
}

void CompareDefconfig(const ArchOracle& arch, const fs::path& file, Tally& tally) {
  const std::string what = arch.place().arch + " " + file.filename().string();
  const auto text = ReadFile(file);
  const auto defconfig = arch.RunC("--defconfig=" + file.string(), std::nullopt);
  const auto updated = text ? arch.RunC("--olddefconfig", *text) : text.error();
  const auto fresh = text ? arch.RunC("--listnewconfig", *text) : text.error();
  if (!text || !defconfig || !updated || !fresh) {
    tally.different.push_back(what + ": it could not be run");
    return;
  }
  Configuration ours(arch.tree());
  LoadConfig(ours, *text, {});
  tally.Compare(what + " olddefconfig", WriteConfig(ours), updated->config);
  std::string listed;
  for (const SymbolId id : NewSymbols(ours)) {
    if (!ours.tree().symbol(id).is_choice) listed += ConfigLine(ours, id, true);
  }
  tally.Compare(what + " listnewconfig", listed, fresh->output);
  ours.Evaluate();
  tally.Compare(what, WriteConfig(ours), defconfig->config);
  const auto saved = arch.RunC("--savedefconfig=saved", defconfig->config, "saved");
  Configuration again(arch.tree());
  LoadConfig(again, defconfig->config, {});
  again.Evaluate();
  tally.Compare(what + " savedefconfig", WriteMinimalConfig(again), saved ? saved->file : "");
}

void CompareSync(const ArchOracle& arch, Tally& tally) {
  Configuration ours(arch.tree());
  const std::string config = WriteConfig(ours);
  LoadConfig(ours, config, {});
  const std::pair<const char*, std::string> files[] = {
      {"include/config/auto.conf", WriteAutoConf(ours)},
      {"include/generated/autoconf.h", WriteAutoHeader(ours)},
      {"include/generated/rustc_cfg", WriteRustCfg(ours)}};
  for (const auto& [name, text] : files) {
    const auto theirs = arch.RunC("--syncconfig", config, name);
    tally.Compare(arch.place().arch + " " + name, Sorted(text), theirs ? Sorted(theirs->file) : "");
    tally.Compare(arch.place().arch + " order of " + name, text, theirs ? theirs->file : "");
  }
}

}  // namespace hone::kconfig

// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/files/load.h"

#include <fmt/format.h>

#include <algorithm>

#include "hone/kconfig/files/tree_snapshot.h"
#include "hone/kconfig/files/visible.h"
#include "hone/kconfig/shell/shell_memo.h"

namespace hone::kconfig {
namespace {

// Stands for a result that is not there yet. A command that contains it waits for the next pass.
constexpr char kUnknown = '\x01';
constexpr int kMaxPasses = 8;  // In which commands may wait for others.

// A command may give something else where it is restricted.
std::filesystem::path MemoFolderOf(const LoadOptions& options) {
  const bool is_apart = options.shell == ShellPolicy::kRestricted && !options.memo.empty();
  return is_apart ? options.memo / "confined" : options.memo;
}

LoadOptions AsTheTreeSees(const LoadOptions& options) {
  LoadOptions seen = options;
  if (options.shell != ShellPolicy::kRun) seen.environment = VisibleEnvironment(options);
  return seen;
}

using Folders = std::vector<std::filesystem::path>;

Result<Folders> FoldersOfCommands(const LoadOptions& options) {
  if (options.shell != ShellPolicy::kRestricted) return Folders();
  return VisibleFolders(options);
}

class Loader {
 public:
  explicit Loader(const LoadOptions& options)
      : given_(options),
        options_(AsTheTreeSees(options)),
        visible_(FoldersOfCommands(options_)),
        memo_(MemoFolderOf(options_), options_.environment, visible_.value_or(Folders())),
        snapshot_(options_) {
    parse_.file = options.file;
    parse_.dialect = options.dialect;
    parse_.environment = options_.environment;
    parse_.reader = MakeFileReader(options.folders, options.granted, options.dialect);
    parse_.info = [this](const std::string& text) { info_.push_back(text); };
    parse_.wants_tree = [this] { return !has_unknown_; };
    parse_.shell = [this](const std::string& command) { return Answer(command); };
  }

  Loaded Run() {
    if (auto kept = snapshot_.Find([this](const std::string& command) { return Known(command); })) {
      Loaded loaded{ParsedFrom(std::move(kept->tree))};
      loaded.is_from_snapshot = true;
      info_ = std::move(kept->info);
      TellInfo();
      return loaded;
    }
    Loaded loaded = Parse();
    static_cast<void>(memo_.Save());  // Without it the next load only takes longer.
    if (loaded.tree != nullptr && !options_.snapshots.empty()) {
      snapshot_.Keep(*loaded.tree, parse_.reader->inputs(), info_);
    }
    TellInfo();
    if (options_.shell == ShellPolicy::kRestricted && loaded.commands_run > 0 &&
        loaded.tree != nullptr) {
      WarnOfTools(loaded);
    }
    return loaded;
  }

 private:
  void WarnOfTools(Loaded& loaded) const {
    for (std::string& text : HiddenTools(given_, loaded.tree->environment())) {
      loaded.diagnostics.push_back({Severity::kWarning, {}, std::move(text)});
    }
  }

  Loaded Parse() {
    Loaded loaded;
    for (;; ++loaded.passes) {
      has_unknown_ = false;
      info_.clear();
      runs_at_once_ = loaded.passes > kMaxPasses || is_stuck_;
      static_cast<Parsed&>(loaded) = ParseTree(parse_);
      if (!has_unknown_) break;
      Take(runner_ == nullptr ? ShellOutcomes() : runner_->Finish());
    }
    loaded.commands_run = commands_run_;
    return loaded;
  }

  void TellInfo() const {
    for (const std::string& text : info_) {
      if (options_.info) options_.info(text);
    }
  }

  // What it gave in another run; null if nobody kept that, or if the policy does not ask for it.
  const std::string* Known(const std::string& command) {
    const auto found = options_.recorded.find(command);
    if (found != options_.recorded.end()) return &found->second;
    const bool may_run =
        options_.shell == ShellPolicy::kRun || options_.shell == ShellPolicy::kRestricted;
    return may_run ? memo_.Find(command) : nullptr;
  }

  Result<std::string> Answer(const std::string& command) {
    if (const auto found = known_.find(command); found != known_.end()) return found->second;
    if (const std::string* kept = Known(command)) {
      return known_.emplace(command, *kept).first->second;
    }
    if (options_.shell == ShellPolicy::kRefuse) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("$(shell,{}): the policy refuses to run commands", command)};
    }
    if (options_.shell == ShellPolicy::kRecorded) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("$(shell,{}): not in the table of recorded results", command)};
    }
    if (!visible_) return visible_.error();
    if (runs_at_once_) return RunNow(command);
    has_unknown_ = true;
    if (command.find(kUnknown) == std::string::npos) Runner().Start(command);
    return std::string(1, kUnknown);
  }

  Result<std::string> RunNow(const std::string& command) {
    Runner().Start(command);
    Take(runner_->Finish());
    return known_.at(command);
  }

  // Nothing new, or a command that failed: the next pass is the last one.
  void Take(const ShellOutcomes& outcomes) {
    is_stuck_ = is_stuck_ || outcomes.empty();
    for (const auto& [command, outcome] : outcomes) {
      known_.insert_or_assign(command, outcome);
      if (outcome) {
        ++commands_run_;
        memo_.Add(command, *outcome);
      } else {
        is_stuck_ = true;
      }
    }
  }

  ShellRunner& Runner() {
    if (runner_ == nullptr) {
      ShellSettings settings;
      settings.policy = options_.shell;
      settings.environment.insert(options_.environment.begin(), options_.environment.end());
      settings.folder = options_.shell_folder;
      if (options_.shell == ShellPolicy::kRestricted) {
        settings.visible = *visible_;
        settings.folder = VisibleWorkFolder(options_, *visible_);
      }
      settings.limit = options_.shell_timeout;
      runner_ = MakeShellRunner(std::move(settings));
    }
    return *runner_;
  }

  const LoadOptions& given_;
  const LoadOptions options_;
  const Result<Folders> visible_;
  ShellMemo memo_;
  TreeSnapshot snapshot_;
  ParseOptions parse_;
  ShellOutcomes known_;
  std::unique_ptr<ShellRunner> runner_;
  std::vector<std::string> info_;
  std::size_t commands_run_ = 0;
  bool has_unknown_ = false;
  bool is_stuck_ = false;
  bool runs_at_once_ = false;
};

}  // namespace

Loaded LoadTree(const LoadOptions& options) { return Loader(options).Run(); }

Result<std::shared_ptr<const Tree>> LoadTreeOrError(const LoadOptions& options) {
  Loaded loaded = LoadTree(options);
  if (loaded.tree != nullptr) return loaded.tree;
  for (const Diagnostic& diagnostic : loaded.diagnostics) {
    if (diagnostic.severity == Severity::kError) {
      return Error{Errc::kInvalidArgument, ShowDiagnostic(loaded.files, diagnostic)};
    }
  }
  return Error{Errc::kInvalidArgument, fmt::format("{}: it could not be parsed", options.file)};
}

}  // namespace hone::kconfig

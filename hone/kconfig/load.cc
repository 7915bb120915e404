// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/load.h"

#include <fmt/format.h>

#include <algorithm>

#include "hone/kconfig/shell_memo.h"

namespace hone::kconfig {
namespace {

// Stands for a result that is not there yet. A command that contains it waits for the next pass.
constexpr char kUnknown = '\x01';
constexpr int kMostPasses = 64;

class Loader {
 public:
  explicit Loader(const LoadOptions& options)
      : options_(options), memo_(options.memo, options.environment) {
    parse_.file = options.file;
    parse_.dialect = options.dialect;
    parse_.environment = options.environment;
    parse_.reader = MakeFileReader(options.folders);
    parse_.info = [this](const std::string& text) { info_.push_back(text); };
    parse_.wants_tree = [this] { return !has_unknown_; };
    parse_.shell = [this](const std::string& command) { return Answer(command); };
  }

  Loaded Run() {
    Loaded loaded;
    for (; loaded.passes < kMostPasses; ++loaded.passes) {
      has_unknown_ = false;
      info_.clear();
      static_cast<Parsed&>(loaded) = ParseTree(parse_);
      if (!has_unknown_ || runner_ == nullptr) break;
      auto results = runner_->Finish();
      if (!results) {
        loaded.tree = nullptr;
        loaded.diagnostics = {{Severity::kError, {}, results.error().message}};
        return loaded;
      }
      if (results->empty()) break;
      loaded.commands_run += results->size();
      Keep(*results);
    }
    static_cast<void>(memo_.Save());  // Without it the next load only takes longer.
    for (const std::string& text : info_) {
      if (options_.info) options_.info(text);
    }
    return loaded;
  }

 private:
  Result<std::string> Answer(const std::string& command) {
    if (const auto found = options_.recorded.find(command); found != options_.recorded.end()) {
      return found->second;
    }
    if (const auto found = known_.find(command); found != known_.end()) return found->second;
    if (options_.shell == ShellPolicy::kRefuse) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("$(shell,{}): the policy refuses to run commands", command)};
    }
    if (options_.shell == ShellPolicy::kRecorded) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("$(shell,{}): not in the table of recorded results", command)};
    }
    if (const std::string* kept = memo_.Find(command)) {
      return known_.emplace(command, *kept).first->second;
    }
    has_unknown_ = true;
    if (command.find(kUnknown) == std::string::npos) Runner().Start(command);
    return std::string(1, kUnknown);
  }

  ShellRunner& Runner() {
    if (runner_ == nullptr) {
      ShellSettings settings;
      settings.policy = options_.shell;
      settings.environment.insert(options_.environment.begin(), options_.environment.end());
      settings.folder = options_.shell_folder;
      runner_ = MakeShellRunner(std::move(settings));
    }
    return *runner_;
  }

  void Keep(const ShellTable& results) {
    for (const auto& [command, result] : results) {
      known_[command] = result;
      memo_.Add(command, result);
    }
  }

  const LoadOptions& options_;
  ShellMemo memo_;
  ParseOptions parse_;
  ShellTable known_;
  std::unique_ptr<ShellRunner> runner_;
  std::vector<std::string> info_;
  bool has_unknown_ = false;
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

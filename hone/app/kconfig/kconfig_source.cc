// SPDX-License-Identifier: Apache-2.0
#include "hone/app/kconfig/kconfig_source.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "hone/base/cache_folder.h"
#include "hone/base/file.h"
#include "hone/base/sha256.h"
#include "hone/core/nearest.h"
#include "hone/kconfig/files/config_file.h"
#include "hone/kconfig/files/project.h"
#include "hone/kconfig/shell/shell_memo.h"

namespace hone::app {

kconfig::Environment ProcessEnvironment() {
  kconfig::Environment environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

Result<std::vector<std::filesystem::path>> GrantedFolders(const KconfigSource& source) {
  std::vector<std::filesystem::path> folders;
  for (const std::string& name : source.granted) {
    std::error_code fault;
    if (!std::filesystem::is_directory(name, fault)) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("--read {}: not a folder that is there", name)};
    }
    folders.push_back(std::filesystem::absolute(name));
  }
  return folders;
}

Result<kconfig::LoadOptions> KconfigLoadOptions(const KconfigSource& source,
                                                kconfig::TreePlace& place) {
  const auto policy = kconfig::ShellPolicyNamed(source.shell);
  if (!policy) return policy.error();
  const kconfig::Environment environment = ProcessEnvironment();
  std::string arch = source.arch;
  if (const auto found = environment.find("ARCH"); arch.empty() && found != environment.end()) {
    arch = found->second;
  }
  auto located = kconfig::LocateTree(source.tree, arch);
  if (!located) return located.error();
  place = std::move(*located);
  if (*policy == kconfig::ShellPolicy::kRestricted &&
      kconfig::ProjectAt(place.root).needs_free_commands) {
    return Error{Errc::kUnsupported,
                 fmt::format("{0}: its commands write files that it reads: mkdir -p "
                             "{0}/build/kconfig, then give --shell run if you trust it",
                             place.root.string())};
  }
  const auto granted = GrantedFolders(source);
  if (!granted) return granted.error();
  kconfig::LoadOptions options = kconfig::OptionsFor(place, environment, *policy, *granted);
  options.passed.insert(source.passed.begin(), source.passed.end());
  if (!source.arch.empty()) {
    options.environment["ARCH"] = place.arch;
    if (!place.source_arch.empty()) options.environment["SRCARCH"] = place.source_arch;
  }
  options.environment["srctree"] = place.root.string();
  if (!source.dialect.empty()) {
    auto dialect = kconfig::DialectNamed(source.dialect);
    if (!dialect) return dialect.error();
    options.dialect = std::move(*dialect);
  }
  if (source.has_memo) options.memo = CacheFolder() / "kconfig";
  if (source.has_snapshot && !options.memo.empty()) options.snapshots = options.memo / "trees";
  // Commands that run in the tree mean its own files by the same words as those of another tree.
  if (!options.shell_folder.empty() && !options.memo.empty()) {
    options.memo /= Sha256Of(options.shell_folder);
  }
  if (!source.shell_table.empty()) {
    const auto text = ReadFile(source.shell_table);
    if (!text) return text.error();
    auto table = kconfig::ReadShellTable(*text, source.shell_table);
    if (!table) return table.error();
    options.recorded = std::move(*table);
  }
  return options;
}

Result<OpenedTree> OpenKconfigTree(const KconfigSource& source) {
  OpenedTree opened;
  auto options = KconfigLoadOptions(source, opened.place);
  if (!options) return options.error();
  opened.options = std::move(*options);
  opened.loaded = kconfig::LoadTree(opened.options);
  opened.tree = opened.loaded.tree;
  std::string first_error;
  for (const kconfig::Diagnostic& diagnostic : opened.loaded.diagnostics) {
    const std::string line = kconfig::ShowDiagnostic(opened.loaded.files, diagnostic);
    if (diagnostic.severity == kconfig::Severity::kError && first_error.empty()) {
      first_error = line;
    } else {
      opened.warnings.push_back(line);
    }
  }
  if (opened.tree == nullptr) {
    const std::string preparation = kconfig::ProjectAt(opened.place.root).preparation;
    if (first_error.find("can't open file") != std::string::npos && !preparation.empty()) {
      first_error += fmt::format("; the tree makes some of its files first: {}", preparation);
    }
    return Error{Errc::kInvalidArgument, first_error};
  }
  return opened;
}

Result<kconfig::Configuration> StartConfiguration(const KconfigSource& source,
                                                  const OpenedTree& opened,
                                                  std::vector<std::string>& warnings) {
  kconfig::Configuration configuration(opened.tree);
  if (source.config.empty()) return configuration;
  const auto text = ReadFile(source.config);
  if (!text) return text.error();
  const auto report = kconfig::LoadConfig(configuration, *text, {opened.tree->dialect().prefix});
  for (const kconfig::ConfigWarning& warning : report.warnings) {
    warnings.push_back(
        fmt::format("{}:{}: warning: {}", source.config, warning.line, warning.message));
  }
  return configuration;
}

Result<kconfig::SymbolId> FindSymbol(const kconfig::Tree& tree, std::string name) {
  const std::string& prefix = tree.dialect().prefix;
  kconfig::SymbolId id = tree.Find(name);
  if (id == kconfig::kNone && !prefix.empty() && name.starts_with(prefix)) {
    name = name.substr(prefix.size());
    id = tree.Find(name);
  }
  if (id != kconfig::kNone && tree.symbol(id).first_menu != kconfig::kNone) return id;
  std::vector<std::string> known;
  for (const kconfig::Symbol& symbol : tree.symbols()) {
    if (symbol.first_menu != kconfig::kNone && !symbol.name.empty()) {
      known.emplace_back(symbol.name);
    }
  }
  return Error{Errc::kNotFound, NoSuch("symbol", name, known)};
}

}  // namespace hone::app

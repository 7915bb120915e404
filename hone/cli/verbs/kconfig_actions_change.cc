// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <ostream>

#include "hone/base/file.h"
#include "hone/base/json/json.h"
#include "hone/cli/verbs/kconfig_actions.h"
#include "hone/cli/verbs/run_flags.h"
#include "hone/kconfig/files/config_file.h"
#include "hone/kconfig/values/values.h"

namespace hone::cli {
namespace {

using kconfig::Configuration;
using kconfig::SymbolId;
using kconfig::Tree;

// A symbol whose value is another one than before.
struct SymbolChange {
  std::string name;
  std::string before;
  std::string after;
};

std::string ShownValue(const Configuration& configuration, SymbolId id) {
  return configuration.is_written(id) ? std::string(configuration.text(id)) : "-";
}

std::vector<SymbolChange> SymbolChanges(const Configuration& before, const Configuration& after) {
  std::vector<SymbolChange> changes;
  const Tree& tree = before.tree();
  for (SymbolId id = 0; id < tree.symbols().size(); ++id) {
    if (tree.RankOf(id) == kconfig::kNone || tree.symbol(id).is_choice) continue;
    const std::string old = ShownValue(before, id);
    const std::string now = ShownValue(after, id);
    if (old != now) changes.push_back({std::string(tree.symbol(id).name), old, now});
  }
  return changes;
}

Json SymbolChangesJson(const std::vector<SymbolChange>& changes) {
  Json json = Json::array();
  for (const SymbolChange& change : changes) {
    json.push_back({{"name", change.name}, {"before", change.before}, {"after", change.after}});
  }
  return json;
}

std::string SymbolChangesText(const std::vector<SymbolChange>& changes) {
  std::string out;
  for (const SymbolChange& change : changes) {
    out += fmt::format("{}: {} -> {}\n", change.name, change.before, change.after);
  }
  return out;
}

// One NAME=VALUE. What kept the value from being taken, if anything did.
Result<std::string> SetSymbol(Configuration& configuration, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    return Error{Errc::kInvalidArgument, fmt::format("{}: expected NAME=VALUE", text)};
  }
  const auto id = FindSymbol(configuration.tree(), text.substr(0, equals));
  if (!id) return id.error();
  const std::string value = text.substr(equals + 1);
  if (configuration.tree().symbol(*id).is_transitional) {
    return fmt::format("{} is transitional: it is only read from an old .config",
                       text.substr(0, equals));
  }
  if (configuration.text(*id) == value) return std::string();
  const bool can_be = configuration.CanBe(*id, value);
  auto changed = configuration.Set(*id, value);
  if (!changed) return changed.error();
  if (configuration.text(*id) == value) return std::string();
  return fmt::format("{} stays {}: {}", text.substr(0, equals), configuration.text(*id),
                     can_be ? "something else holds it there"
                            : "it cannot have that value now; `explain` says why");
}

Result<std::string> TextOfForm(const Configuration& configuration, const std::string& form) {
  if (form == "config") return WriteConfig(configuration);
  if (form == "defconfig") return WriteMinimalConfig(configuration);
  if (form == "auto.conf") return WriteAutoConf(configuration);
  if (form == "autoconf.h") return WriteAutoHeader(configuration);
  if (form == "rustc_cfg") return WriteRustCfg(configuration);
  return Error{
      Errc::kInvalidArgument,
      fmt::format("--as {}: expected config, defconfig, auto.conf, autoconf.h or rustc_cfg", form)};
}

}  // namespace

Result<ExitCode> KconfigSet(Shell& shell, const KconfigRequest& request) {
  if (request.operands.empty()) {
    return Error{Errc::kInvalidArgument, "set: give NAME=VALUE, one or more"};
  }
  const auto opened = OpenKconfigTree(shell, request);
  if (!opened) return opened.error();
  auto configuration = StartConfiguration(shell, request, *opened);
  if (!configuration) return configuration.error();
  const Configuration before = *configuration;
  std::vector<std::string> refusals;
  for (const std::string& text : request.operands) {
    const auto refusal = SetSymbol(*configuration, text);
    if (!refusal) return refusal.error();
    if (!refusal->empty()) refusals.push_back(*refusal);
  }
  const auto changes = SymbolChanges(before, *configuration);
  if (shell.wants_json) {
    shell.console.out << Dump({{"changes", SymbolChangesJson(changes)}, {"refused", refusals}})
                      << "\n";
  } else {
    shell.console.out << SymbolChangesText(changes);
    for (const std::string& refusal : refusals) shell.console.out << "refused: " << refusal << "\n";
  }
  if (!request.output.empty()) {
    if (auto written = WriteAnswer(shell, request.output, WriteConfig(*configuration)); !written) {
      return written.error();
    }
  }
  return refusals.empty() ? ExitCode::kYes : ExitCode::kNo;
}

Result<ExitCode> KconfigDiff(Shell& shell, const KconfigRequest& request) {
  if (request.operands.size() != 2) {
    return Error{Errc::kInvalidArgument, "diff: give two .config files after the tree"};
  }
  const auto opened = OpenKconfigTree(shell, request);
  if (!opened) return opened.error();
  std::vector<Configuration> sides;
  for (const std::string& file : request.operands) {
    KconfigRequest side = request;
    side.config = file;
    auto configuration = StartConfiguration(shell, side, *opened);
    if (!configuration) return configuration.error();
    sides.push_back(std::move(*configuration));
  }
  const auto changes = SymbolChanges(sides[0], sides[1]);
  shell.console.out << (shell.wants_json ? Dump(SymbolChangesJson(changes)) + "\n"
                                         : SymbolChangesText(changes));
  return changes.empty() ? ExitCode::kYes : ExitCode::kNo;
}

Result<ExitCode> KconfigWrite(Shell& shell, const KconfigRequest& request) {
  const auto opened = OpenKconfigTree(shell, request);
  if (!opened) return opened.error();
  const auto configuration = StartConfiguration(shell, request, *opened);
  if (!configuration) return configuration.error();
  const auto text = TextOfForm(*configuration, request.form);
  if (!text) return text.error();
  const std::string output = request.output.empty() ? "-" : request.output;
  if (auto written = WriteAnswer(shell, output, *text); !written) return written.error();
  return ExitCode::kYes;
}

}  // namespace hone::cli

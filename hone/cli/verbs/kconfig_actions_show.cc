// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "hone/base/json/json.h"
#include "hone/cli/text/option_text.h"
#include "hone/cli/text/readable.h"
#include "hone/cli/verbs/kconfig_actions.h"

namespace hone::cli {
namespace {

using kconfig::Configuration;
using kconfig::kNone;
using kconfig::MenuId;
using kconfig::MenuNode;
using kconfig::Property;
using kconfig::PropertyKind;
using kconfig::Symbol;
using kconfig::SymbolId;
using kconfig::Tree;

struct Counts {
  std::size_t by_type[6] = {};
  std::size_t symbols = 0;
  std::size_t prompted = 0;
  std::size_t by_kind[5] = {};
  std::size_t menus = 0;
  std::size_t warnings = 0;
};

Counts CountAll(const Tree& tree) {
  Counts counts;
  for (const Symbol& symbol : tree.symbols()) {
    if (symbol.is_choice || symbol.first_menu == kNone) continue;
    ++counts.symbols;
    ++counts.by_type[static_cast<std::size_t>(symbol.type)];
    for (MenuId at = symbol.first_menu; at != kNone; at = tree.menu(at).next_definition) {
      if (tree.menu(at).prompt == kNone) continue;
      ++counts.prompted;
      break;
    }
  }
  for (const Property& property : tree.properties()) {
    ++counts.by_kind[static_cast<std::size_t>(property.kind)];
  }
  for (const MenuNode& node : tree.menus()) {
    if (node.kind == kconfig::MenuKind::kMenu) ++counts.menus;
  }
  counts.warnings = tree.diagnostics().size();
  return counts;
}

// What is known of options holds for Linux: other trees have others by the same names.
bool IsLinux(const Tree& tree) { return tree.dialect().name.starts_with("linux-"); }

// Options of the tree of which something is known before they are measured.
std::size_t CountKnown(const Tree& tree) {
  const std::vector<std::string> names = KnownOptionNames();
  if (!IsLinux(tree)) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(names, [&](const std::string& name) {
    const SymbolId id = tree.Find(name);
    return id != kNone && tree.symbol(id).first_menu != kNone;
  }));
}

Json InfoJson(const OpenedTree& opened, const Counts& counts) {
  const Tree& tree = *opened.tree;
  Json types = Json::object();
  for (std::size_t type = 1; type < 6; ++type) {
    types[std::string(NameOf(static_cast<kconfig::SymbolType>(type)))] = counts.by_type[type];
  }
  return {{"tree", opened.place.root.string()},
          {"title", std::string(tree.title())},
          {"dialect", tree.dialect().name},
          {"arch", opened.place.arch},
          {"version", kconfig::KernelVersion(opened.place.root)},
          {"files", tree.files().size()},
          {"symbols", counts.symbols},
          {"types", types},
          {"prompted", counts.prompted},
          {"choices", tree.choices().size()},
          {"menus", counts.menus},
          {"selects", counts.by_kind[static_cast<std::size_t>(PropertyKind::kSelect)]},
          {"implies", counts.by_kind[static_cast<std::size_t>(PropertyKind::kImply)]},
          {"ranges", counts.by_kind[static_cast<std::size_t>(PropertyKind::kRange)]},
          {"known", CountKnown(tree)},
          {"expressions", tree.expressions().size()},
          {"shell_commands", tree.shell_results().size()},
          {"shell_commands_run", opened.loaded.commands_run},
          {"not_set", fmt::format("{}", fmt::join(tree.unset_variables(), " "))},
          {"warnings", counts.warnings}};
}

std::string PromptOf(const Tree& tree, SymbolId id) {
  for (MenuId at = tree.symbol(id).first_menu; at != kNone; at = tree.menu(at).next_definition) {
    if (tree.menu(at).prompt != kNone) {
      return std::string(tree.property(tree.menu(at).prompt).text);
    }
  }
  return {};
}

Json SymbolJson(const Configuration& configuration, SymbolId id) {
  const Tree& tree = configuration.tree();
  const Symbol& symbol = tree.symbol(id);
  Json places = Json::array();
  for (MenuId at = symbol.first_menu; at != kNone; at = tree.menu(at).next_definition) {
    places.push_back(tree.Show(tree.menu(at).where));
  }
  Json json = {{"name", std::string(symbol.name)},
               {"type", std::string(NameOf(symbol.type))},
               {"value", std::string(configuration.text(id))},
               {"prompt", PromptOf(tree, id)},
               {"visible", std::string(TextOf(configuration.visibility(id)))},
               {"changeable", configuration.IsChangeable(id)},
               {"written", configuration.is_written(id)},
               {"dependency", tree.Show(symbol.dependency)},
               {"dependency_value", std::string(TextOf(configuration.direct(id)))},
               {"defined_at", places}};
  if (const auto user = configuration.UserValue(id)) json["user_value"] = *user;
  if (IsLinux(tree)) json.update(OptionJson(std::string(symbol.name)));
  return json;
}

void ShowSymbol(Shell& shell, const Configuration& configuration, SymbolId id) {
  const Json json = SymbolJson(configuration, id);
  TableRows rows;
  for (const char* key : {"type", "prompt", "visible", "dependency", "user_value"}) {
    if (!json.contains(key) || json[key] == "") continue;
    rows.push_back({key, json[key].get<std::string>()});
  }
  for (const Json& place : json["defined_at"]) rows.push_back({"at", place.get<std::string>()});
  if (IsLinux(configuration.tree())) {
    for (auto& row : OptionRows(json["name"].get<std::string>())) rows.push_back(std::move(row));
  }
  shell.console.out << fmt::format("{}={}\n{}", json["name"].get<std::string>(),
                                   json["value"].get<std::string>(), TableText(rows));
}

class TreePrinter {
 public:
  TreePrinter(const Configuration& configuration, int depth)
      : configuration_(configuration), tree_(configuration.tree()), depth_(depth) {}

  Json ToJson(MenuId id, int level) const {
    const MenuNode& node = tree_.menu(id);
    Json json = {{"text", TextOfNode(node)}, {"visible", configuration_.IsVisible(id)}};
    if (node.symbol != kNone && !tree_.symbol(node.symbol).is_choice) {
      json["name"] = std::string(tree_.symbol(node.symbol).name);
      json["type"] = std::string(NameOf(tree_.symbol(node.symbol).type));
      json["value"] = std::string(configuration_.text(node.symbol));
    }
    if (level >= depth_) return json;
    for (MenuId at = node.first_child; at != kNone; at = tree_.menu(at).next) {
      json["children"].push_back(ToJson(at, level + 1));
    }
    return json;
  }

  std::string ToText(MenuId id, int level) const {
    const MenuNode& node = tree_.menu(id);
    std::string value;
    if (node.symbol != kNone && !tree_.symbol(node.symbol).is_choice) {
      value =
          fmt::format(" ({}={})", tree_.symbol(node.symbol).name, configuration_.text(node.symbol));
    }
    std::string out = fmt::format("{:{}}{}{}{}\n", "", level * 2, TextOfNode(node), value,
                                  configuration_.IsVisible(id) ? "" : " [not visible]");
    if (level >= depth_) return out;
    for (MenuId at = node.first_child; at != kNone; at = tree_.menu(at).next) {
      if (tree_.menu(at).prompt != kNone) out += ToText(at, level + 1);
    }
    return out;
  }

 private:
  std::string TextOfNode(const MenuNode& node) const {
    return node.prompt == kNone ? "" : std::string(tree_.property(node.prompt).text);
  }

  const Configuration& configuration_;
  const Tree& tree_;
  int depth_;
};

}  // namespace

Result<ExitCode> KconfigInfo(Shell& shell, const KconfigRequest& request) {
  if (!request.operands.empty()) return KconfigGet(shell, request);
  const auto opened = OpenKconfigTree(shell, request);
  if (!opened) return opened.error();
  const Json json = InfoJson(*opened, CountAll(*opened->tree));
  if (shell.wants_json) {
    shell.console.out << Dump(json) << "\n";
    return ExitCode::kYes;
  }
  TableRows rows;
  for (const char* key : {"tree", "title", "version", "dialect", "arch", "files", "symbols",
                          "prompted", "choices", "menus", "selects", "implies", "ranges", "known",
                          "shell_commands", "shell_commands_run", "not_set", "warnings"}) {
    const Json& value = json[key];
    rows.push_back({key, value.is_string() ? value.get<std::string>() : Dump(value)});
  }
  for (const auto& [type, count] : json["types"].items()) rows.push_back({type, Dump(count)});
  shell.console.out << TableText(rows, "");
  return ExitCode::kYes;
}

Result<ExitCode> KconfigGet(Shell& shell, const KconfigRequest& request) {
  if (request.operands.empty()) {
    return Error{Errc::kInvalidArgument, "get: name the symbols to be shown"};
  }
  const auto opened = OpenKconfigTree(shell, request);
  if (!opened) return opened.error();
  const auto configuration = StartConfiguration(shell, request, *opened);
  if (!configuration) return configuration.error();
  Json all = Json::array();
  for (const std::string& name : request.operands) {
    const auto id = FindSymbol(*opened->tree, name);
    if (!id) return id.error();
    if (shell.wants_json) {
      all.push_back(SymbolJson(*configuration, *id));
    } else {
      ShowSymbol(shell, *configuration, *id);
    }
  }
  if (shell.wants_json) shell.console.out << Dump(all) << "\n";
  return ExitCode::kYes;
}

Result<ExitCode> KconfigTree(Shell& shell, const KconfigRequest& request) {
  const auto opened = OpenKconfigTree(shell, request);
  if (!opened) return opened.error();
  const auto configuration = StartConfiguration(shell, request, *opened);
  if (!configuration) return configuration.error();
  MenuId start = 0;
  if (!request.operands.empty()) {
    const auto id = FindSymbol(*opened->tree, request.operands[0]);
    if (!id) return id.error();
    start = opened->tree->symbol(*id).first_menu;
  }
  const TreePrinter printer(*configuration, request.depth);
  if (shell.wants_json) {
    shell.console.out << Dump(printer.ToJson(start, 0)) << "\n";
  } else {
    shell.console.out << printer.ToText(start, 0);
  }
  return ExitCode::kYes;
}

}  // namespace hone::cli

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "hone/kconfig/files/config_file.h"
#include "hone/kconfig/tree/cycle_report.h"

namespace hone::kconfig {
namespace {

void AppendHeading(std::string& out, std::string_view title, std::string_view first,
                   std::string_view middle, std::string_view last) {
  out += fmt::format("{}\n{} Automatically generated file; DO NOT EDIT.\n{} {}\n{}\n", first,
                     middle, middle, title, last);
}

// The header of a .config. What BusyBox puts there of the time of day is left out, as with its
// KCONFIG_NOTIMESTAMP.
void AppendConfigHeading(std::string& out, const Configuration& configuration) {
  const Tree& tree = configuration.tree();
  const std::string& heading = tree.dialect().version_heading;
  if (heading.empty()) return AppendHeading(out, tree.title(), "#", "#", "#");
  std::string_view version = tree.dialect().fixed_version;
  for (const NamedText& variable : tree.environment()) {
    if (version.empty() && variable.first == "KERNELVERSION") version = variable.second;
  }
  out += fmt::format("#\n# Automatically generated make config: don't edit\n# {}: {}\n#\n", heading,
                     version);
}

void AppendLine(std::string& out, const Configuration& configuration, SymbolId id,
                bool shows_n_as_value) {
  const Tree& tree = configuration.tree();
  const Symbol& symbol = tree.symbol(id);
  const std::string_view value = configuration.text(id);
  if (IsLogical(symbol.type) && value == "n" && !shows_n_as_value) {
    out += "# ";
    out += tree.dialect().prefix;
    out += symbol.name;
    out += " is not set\n";
    return;
  }
  out += tree.dialect().prefix;
  out += symbol.name;
  out += '=';
  if (symbol.type == SymbolType::kString) {
    out += tree.dialect().has_raw_strings ? fmt::format("\"{}\"", value) : QuoteValue(value);
  } else if (value.empty() && tree.dialect().writes_all) {
    out += '0';
  } else {
    out += value;
  }
  out += '\n';
}

// Walks the menu tree depth first.
class MenuWalk {
 public:
  explicit MenuWalk(const Tree& tree) : tree_(tree), at_(tree.menu(0).first_child) {}

  // Calls enter(menu) for each, and leave(menu) once its children are done. Returns as it pleases
  // the C tool: the root is left too.
  template <typename Enter, typename Leave>
  void Run(Enter enter, Leave leave) {
    while (at_ != kNone) {
      enter(at_);
      if (tree_.menu(at_).first_child != kNone) {
        at_ = tree_.menu(at_).first_child;
        continue;
      }
      while (at_ != kNone) {
        leave(at_);
        if (tree_.menu(at_).next != kNone) {
          at_ = tree_.menu(at_).next;
          break;
        }
        at_ = tree_.menu(at_).parent;
      }
    }
  }

 private:
  const Tree& tree_;
  MenuId at_;
};

std::string_view TitleOf(const Tree& tree, const MenuNode& node) {
  return tree.property(node.prompt).text;
}

// Whether savedefconfig leaves the symbol out.
bool IsDefault(const Configuration& configuration, SymbolId id) {
  if (!configuration.IsChangeable(id)) return true;
  if (configuration.text(id) == configuration.DefaultText(id)) return true;
  const Tree& tree = configuration.tree();
  const Symbol& symbol = tree.symbol(id);
  if (symbol.choice == kNone || tree.symbol(symbol.choice).is_optional) return false;
  return configuration.ChoiceDefault(symbol.choice) == id && symbol.type == SymbolType::kBool &&
         configuration.value(id) == Tristate::kYes;
}

bool HasHexPrefix(std::string_view text) {
  return text.starts_with("0x") || text.starts_with("0X");
}

// In the order of the C tool's hash table.
template <typename Append>
void ForEachWritten(const Configuration& configuration, Append append) {
  const Tree& tree = configuration.tree();
  for (const SymbolId id : HashOrder(tree.symbols(), tree.dialect().hash_buckets)) {
    if (configuration.is_written(id) && tree.symbol(id).type != SymbolType::kUnknown) append(id);
  }
}

}  // namespace

std::string QuoteValue(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
  return out;
}

std::string ConfigLine(const Configuration& configuration, SymbolId id, bool shows_n_as_value) {
  std::string out;
  AppendLine(out, configuration, id, shows_n_as_value);
  return out;
}

std::string WriteConfig(const Configuration& configuration) {
  const Tree& tree = configuration.tree();
  std::string out;
  out.reserve(512 << 10);
  AppendConfigHeading(out, configuration);
  const bool writes_all = tree.dialect().writes_all;
  std::vector<bool> is_done(tree.symbols().size(), false);
  bool needs_blank_line = false;
  const auto enter = [&](MenuId id) {
    const MenuNode& node = tree.menu(id);
    const SymbolId symbol = node.symbol == kNone ? node.defaults_of : node.symbol;
    if (symbol == kNone) {
      if (!configuration.IsVisible(id)) return;
      out += "\n#\n# ";
      out += TitleOf(tree, node);
      out += "\n#\n";
      needs_blank_line = false;
      return;
    }
    if (tree.symbol(symbol).is_choice) return;
    if (!writes_all && (is_done[symbol] || !configuration.is_written(symbol))) return;
    if (needs_blank_line) out += '\n';
    needs_blank_line = false;
    is_done[symbol] = true;
    if (tree.symbol(symbol).type == SymbolType::kUnknown) return;
    AppendLine(out, configuration, symbol, false);
  };
  const auto leave = [&](MenuId id) {
    const MenuNode& node = tree.menu(id);
    if (id == 0 || node.kind != MenuKind::kMenu || !tree.dialect().has_end_comments) return;
    if (node.first_child == kNone && !tree.dialect().ends_empty_menus) return;
    if (!configuration.IsVisible(id)) return;
    out += "# end of ";
    out += TitleOf(tree, node);
    out += '\n';
    needs_blank_line = true;
  };
  MenuWalk(tree).Run(enter, leave);
  return out;
}

std::string WriteMinimalConfig(const Configuration& configuration) {
  const Tree& tree = configuration.tree();
  std::string out;
  std::vector<bool> is_done(tree.symbols().size(), false);
  const auto enter = [&](MenuId id) {
    const SymbolId symbol = tree.menu(id).symbol;
    if (symbol == kNone || tree.symbol(symbol).is_choice || is_done[symbol]) return;
    if (!configuration.is_written(symbol)) return;
    is_done[symbol] = true;
    if (!IsDefault(configuration, symbol)) AppendLine(out, configuration, symbol, false);
  };
  MenuWalk(tree).Run(enter, [](MenuId) {});
  return out;
}

std::string WriteAutoConf(const Configuration& configuration) {
  const Tree& tree = configuration.tree();
  std::string out;
  AppendHeading(out, tree.title(), "#", "#", "#");
  ForEachWritten(configuration, [&](SymbolId id) {
    const Symbol& symbol = tree.symbol(id);
    if (IsLogical(symbol.type) && configuration.value(id) == Tristate::kNo) return;
    out += fmt::format("{}{}={}\n", tree.dialect().prefix, symbol.name, configuration.text(id));
  });
  return out;
}

std::string WriteAutoHeader(const Configuration& configuration) {
  const Tree& tree = configuration.tree();
  std::string out;
  AppendHeading(out, tree.title(), "/*", " *", " */");
  ForEachWritten(configuration, [&](SymbolId id) {
    const Symbol& symbol = tree.symbol(id);
    const std::string_view text = configuration.text(id);
    std::string_view suffix;
    std::string value(text);
    if (IsLogical(symbol.type)) {
      if (text == "n") return;
      if (text == "m") suffix = "_MODULE";
      value = "1";
    }
    if (symbol.type == SymbolType::kHex && !HasHexPrefix(text)) value = "0x" + value;
    if (symbol.type == SymbolType::kString) value = QuoteValue(text);
    out += fmt::format("#define {}{}{} {}\n", tree.dialect().prefix, symbol.name, suffix, value);
  });
  return out;
}

std::string WriteRustCfg(const Configuration& configuration) {
  const Tree& tree = configuration.tree();
  const std::string& prefix = tree.dialect().prefix;
  std::string out;
  ForEachWritten(configuration, [&](SymbolId id) {
    const Symbol& symbol = tree.symbol(id);
    const std::string_view text = configuration.text(id);
    std::string value(text);
    if (IsLogical(symbol.type)) {
      if (text == "n") return;
      out += fmt::format("--cfg={}{}\n", prefix, symbol.name);
    }
    if (symbol.type == SymbolType::kHex && !HasHexPrefix(text)) value = "0x" + value;
    out += fmt::format("--cfg={}{}={}\n", prefix, symbol.name, QuoteValue(value));
  });
  return out;
}

}  // namespace hone::kconfig

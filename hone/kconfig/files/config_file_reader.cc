// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "hone/kconfig/files/config_file.h"
#include "hone/kconfig/values/values.h"

namespace hone::kconfig {
namespace {

// One line that sets something.
struct Setting {
  std::string_view name;
  std::string_view value;
};

// Without the quotes and escapes; nullopt if the closing quote is missing.
std::optional<std::string> Unquote(std::string_view text) {
  std::string out;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '"') return out;
    if (text[at] == '\\' && ++at == text.size()) break;
    out += text[at];
  }
  return std::nullopt;
}

// The last character has to be the closing quote; what is between stays as it is.
std::optional<std::string> UnquoteRaw(std::string_view text) {
  if (text.size() < 2 || !text.ends_with('"')) return std::nullopt;
  return std::string(text.substr(1, text.size() - 2));
}

class ConfigReader {
 public:
  ConfigReader(Configuration& configuration, const ReadOptions& options)
      : configuration_(configuration), tree_(configuration.tree()), options_(options) {}

  ReadReport Read(std::string_view text) {
    configuration_.ForgetAll();
    modes_.assign(tree_.choices().size(), Tristate::kNo);
    for (const Choice& choice : tree_.choices()) {
      configuration_.Assign(choice.symbol, Tristate::kNo);
    }
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      ++line_;
      // The C tool sees a line up to its first zero byte.
      std::string_view line = text.substr(at, end - at);
      ReadLine(line.substr(0, line.find('\0')));
      at = end + 1;
    }
    return std::move(report_);
  }

 private:
  void Warn(std::string message) {
    constexpr std::size_t kMaxWarnings = 10'000;
    if (report_.warnings.size() < kMaxWarnings) {
      report_.warnings.push_back({line_, std::move(message)});
    }
  }

  void ReadLine(std::string_view line) {
    const std::string& prefix = options_.prefix;
    if (line.starts_with('#')) {
      if (!line.starts_with("# ") || !line.substr(2).starts_with(prefix)) return;
      line.remove_prefix(2 + prefix.size());
      const std::size_t space = line.find(' ');
      if (space == std::string_view::npos) return;
      if (!line.substr(space + 1).starts_with("is not set")) return;
      return Take({line.substr(0, space), "n"});
    }
    if (line.starts_with(prefix) && !(prefix.empty() && (line.empty() || line == "\r"))) {
      const std::size_t equals = line.find('=', prefix.size());
      if (equals == std::string_view::npos) return;
      std::string_view value = line.substr(equals + 1);
      if (value.ends_with('\r')) value.remove_suffix(1);
      return Take({line.substr(prefix.size(), equals - prefix.size()), value});
    }
    if (!line.empty() && line[0] != '\r') {
      Warn(fmt::format("unexpected data: {}", line.substr(0, line.find('\r')).substr(0, 200)));
    }
  }

  void Take(const Setting& setting) {
    const SymbolId id = tree_.Find(setting.name);
    if (id == kNone) {
      if (options_.warns_of_unknown) Warn(fmt::format("unknown symbol: {}", setting.name));
      report_.unknown.emplace_back(setting.name);
      return;
    }
    if (configuration_.has_user_value(id)) {
      Warn(fmt::format("override: reassigning to symbol {}", setting.name));
    }
    const Symbol& symbol = tree_.symbol(id);
    if (symbol.type == SymbolType::kUnknown) return;
    if (!IsLogical(symbol.type)) return TakeText(id, setting);
    const auto value = ReadTristate(setting.value.substr(0, 1));
    const bool is_lower = !setting.value.empty() && setting.value[0] >= 'a';
    if (!value || !is_lower ||
        (*value == Tristate::kModule && symbol.type != SymbolType::kTristate)) {
      return Warn(fmt::format("symbol value '{}' invalid for {}", setting.value, symbol.name));
    }
    configuration_.Assign(id, *value);
    if (symbol.choice != kNone) TakeMember(id, *value);
  }

  void TakeText(SymbolId id, const Setting& setting) {
    const Symbol& symbol = tree_.symbol(id);
    std::string text(setting.value);
    if (symbol.type == SymbolType::kString) {
      if (!setting.value.starts_with('"')) return;
      auto unquoted =
          tree_.dialect().has_raw_strings ? UnquoteRaw(setting.value) : Unquote(setting.value);
      if (!unquoted) return Warn("invalid string found");
      text = std::move(*unquoted);
    }
    if (!IsValidText(symbol.type, text)) {
      return Warn(fmt::format("symbol value '{}' invalid for {}", text, symbol.name));
    }
    configuration_.AssignText(id, std::move(text));
  }

  void TakeMember(SymbolId id, Tristate value) {
    const SymbolId choice = tree_.symbol(id).choice;
    Tristate& mode = modes_[tree_.symbol(choice).slot];
    bool is_answered = configuration_.has_user_value(choice);
    if (value == Tristate::kModule && mode == Tristate::kYes) {
      is_answered = false;
      Warn(fmt::format("{} creates inconsistent choice state", tree_.symbol(id).name));
    }
    if (value == Tristate::kYes) {
      if (mode != Tristate::kNo) {
        Warn(fmt::format("override: {} changes choice state", tree_.symbol(id).name));
      }
      configuration_.AssignSelection(choice, id);
    }
    mode = Or(mode, value);
    configuration_.Assign(choice, mode);
    if (!is_answered) configuration_.MarkAnswered(choice, false);
  }

  Configuration& configuration_;
  const Tree& tree_;
  const ReadOptions& options_;
  std::vector<Tristate> modes_;  // By slot of the choice: what its members said so far.
  ReadReport report_;
  std::uint32_t line_ = 0;
};

}  // namespace

ReadReport AssignConfig(Configuration& configuration, std::string_view text,
                        const ReadOptions& options) {
  return ConfigReader(configuration, options).Read(text);
}

ReadReport LoadConfig(Configuration& configuration, std::string_view text,
                      const ReadOptions& options) {
  ReadReport report = AssignConfig(configuration, text, options);
  configuration.Evaluate();
  const Tree& tree = configuration.tree();
  if (!tree.dialect().forgets_out_of_range) return report;
  for (SymbolId id = 0; id < tree.symbols().size(); ++id) {
    if (tree.symbol(id).type < SymbolType::kInt || !configuration.has_user_value(id)) continue;
    if (configuration.CanBe(id, *configuration.UserValue(id))) continue;
    configuration.Forget(id);
    configuration.EvaluateUnit(id);  // The C tool leaves what depends on it as it was.
  }
  return report;
}

}  // namespace hone::kconfig

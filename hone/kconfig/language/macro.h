// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hone/core/result.h"
#include "hone/kconfig/tree/tree.h"

namespace hone::kconfig {

using Environment = std::map<std::string, std::string, std::less<>>;

enum class Flavour : std::uint8_t { kRecursive, kSimple, kAppend };

// What the macro language asks of its surroundings.
struct MacroHost {
  std::function<Result<std::string>(const std::string& command)> shell;
  std::function<void(const std::string& text)> info;
  std::function<void(const std::string& text)> warning;          // At the current place.
  std::function<std::pair<std::string, std::uint32_t>()> place;  // File name and line.
};

// The macro language of Kconfig: variables, functions and $(…). Expansion ends with an Error on
// what the C tool refuses (a variable that contains itself, a wrong number of arguments, error-if)
// and where it would not end: too deep, or too long.
class MacroExpander {
 public:
  MacroExpander(const Environment& environment, bool has_bare_variables, MacroHost host);

  struct Expanded {
    std::string text;
    std::size_t consumed = 0;  // Bytes of the input.
  };

  // A bare word that begins at `line`: up to the first character that no word can hold. In some
  // dialects a word can hold / and . too.
  Result<Expanded> ExpandWord(std::string_view line, bool has_path_bytes = false);

  // What follows a '$'; `rest` begins behind it.
  Result<Expanded> ExpandDollar(std::string_view rest);

  Result<void> Assign(std::string_view name, Flavour flavour, std::string_view value);

  // `option env="NAME"` of a symbol: $SYMBOL is the variable from then on.
  void BindSymbol(std::string_view symbol, std::string_view variable);

  // All that the trees without macros have: $NAME is replaced, everything else stays.
  std::string ReplaceNames(std::string_view text);
  std::string FromEnvironment(std::string_view name);

  // The variables of the environment that were used, in the order of their first use.
  const std::vector<NamedText>& used() const { return used_; }

  // Those that were asked for and are not there.
  const std::vector<std::string>& unset() const { return unset_; }

 private:
  struct Variable {
    std::string value;
    Flavour flavour = Flavour::kRecursive;
    std::uint32_t active = 0;
  };
  using Arguments = std::vector<std::string>;

  Result<std::string> ExpandText(std::string_view text, const Arguments& arguments);
  Result<std::string> ExpandClause(std::string_view clause, const Arguments& arguments);
  Result<std::string> Call(const std::string& name, const Arguments& arguments);
  Result<std::string> CallVariable(const std::string& name, Variable& variable,
                                   const Arguments& arguments);
  Result<std::string> CallBuiltin(const std::string& name, const Arguments& arguments);
  Result<Expanded> Dollar(std::string_view rest, const Arguments& arguments);
  Result<void> Append(std::string& text, std::string_view more);
  Result<void> Charge(std::uint64_t work);  // An Error if that is too much.

  const Environment& environment_;
  bool has_bare_variables_;
  MacroHost host_;
  std::unordered_map<std::string, Variable> variables_;
  std::map<std::string, std::string, std::less<>> bound_;
  std::vector<NamedText> used_;
  std::vector<std::string> unset_;
  std::uint32_t depth_ = 0;
  std::uint64_t work_ = 0;        // For the word at hand.
  std::uint64_t total_work_ = 0;  // For all so far.
};

}  // namespace hone::kconfig

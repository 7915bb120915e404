// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "hone/app/builtins.h"
#include "hone/base/clock.h"
#include "hone/base/json/parse_values.h"
#include "hone/cli/console.h"
#include "hone/cli/exit_code.h"
#include "hone/cli/invocation.h"
#include "hone/core/result.h"

namespace hone::cli {

// What every verb works with.
struct Shell {
  Console console;
  const app::Builtins& builtins;
  Clock& clock;
  std::filesystem::path store;
  bool wants_json = false;  // One JSON document on standard output instead of text.
  bool is_quiet = false;    // No plan, no progress.
  Invocation invocation = {};
};

// What a shell offers when the value of a flag is completed.
enum class Completes { kNothing, kChoices, kFile, kRun };

// A flag or an operand of a verb.
struct Flag {
  std::string names;  // "-o,--option"; an operand has one name without dashes: "RUN".
  std::string value;  // "NAME=VALUE"; empty for a switch and for an operand.
  std::string help;
  std::function<Result<void>(const std::string& text)> set;  // A switch is set with "".
  bool is_repeatable = false;
  bool is_required = false;
  Completes completes = Completes::kNothing;
  std::vector<std::string> choices = {};
  bool is_value_optional = false;  // "--flag" or "--flag=VALUE"; value is then "[=VALUE]".

  bool IsOperand() const { return names.front() != '-'; }
};

struct Example {
  std::string command;
  std::string meaning;
};

// One word after `hone`: a file verb_<name>.cc each, one line each in verbs.cc. The same table
// makes the parser, the help texts, the man page and the shell completions.
struct Verb {
  std::string name;
  std::string summary;      // One line.
  std::string description;  // Lines of at most 80 columns.
  std::vector<Flag> flags;
  std::vector<Example> examples;
  std::function<Result<ExitCode>(Shell& shell)> run;
  std::function<std::string()> more_help = nullptr;  // Once the flags are set; may be null.
};

// Setters for flags; what they set outlives the verb.
using Setter = std::function<Result<void>(const std::string& text)>;
Setter Store(std::string& target);
Setter Raise(bool& target);
Setter Append(std::vector<std::string>& target);
Setter StoreSetting(const std::string& flag, Options& target);  // "NAME=VALUE"

// Parses the text with `parse(flag, text)` and hands the value to `take`.
template <typename Parse, typename Take>
Setter Parsed(const std::string& flag, Parse parse, Take take) {
  return [flag, parse, take](const std::string& text) -> Result<void> {
    auto value = parse(flag, text);
    if (!value) return value.error();
    take(std::move(*value));
    return {};
  };
}

// What `parse(flag, text)` makes of the text is assigned to `target`.
template <typename Parse, typename Target>
Setter StoreParsed(const std::string& flag, Parse parse, Target& target) {
  return Parsed(flag, parse, [&target](auto value) { target = std::move(value); });
}

// A whole number in this range; `target` is an integer or an optional one.
template <typename Target>
Setter StoreCount(const std::string& flag, Target& target, std::int64_t min,
                  std::int64_t max = 1'000'000'000) {
  const auto parse = [min, max](const std::string& name, const std::string& text) {
    return ParseCount(name, text, min, max);
  };
  return Parsed(flag, parse, [&target](std::int64_t value) {
    if constexpr (std::is_integral_v<Target>) {
      target = static_cast<Target>(value);
    } else {
      target = static_cast<typename Target::value_type>(value);
    }
  });
}

}  // namespace hone::cli

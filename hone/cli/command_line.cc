// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "hone/cli/text/help.h"
#include "hone/core/nearest.h"

namespace hone::cli {
namespace {

// A flag and where its values end up.
struct Bound {
  const Flag* flag;
  CLI::Option* option;
};

CLI::Option* AddTo(CLI::App& app, const Flag& flag) {
  const bool is_switch = flag.value.empty() || flag.is_value_optional;
  if (!flag.IsOperand() && is_switch) return app.add_flag(flag.names);
  CLI::Option* option = app.add_option(flag.names, flag.help);
  option->expected(1)->allow_extra_args(false);
  if (flag.IsOperand() && flag.is_repeatable) option->expected(-1);  // One and more.
  option->multi_option_policy(flag.is_repeatable ? CLI::MultiOptionPolicy::TakeAll
                                                 : CLI::MultiOptionPolicy::Throw);
  return option;
}

// "--trials" of "-t,--trials".
std::string LongNameOf(const Flag& flag) { return flag.names.substr(flag.names.rfind(',') + 1); }

Error UnknownWord(const Verb& verb, const std::string& word) {
  if (!word.starts_with('-')) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: unexpected; usage: hone {}", word, UsageOf(verb))};
  }
  std::vector<std::string> known;
  for (const auto* flags : {&verb.flags, &CommonFlags()}) {
    for (const Flag& flag : *flags) {
      if (!flag.IsOperand()) known.push_back(LongNameOf(flag));
    }
  }
  const std::string name = word.substr(0, word.find('='));
  return Error{Errc::kInvalidArgument, NoSuch("flag", name, known)};
}

Error UnknownVerb(const std::string& word, const std::vector<Verb>& verbs) {
  std::vector<std::string> known;
  known.reserve(verbs.size());
  for (const Verb& verb : verbs) known.push_back(verb.name);
  return Error{Errc::kInvalidArgument, NoSuch("verb", word, known)};
}

Result<void> SetAll(const std::vector<Bound>& bounds, bool checks_required) {
  for (const Bound& bound : bounds) {
    if (bound.option->count() == 0) {
      if (!checks_required || !bound.flag->is_required) continue;
      return Error{Errc::kInvalidArgument,
                   fmt::format("{}: missing; {}", bound.flag->names, bound.flag->help)};
    }
    for (const std::string& text : bound.option->results()) {
      if (auto set = bound.flag->set(text); !set) return set;
    }
  }
  return {};
}

// The application as CLI11 sees it: one subcommand a verb, every value a text.
class Parser {
 public:
  explicit Parser(const std::vector<Verb>& verbs) : verbs_(verbs) {
    app_.set_help_flag();
    app_.allow_extras();
    app_.add_option("--store", command_.store);
    app_.add_flag("--json", command_.wants_json);
    app_.add_flag("-q,--quiet", command_.is_quiet);
    app_.add_flag("-h,--help", command_.wants_help);
    app_.add_flag("--version", command_.wants_version);
    for (const Verb& verb : verbs) {
      CLI::App* sub = app_.add_subcommand(verb.name);
      sub->set_help_flag();
      sub->fallthrough();
      sub->allow_extras();
      auto& bounds = bounds_.emplace_back();
      for (const Flag& flag : verb.flags) bounds.push_back({&flag, AddTo(*sub, flag)});
    }
    app_.require_subcommand(0, 1);
  }

  Result<CommandLine> Parse(std::vector<std::string> arguments) {
    std::reverse(arguments.begin(), arguments.end());  // As CLI11 wants them.
    try {
      app_.parse(std::move(arguments));
    } catch (const CLI::ParseError& fault) {
      return Error{Errc::kInvalidArgument, fault.what()};
    }
    for (std::size_t i = 0; i < verbs_.size(); ++i) {
      if (!app_.got_subcommand(verbs_[i].name)) continue;
      command_.verb = &verbs_[i];
      if (auto extras = app_.remaining(true); !extras.empty() && !command_.wants_help) {
        return UnknownWord(verbs_[i], extras.front());
      }
      if (auto set = SetAll(bounds_[i], !command_.wants_help); !set) return set.error();
      return command_;
    }
    if (auto extras = app_.remaining(); !extras.empty()) {
      return UnknownVerb(extras.front(), verbs_);
    }
    return command_;
  }

 private:
  const std::vector<Verb>& verbs_;
  CLI::App app_;
  CommandLine command_;
  std::vector<std::vector<Bound>> bounds_;
};

}  // namespace

Result<CommandLine> ParseCommandLine(const std::vector<std::string>& arguments,
                                     const std::vector<Verb>& verbs) {
  std::vector<std::string> words = arguments;
  if (!words.empty() && words.front() == "help") {  // "help tune" is "tune --help".
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  return Parser(verbs).Parse(std::move(words));
}

}  // namespace hone::cli

// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/conf/conf.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "hone/base/file.h"
#include "hone/kconfig/conf/conf_output.h"
#include "hone/kconfig/conf/interview.h"
#include "hone/kconfig/conf/modes.h"
#include "hone/kconfig/files/config_file.h"
#include "hone/kconfig/values/describe.h"

namespace hone::kconfig {
namespace {

namespace fs = std::filesystem;

struct ModeName {
  std::string_view name;
  ConfMode mode;
};
constexpr ModeName kModes[] = {{"oldaskconfig", ConfMode::kOldAsk},
                               {"oldconfig", ConfMode::kOld},
                               {"syncconfig", ConfMode::kSync},
                               {"defconfig", ConfMode::kDefconfig},
                               {"savedefconfig", ConfMode::kSaveDefconfig},
                               {"allnoconfig", ConfMode::kAllNo},
                               {"allyesconfig", ConfMode::kAllYes},
                               {"allmodconfig", ConfMode::kAllMod},
                               {"alldefconfig", ConfMode::kAllDef},
                               {"randconfig", ConfMode::kRand},
                               {"listnewconfig", ConfMode::kListNew},
                               {"helpnewconfig", ConfMode::kHelpNew},
                               {"olddefconfig", ConfMode::kOldDef},
                               {"yes2modconfig", ConfMode::kYesToMod},
                               {"mod2yesconfig", ConfMode::kModToYes},
                               {"mod2noconfig", ConfMode::kModToNo}};

class Conf {
 public:
  Conf(const ConfRequest& request, std::istream& in, std::ostream& out, std::ostream& err)
      : request_(request), in_(in), out_(out), err_(err) {}

  int Run() {
    if (request_.mode == ConfMode::kRand && !ReadSeed()) return 1;
    LoadOptions load = request_.load;
    load.info = [this](const std::string& text) { out_ << text << "\n"; };
    const Loaded loaded = LoadTree(load);
    Tell(loaded);
    if (loaded.tree == nullptr) return 1;
    Configuration configuration(loaded.tree);
    if (!ReadInput(configuration) || is_refused_) return 1;
    const bool is_strict = Has("KCONFIG_WERROR");
    if (is_strict && has_warned_) return 1;
    if (request_.mode == ConfMode::kSync && Variable("KCONFIG_NOSILENTUPDATE") != "") {
      if (is_changed_) {
        err_ << "\n*** The configuration requires explicit update.\n\n";
        return 1;
      }
      writes_config_ = false;
    }
    if (!Change(configuration)) return 1;
    const bool has_unmet = TellUnmet(configuration);
    if (is_strict && has_unmet) return 1;
    return WriteResult(configuration);
  }

 private:
  std::string Variable(std::string_view name) const {
    const auto found = request_.load.environment.find(name);
    return found == request_.load.environment.end() ? "" : found->second;
  }
  bool Has(std::string_view name) const { return request_.load.environment.contains(name); }

  std::string ConfigName() const {
    const std::string& variable = request_.load.dialect.config_variable;
    return Has(variable) ? Variable(variable) : ".config";
  }

  void Tell(const Parsed& parsed) {
    if (request_.uses_c_messages) return TellAsC(parsed, request_.load.dialect, err_);
    for (const Diagnostic& diagnostic : parsed.diagnostics) {
      err_ << ShowDiagnostic(parsed.files, diagnostic) << "\n";
    }
  }

  // In the current folder, then in the tree. What is there, and is no file that can be read, is
  // never taken for one that is not there: it would be replaced.
  std::optional<std::string> ReadNamed(const std::string& name) {
    std::string path = name;
    auto text = ReadFile(path);
    const std::string root = Variable("srctree");
    if (IsAbsent(path, text) && !name.starts_with('/') && !root.empty()) {
      path = root + "/" + name;
      text = ReadFile(path);
    }
    if (text) return std::move(*text);
    if (!IsAbsent(path, text)) {
      err_ << text.error().message << "\n";
      is_refused_ = true;
    }
    return std::nullopt;
  }

  // A folder is none either, as in the C tool, and is refused when it would be written.
  static bool IsAbsent(const std::string& path, const Result<std::string>& text) {
    std::error_code ignored;
    return !text && (text.error().code != Errc::kInvalidArgument ||
                     std::filesystem::is_directory(path, ignored));
  }

  void TakeReport(const std::string& name, const ReadReport& report) {
    for (const ConfigWarning& warning : report.warnings) {
      err_ << fmt::format("{}:{}:warning: {}\n", name, warning.line, warning.message);
    }
    has_warned_ |= !report.warnings.empty();
    is_changed_ |= !report.warnings.empty() || !report.unknown.empty();
  }

  ReadOptions Reading(const Configuration& configuration) const {
    return {configuration.tree().dialect().prefix, Has("KCONFIG_WARN_UNKNOWN_SYMBOLS")};
  }

  bool ReadInput(Configuration& configuration) {
    switch (request_.mode) {
      case ConfMode::kDefconfig: {
        const auto text = ReadNamed(request_.file);
        if (!text) {
          err_ << fmt::format("***\n*** Can't find default configuration \"{}\"!\n***\n",
                              request_.file);
          return false;
        }
        TakeReport(request_.file, LoadConfig(configuration, *text, Reading(configuration)));
        return true;
      }
      case ConfMode::kAllNo:
      case ConfMode::kAllYes:
      case ConfMode::kAllMod:
      case ConfMode::kAllDef:
      case ConfMode::kRand:
        return ReadSeedConfig(configuration);
      default:
        ReadConfig(configuration);
        return true;
    }
  }

  void ReadConfig(Configuration& configuration) {
    std::string name = ConfigName();
    auto text = ReadNamed(name);
    if (!text) {
      is_changed_ = true;
      const std::string list = Variable("KCONFIG_DEFCONFIG_LIST");
      for (std::size_t at = 0; !text && at < list.size();) {
        const std::size_t begin = list.find_first_not_of(" \t\n", at);
        if (begin == std::string::npos) break;
        at = std::min(list.find_first_of(" \t\n", begin), list.size());
        name = list.substr(begin, at - begin);
        text = ReadNamed(name);
        if (text) Say(fmt::format("using defaults found in {}", name));
      }
      if (!text) return;
    }
    TakeReport(name, LoadConfig(configuration, *text, Reading(configuration)));
    is_changed_ |= WriteConfig(configuration) != *text;
  }

  // KCONFIG_ALLCONFIG: a file, or one of the usual names.
  bool ReadSeedConfig(Configuration& configuration) {
    if (!Has("KCONFIG_ALLCONFIG")) return true;
    const std::string name = Variable("KCONFIG_ALLCONFIG");
    std::vector<std::string> names = {name};
    if (name.empty() || name == "1") {
      const bool is_random = request_.mode == ConfMode::kRand;
      const std::string mode(NameOf(request_.mode));
      names = {is_random ? "allrandom.config" : mode.substr(0, mode.size() - 6) + ".config",
               "all.config"};
    }
    for (const std::string& file : names) {
      const auto text = ReadNamed(file);
      if (!text) continue;
      TakeReport(file, AssignConfig(configuration, *text, Reading(configuration)));
      configuration.Evaluate();
      return true;
    }
    err_ << (names.size() == 1
                 ? fmt::format("*** Can't read seed configuration \"{}\"!\n", name)
                 : fmt::format("*** KCONFIG_ALLCONFIG set, but no \"{}\" or \"all.config\" file "
                               "found\n",
                               names[0]));
    return false;
  }

  static std::string_view NameOf(ConfMode mode) {
    for (const ModeName& entry : kModes) {
      if (entry.mode == mode) return entry.name;
    }
    return {};
  }

  bool ReadSeed() {
    std::uint32_t seed = 0;
    const std::string text = Variable("KCONFIG_SEED");
    char* end = nullptr;
    seed = static_cast<std::uint32_t>(std::strtol(text.c_str(), &end, 0));
    if (text.empty() || *end != '\0') {
      seed =
          static_cast<std::uint32_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    }
    out_ << fmt::format("KCONFIG_SEED=0x{:X}\n", seed);
    auto random = ReadProbability(Variable("KCONFIG_PROBABILITY"), seed);
    if (!random) {
      err_ << random.error().message << "\n";
      return false;
    }
    random_ = *random;
    return true;
  }

  bool Change(Configuration& configuration) {
    switch (request_.mode) {
      case ConfMode::kAllNo:
        SetAllNew(configuration, Tristate::kNo);
        break;
      case ConfMode::kAllYes:
        SetAllNew(configuration, Tristate::kYes);
        break;
      case ConfMode::kAllMod:
        SetAllNew(configuration, Tristate::kModule);
        break;
      case ConfMode::kRand:
        SetAllRandom(configuration, random_);
        break;
      case ConfMode::kDefconfig:
      case ConfMode::kAllDef:
        AnswerChoices(configuration);
        break;
      case ConfMode::kSaveDefconfig:
        ReopenChoices(configuration);
        configuration.Evaluate();
        break;
      case ConfMode::kYesToMod:
        RewriteTristates(configuration, Tristate::kYes, Tristate::kModule);
        break;
      case ConfMode::kModToYes:
        RewriteTristates(configuration, Tristate::kModule, Tristate::kYes);
        break;
      case ConfMode::kModToNo:
        RewriteTristates(configuration, Tristate::kModule, Tristate::kNo);
        break;
      case ConfMode::kOldAsk:
        Interview(configuration, in_, out_, err_, InterviewKind::kAskAll).Run();
        break;
      case ConfMode::kOld:
      case ConfMode::kSync:
        Interview(configuration, in_, out_, err_, InterviewKind::kAskNew).Run();
        break;
      case ConfMode::kHelpNew:
        Interview(configuration, in_, out_, err_, InterviewKind::kHelpNew).Run();
        break;
      case ConfMode::kListNew:
        for (const SymbolId id : NewSymbols(configuration)) {
          if (configuration.tree().symbol(id).name.empty()) continue;
          out_ << ConfigLine(configuration, id, true);
        }
        break;
      default:
        break;
    }
    return true;
  }

  bool TellUnmet(const Configuration& configuration) {
    const auto unmet = configuration.UnmetDependencies();
    if (unmet.empty()) return false;
    Describer describer(configuration);
    for (const SymbolId id : unmet) err_ << describer.UnmetOf(id);
    return true;
  }

  void Say(const std::string& text) {
    if (request_.is_silent || request_.mode == ConfMode::kSync) return;
    out_ << "#\n# " << text << "\n#\n";
  }

  void TellChangedInput(const Configuration& configuration) {
    if (Variable("KCONFIG_WARN_CHANGED_INPUT").empty()) return;
    std::string changed;
    for (const SymbolId id : ChangedInput(configuration)) {
      const Tree& tree = configuration.tree();
      changed += fmt::format("  {}{}: {} -> {}\n", tree.dialect().prefix, tree.symbol(id).name,
                             *configuration.UserValue(id), configuration.text(id));
    }
    if (!changed.empty()) err_ << "warning: user-provided values changed by Kconfig:\n" << changed;
  }

  int WriteResult(const Configuration& configuration) {
    if (request_.mode == ConfMode::kListNew || request_.mode == ConfMode::kHelpNew) return 0;
    if (request_.mode == ConfMode::kSaveDefconfig) {
      if (WriteWhole(request_.file, WriteMinimalConfig(configuration))) {
        TellChangedInput(configuration);
        return 0;
      }
      err_ << fmt::format("n*** Error while saving defconfig to: {}\n\n", request_.file);
      return 1;
    }
    if (writes_config_) {
      const auto said = ReplaceConfig(ConfigName(), WriteConfig(configuration),
                                      Variable("KCONFIG_OVERWRITECONFIG") != "");
      if (!said) {
        err_ << said.error().message << "\n\n*** Error during writing of the configuration.\n\n";
        return 1;
      }
      TellChangedInput(configuration);
      Say(*said);
    }
    const bool is_sync = request_.mode == ConfMode::kSync;
    if (!WriteBuildFiles(configuration, request_.load.environment, is_sync) && is_sync) {
      err_ << "\n*** Error during sync of the configuration.\n\n";
      return 1;
    }
    return 0;
  }

  const ConfRequest& request_;
  std::istream& in_;
  std::ostream& out_;
  std::ostream& err_;
  RandomOptions random_;
  bool has_warned_ = false;
  bool is_changed_ = false;
  bool writes_config_ = true;
  bool is_refused_ = false;
};

}  // namespace

std::optional<ConfMode> ConfModeNamed(std::string_view name) {
  for (const ModeName& entry : kModes) {
    if (entry.name == name) return entry.mode;
  }
  return std::nullopt;
}

std::vector<std::string> ConfModeNames() {
  std::vector<std::string> names;
  for (const ModeName& entry : kModes) names.emplace_back(entry.name);
  return names;
}

bool TakesFile(ConfMode mode) {
  return mode == ConfMode::kDefconfig || mode == ConfMode::kSaveDefconfig;
}

int RunConf(const ConfRequest& request, std::istream& in, std::ostream& out, std::ostream& err) {
  return Conf(request, in, out, err).Run();
}

}  // namespace hone::kconfig

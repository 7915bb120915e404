// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/conf/conf.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <optional>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/cli/verbs/kconfig_actions.h"
#include "hone/kconfig/files/defconfig.h"

namespace hone::cli {
namespace {

ExitCode ExitOf(int status) { return status == 0 ? ExitCode::kYes : ExitCode::kNo; }

// The arguments of the C tool without their dashes: a mode, `silent`, and the root file.
Result<kconfig::ConfRequest> ReadConfArguments(const std::vector<std::string>& arguments) {
  kconfig::ConfRequest conf;
  std::string root;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const std::size_t equals = word.find('=');
    const auto mode = kconfig::ConfModeNamed(word.substr(0, equals));
    if (word == "silent") {
      conf.is_silent = true;
    } else if (mode) {
      conf.mode = *mode;
      if (!TakesFile(*mode)) continue;
      if (equals != std::string::npos) {
        conf.file = word.substr(equals + 1);
      } else if (i + 1 < arguments.size()) {
        conf.file = arguments[++i];
      }
    } else {
      root = word;
    }
  }
  if (root.empty()) return Error{Errc::kInvalidArgument, "conf: Kconfig file missing"};
  conf.load.file = root;
  // Whoever names a root file means its tree, wherever that lies.
  conf.load.granted.push_back(std::filesystem::absolute(root).parent_path());
  return conf;
}

// The file for the tool: the one that was meant, or what the preprocessor made of it, in `made`.
Result<std::string> PrepareDefconfig(Shell& shell, const kconfig::TreePlace& place,
                                     const std::string& name, const kconfig::LoadOptions& options,
                                     std::optional<TempDir>& made) {
  const auto found = kconfig::FindDefconfig(place, name);
  if (!found) return found.error();
  if (*found != name && !shell.is_quiet) shell.console.err << found->string() << "\n";
  const auto plain = ReadFile(*found);
  if (!plain) return plain.error();
  const auto text = kconfig::ReadDefconfig(place, *found, options);
  if (!text) return text.error();
  if (*text == *plain) return found->string();
  auto folder = TempDir::Make("defconfig");
  if (!folder) return folder.error();
  made = std::move(*folder);
  const std::filesystem::path file = made->path() / found->filename();
  if (auto written = WriteFileDurably(file, *text); !written) return written.error();
  return file.string();
}

}  // namespace

Result<ExitCode> KconfigConf(Shell& shell, const KconfigRequest& request) {
  std::vector<std::string> arguments = request.operands;
  if (!request.tree.empty()) arguments.insert(arguments.begin(), request.tree);
  auto conf = ReadConfArguments(arguments);
  if (!conf) return conf.error();
  const auto policy = kconfig::ShellPolicyNamed(request.shell);
  if (!policy) return policy.error();
  const auto granted = app::GrantedFolders(request);
  if (!granted) return granted.error();
  kconfig::LoadOptions& load = conf->load;
  load.granted.insert(load.granted.end(), granted->begin(), granted->end());
  load.passed.insert(request.passed.begin(), request.passed.end());
  load.environment = app::ProcessEnvironment();
  load.shell = *policy;
  load.folders = {""};
  if (const auto root = load.environment.find("srctree"); root != load.environment.end()) {
    load.folders.emplace_back(root->second);
    load.dialect = kconfig::DetectDialect(root->second);
  } else {
    load.dialect = kconfig::DetectDialect(".");
  }
  if (!request.dialect.empty()) {
    auto dialect = kconfig::DialectNamed(request.dialect);
    if (!dialect) return dialect.error();
    load.dialect = std::move(*dialect);
  }
  if (const auto prefix = load.environment.find("CONFIG_"); prefix != load.environment.end()) {
    load.dialect.prefix = prefix->second;
  }
  return ExitOf(RunConf(*conf, std::cin, shell.console.out, shell.console.err));
}

Result<ExitCode> KconfigMode(Shell& shell, const KconfigRequest& request) {
  kconfig::ConfRequest conf;
  conf.mode = *kconfig::ConfModeNamed(request.action);
  conf.is_silent = shell.is_quiet;
  conf.uses_c_messages = false;
  kconfig::TreePlace place;
  auto options = app::KconfigLoadOptions(request, place);
  if (!options) return options.error();
  conf.load = std::move(*options);
  const std::string operand = request.operands.empty() ? "" : request.operands[0];
  std::optional<TempDir> made;
  if (conf.mode == kconfig::ConfMode::kDefconfig) {
    auto file = PrepareDefconfig(shell, place, operand, conf.load, made);
    if (!file) return file.error();
    conf.file = std::move(*file);
  } else if (TakesFile(conf.mode)) {
    conf.file = operand.empty() ? "defconfig" : operand;
  }
  if (!request.config.empty())
    conf.load.environment[conf.load.dialect.config_variable] = request.config;
  return ExitOf(RunConf(conf, std::cin, shell.console.out, shell.console.err));
}

}  // namespace hone::cli

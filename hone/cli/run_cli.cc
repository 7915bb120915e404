// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/run_cli.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "hone/app/store_path.h"
#include "hone/base/json/json.h"
#include "hone/base/log.h"
#include "hone/cli/command_line.h"
#include "hone/cli/text/help.h"
#include "hone/cli/text/readable.h"
#include "hone/cli/verbs.h"
#include "hone/core/error_name.h"

namespace hone::cli {
namespace {

ExitCode TellError(const Console& console, const Error& error, bool wants_json) {
  if (wants_json) {
    console.out << Dump({{"error", {{"code", NameOf(error.code)}, {"message", error.message}}}})
                << '\n';
  }
  console.err << fmt::format("{} {}\n", console.err_ink.Bad("hone:"), Printable(error.message));
  return ExitCodeOf(error.code);
}

Result<ExitCode> RunVerb(const std::string& program, const CommandLine& command,
                         const std::vector<Verb>& verbs, const app::Builtins& builtins,
                         const Console& console) {
  if (command.wants_help) {
    console.out << (command.verb == nullptr ? OverviewText(verbs) : HelpText(*command.verb));
    return ExitCode::kYes;
  }
  if (command.verb == nullptr && !command.wants_version) {
    console.err << OverviewText(verbs);
    return ExitCode::kUsage;
  }
  Shell shell{console,
              builtins,
              SystemClock(),
              app::StorePath(command.store, app::FromEnvironment),
              command.wants_json,
              command.is_quiet,
              InvocationOf(program, command.store, app::FromEnvironment)};
  return command.verb == nullptr ? MakeVersionVerb().run(shell) : command.verb->run(shell);
}

// Found anew at each start of a judge: it is this program also where its file was replaced.
constexpr const char* kThisProgram = "/proc/self/exe";

}  // namespace

int RunCli(const std::string& program, const std::vector<std::string>& arguments,
           const Console& console) {
  return RunCli(program, arguments, console, app::MakeBuiltins(kThisProgram));
}

int RunCli(const std::string& program, const std::vector<std::string>& arguments,
           const Console& console, const app::Builtins& builtins) {
  SetLogLevel(LogLevel::kWarning);  // Notes would tear the progress line.
  const std::vector<Verb> verbs = AllVerbs(builtins);
  const bool wants_json =
      std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
  const auto command = ParseCommandLine(arguments, verbs);
  if (!command) {
    TellError(console, command.error(), wants_json);
    console.err << "Try: hone --help\n";
    return static_cast<int>(ExitCode::kUsage);
  }
  const auto exit = RunVerb(program, *command, verbs, builtins, console);
  const ExitCode code = exit ? *exit : TellError(console, exit.error(), wants_json);
  if (!console.out.flush()) {
    console.err << "hone: standard output: it could not be written\n";
    return static_cast<int>(ExitCode::kFailed);
  }
  return static_cast<int>(code);
}

}  // namespace hone::cli

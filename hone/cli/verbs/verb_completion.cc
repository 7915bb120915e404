// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "hone/base/json/json.h"
#include "hone/cli/text/completion.h"
#include "hone/cli/text/man_page.h"
#include "hone/cli/verbs.h"

namespace hone::cli {
namespace {

Result<std::string> ScriptFor(const std::string& shell_name, const std::vector<Verb>& verbs) {
  if (shell_name == "bash") return BashCompletion(verbs);
  if (shell_name == "zsh") return ZshCompletion(verbs);
  if (shell_name == "fish") return FishCompletion(verbs);
  if (shell_name == "man") return ManPage(verbs);
  return Error{Errc::kInvalidArgument,
               fmt::format("SHELL: expected bash, zsh, fish or man, found \"{}\"", shell_name)};
}

Result<ExitCode> TellScript(Shell& shell, const std::string& shell_name) {
  const auto script = ScriptFor(shell_name, AllVerbs(shell.builtins));
  if (!script) return script.error();
  if (shell.wants_json) {
    shell.console.out << Dump({{"shell", shell_name}, {"script", *script}}) << '\n';
  } else {
    shell.console.out << *script;
  }
  return ExitCode::kYes;
}

}  // namespace

Verb MakeCompletionVerb() {
  const auto shell_name = std::make_shared<std::string>();
  Verb verb;
  verb.name = "completion";
  verb.summary = "prints the completions for a shell, or the manual page";
  verb.description = "Verbs, flags, choices and the names of stored campaigns.";
  verb.flags = {{.names = "SHELL",
                 .value = "",
                 .help = "bash, zsh, fish; or man, for the manual page.",
                 .set = Store(*shell_name),
                 .is_required = true,
                 .completes = Completes::kChoices,
                 .choices = {"bash", "zsh", "fish", "man"}}};
  verb.examples = {
      {"source <(hone completion bash)", "For this session of bash."},
      {"hone completion fish > ~/.config/fish/completions/hone.fish", "For good, in fish."},
      {"hone completion zsh > \"${fpath[1]}/_hone\"", "For good, in zsh."},
      {"hone completion man | man -l -", "The manual page."}};
  verb.run = [shell_name](Shell& shell) { return TellScript(shell, *shell_name); };
  return verb;
}

}  // namespace hone::cli

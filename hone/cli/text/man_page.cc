// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/man_page.h"

#include <fmt/format.h>

#include "hone/app/version.h"
#include "hone/cli/exit_code.h"
#include "hone/cli/text/help.h"

namespace hone::cli {
namespace {

// What roff would take for a macro, an escape or a hyphen is written out.
std::string Roff(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\') {
      safe += "\\e";
    } else if (c == '-') {
      safe += "\\-";
    } else if ((c == '.' || c == '\'') && (safe.empty() || safe.back() == '\n')) {
      safe += std::string("\\&") + c;
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string FlagLines(const std::vector<Flag>& flags) {
  std::string text;
  for (const Flag& flag : flags) {
    text += fmt::format(".TP\n\\fB{}\\fR{}{}\n{}\n", Roff(flag.names),
                        flag.value.empty() || flag.is_value_optional ? "" : " ", Roff(flag.value),
                        Roff(flag.help));
  }
  return text;
}

std::string VerbLines(const Verb& verb) {
  std::string text = fmt::format(".SS hone {}\n{}.\n.PP\n{}\n", Roff(UsageOf(verb)),
                                 Roff(verb.summary), Roff(verb.description));
  text += FlagLines(verb.flags);
  for (const Example& example : verb.examples) {
    text += fmt::format(".PP\n.EX\n{}\n.EE\n.RS\n{}\n.RE\n", Roff(example.command),
                        Roff(example.meaning));
  }
  return text;
}

}  // namespace

std::string ManPage(const std::vector<Verb>& verbs) {
  std::string text = fmt::format(".TH HONE 1 \"\" \"hone {}\"\n", app::Version());
  text +=
      ".SH NAME\nhone \\- makes kernels better and proves it\n"
      ".SH SYNOPSIS\n.B hone\n.I VERB\n[flags] [operands]\n.SH VERBS\n";
  for (const Verb& verb : verbs) text += VerbLines(verb);
  text += ".SH FLAGS OF EVERY VERB\n" + FlagLines(CommonFlags());
  text += ".SH EXIT STATUS\n" + std::string(kExitCodesText) +
          ".SH FILES\n.I ~/.local/state/hone/hone.db\n"
          ".SH ENVIRONMENT\n.BR HONE_STORE ,\n.BR XDG_STATE_HOME ,\n.B NO_COLOR\n";
  return text;
}

}  // namespace hone::cli

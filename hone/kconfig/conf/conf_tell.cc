// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <ostream>

#include "hone/kconfig/conf/conf.h"

// What conf says about a tree: the part of it that speaks as the C tool does.
namespace hone::kconfig {
namespace {

std::string PlaceAsC(const Parsed& parsed, Location where) {
  return fmt::format("{}:{}:", parsed.files[where.file].name, where.line);
}

// Since Linux 6.11 without places.
void TellCycle(const Parsed& parsed, const std::vector<CycleStep>& cycle, bool has_places,
               std::ostream& err) {
  const auto place = [&](const CycleStep& step) {
    return has_places ? PlaceAsC(parsed, step.where) : std::string();
  };
  err << place(cycle.front()) << "error: recursive dependency detected!\n";
  for (const CycleStep& step : cycle) err << place(step) << "\t" << step.text << "\n";
  err << "For a resolution refer to Documentation/kbuild/kconfig-language.rst\n"
         "subsection \"Kconfig recursive dependency limitations\"\n\n";
}

// Before Linux 6.11 up to the file that is read again, since then up to the root.
void TellRecursion(const Parsed& parsed, bool tells_all, std::ostream& err) {
  const std::string& name = parsed.files[parsed.recursive_inclusion].name;
  err << "Recursive inclusion detected.\nInclusion path:\n  current file : " << name << "\n";
  for (Location at = parsed.files[parsed.recursive_inclusion].included_at; at.file != kNone;
       at = parsed.files[at.file].included_at) {
    err << fmt::format("  included from: {}:{}\n", parsed.files[at.file].name, at.line);
    if (!tells_all && parsed.files[at.file].name == name) break;
  }
}

void TellRepetition(const Parsed& parsed, std::ostream& err) {
  const SourceFile& again = parsed.files[parsed.repeated_inclusion];
  err << PlaceAsC(parsed, again.included_at) << " error: repeated inclusion of " << again.name
      << "\n";
  for (const SourceFile& file : parsed.files) {
    if (file.name != again.name) continue;
    err << PlaceAsC(parsed, file.included_at) << " note: location of first inclusion of "
        << file.name << "\n";
    return;
  }
}

bool IsToldApart(const Parsed& parsed, const Diagnostic& diagnostic) {
  if (diagnostic.severity != Severity::kError) return false;
  return diagnostic.message.starts_with("recursive dependency detected!") ||
         parsed.recursive_inclusion != kNone || parsed.repeated_inclusion != kNone;
}

}  // namespace

void TellAsC(const Parsed& parsed, const Dialect& dialect, std::ostream& err) {
  for (const Diagnostic& diagnostic : parsed.diagnostics) {
    if (IsToldApart(parsed, diagnostic)) continue;
    if (diagnostic.where.file == kNone) {
      err << diagnostic.message << "\n";
      continue;
    }
    const char* word = diagnostic.severity == Severity::kWarning ? "warning:" : "";
    err << PlaceAsC(parsed, diagnostic.where) << (diagnostic.is_rule ? " error:" : word) << " "
        << diagnostic.message << "\n";
  }
  const bool is_new = dialect.choice_rules == ChoiceRules::kGroup;
  for (const auto& cycle : parsed.cycles) TellCycle(parsed, cycle, !is_new, err);
  if (parsed.recursive_inclusion != kNone) TellRecursion(parsed, is_new, err);
  if (parsed.repeated_inclusion != kNone) TellRepetition(parsed, err);
}

}  // namespace hone::kconfig

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "hone/kconfig/values/configuration.h"
#include "hone/kconfig/values/describe.h"

namespace hone::kconfig {

enum class InterviewKind {
  kAskAll,   // oldaskconfig
  kAskNew,   // oldconfig, syncconfig
  kHelpNew,  // helpnewconfig: shows, asks nothing
};

// Asks for the values of symbols, line by line, in the words of the C tool. An end of the input
// counts as an empty answer, which keeps the value that is offered.
class Interview {
 public:
  Interview(Configuration& configuration, std::istream& in, std::ostream& out, std::ostream& err,
            InterviewKind kind);

  void Run();

 private:
  void Ask(MenuId id);
  void AskChildren(MenuId id);
  void AskNew(MenuId id);
  void Set(SymbolId id, Tristate value);
  bool SetText(SymbolId id, const std::string& text);
  void AskTristate(MenuId id);
  void AskText(MenuId id);
  void AskChoice(MenuId id);
  bool AskMode(MenuId id);
  int ShowMembers(MenuId id, int& offered);
  bool PickMember(MenuId id, int number, bool wants_help);
  bool ReadAnswer(SymbolId id, const std::string& offered);
  void ReadLine();
  void ShowHelp(MenuId id);
  void ShowTitle(MenuId id);
  std::string Indent(int more = 0) const;
  const std::string PromptOf(MenuId id) const;
  MenuId MenuAround(MenuId id) const;
  bool IsAtEnd() const;

  Configuration& configuration_;
  const Tree& tree_;
  std::istream& in_;
  std::ostream& out_;
  std::ostream& err_;
  InterviewKind kind_;
  bool asks_all_;
  MenuId root_ = 0;
  int indent_ = 1;
  int asked_ = 0;
  int empty_reads_ = 0;
  std::string line_;
  std::optional<Describer> describer_;  // Made for the first help that is asked for.
};

}  // namespace hone::kconfig

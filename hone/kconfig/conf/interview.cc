// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/conf/interview.h"

#include <fmt/format.h>

#include <cctype>
#include <istream>
#include <ostream>

#include "hone/core/trimmed.h"
#include "hone/kconfig/conf/modes.h"
#include "hone/kconfig/values/values.h"

namespace hone::kconfig {
namespace {

constexpr int kMaxEmptyReads = 100'000;

// n, no, m, y, yes in either case for the first letter; nullopt for other words.
std::optional<Tristate> ReadWord(const std::string& word) {
  const auto value = ReadTristate(word.substr(0, 1));
  const std::string rest = word.substr(std::min<std::size_t>(1, word.size()));
  if (!value || rest.empty()) return value;
  const bool is_long =
      (*value == Tristate::kNo && rest == "o") || (*value == Tristate::kYes && rest == "es");
  return is_long ? value : std::nullopt;
}

}  // namespace

Interview::Interview(Configuration& configuration, std::istream& in, std::ostream& out,
                     std::ostream& err, InterviewKind kind)
    : configuration_(configuration),
      tree_(configuration.tree()),
      in_(in),
      out_(out),
      err_(err),
      kind_(kind),
      asks_all_(kind == InterviewKind::kAskAll) {}

void Interview::Run() {
  if (asks_all_) {
    Ask(0);
    asks_all_ = false;
  }
  do {
    asked_ = 0;
    AskNew(0);
  } while (asked_ > 0 && !IsAtEnd());
}

bool Interview::IsAtEnd() const { return empty_reads_ > kMaxEmptyReads; }

std::string Interview::Indent(int more) const {
  return std::string(static_cast<std::size_t>(std::max(0, indent_ - 1 + more)), ' ');
}

const std::string Interview::PromptOf(MenuId id) const {
  return std::string(tree_.property(tree_.menu(id).prompt).text);
}

void Interview::ReadLine() {
  out_.flush();
  std::string line;
  if (std::getline(in_, line)) {
    line_ = in_.eof() ? line : line + '\n';
  } else {  // What is in line_ counts as the answer.
    ++empty_reads_;
    err_ << "\nError in reading or end of file.\n";
  }
  out_ << line_;
}

// False if nothing is asked because the answer is known or cannot change.
bool Interview::ReadAnswer(SymbolId id, const std::string& offered) {
  if (!IsAnswered(configuration_, id)) out_ << "(NEW) ";
  line_ = "\n";
  if (!configuration_.IsChangeable(id) || (!asks_all_ && IsAnswered(configuration_, id))) {
    out_ << offered << "\n";
    return false;
  }
  ReadLine();
  return true;
}

// The C tool evaluates everything anew when a value changes.
void Interview::Set(SymbolId id, Tristate value) {
  const bool is_change = configuration_.value(id) != value;
  if (is_change && !configuration_.CanBe(id, value)) return;
  if (is_change) ReopenChoices(configuration_);
  configuration_.Set(id, value);
  if (is_change) configuration_.Evaluate();
}

// False if the symbol cannot have that text.
bool Interview::SetText(SymbolId id, const std::string& text) {
  if (!configuration_.CanBe(id, text)) return false;
  const auto before = configuration_.UserValue(id);
  ReopenChoices(configuration_);
  if (!configuration_.Set(id, text)) return false;
  if (before != text) configuration_.Evaluate();
  return true;
}

void Interview::AskTristate(MenuId id) {
  const SymbolId symbol = tree_.menu(id).symbol;
  while (!IsAtEnd()) {
    out_ << Indent() << PromptOf(id) << " ";
    if (!tree_.symbol(symbol).name.empty()) out_ << "(" << tree_.symbol(symbol).name << ") ";
    const Tristate old = configuration_.value(symbol);
    out_ << '[' << "NMY"[static_cast<int>(old)];
    for (const Tristate value : {Tristate::kNo, Tristate::kModule, Tristate::kYes}) {
      if (old != value && configuration_.CanBe(symbol, value)) out_ << '/' << TextOf(value);
    }
    out_ << "/?] ";
    if (!ReadAnswer(symbol, std::string(configuration_.text(symbol)))) return;
    const std::string word(Trimmed(line_));
    if (!word.starts_with('?')) {
      const auto value = word.empty() ? std::optional(old) : ReadWord(word);
      if (!value) continue;
      if (*value == old || configuration_.CanBe(symbol, *value)) {
        Set(symbol, *value);
        return;
      }
    }
    ShowHelp(id);
  }
}

void Interview::AskText(MenuId id) {
  const SymbolId symbol = tree_.menu(id).symbol;
  while (!IsAtEnd()) {
    std::string answer(configuration_.text(symbol));
    out_ << Indent() << PromptOf(id) << " (" << tree_.symbol(symbol).name << ") [" << answer
         << "] ";
    if (!ReadAnswer(symbol, answer)) return;
    if (line_ == "?\n") {
      ShowHelp(id);
      continue;
    }
    if (!line_.empty() && line_ != "\n") {
      answer = line_.substr(0, line_.size() - (line_.ends_with('\n') ? 1 : 0));
    }
    if (SetText(symbol, answer)) return;
  }
}

// True if one of the members is to be picked.
bool Interview::AskMode(MenuId id) {
  const SymbolId choice = tree_.menu(id).symbol;
  if (configuration_.IsChangeable(choice)) {
    AskTristate(id);
  } else if (configuration_.value(choice) == Tristate::kModule) {
    out_ << Indent() << PromptOf(id) << "\n";
  }
  return configuration_.value(choice) == Tristate::kYes;
}

// How many there are; `offered` is the number of the selection.
int Interview::ShowMembers(MenuId id, int& offered) {
  const SymbolId selected = configuration_.Selection(tree_.menu(id).symbol);
  int count = 0;
  offered = 0;
  const std::string pad(static_cast<std::size_t>(indent_ - 1), ' ');
  for (MenuId child = tree_.menu(id).first_child; child != kNone; child = tree_.menu(child).next) {
    if (!configuration_.IsVisible(child)) continue;
    const SymbolId member = tree_.menu(child).symbol;
    if (member == kNone) {
      out_ << pad << "* " << PromptOf(child) << "\n";
      continue;
    }
    ++count;
    if (member == selected) offered = count;
    out_ << pad << (member == selected ? '>' : ' ') << " " << count << ". " << PromptOf(child);
    if (!tree_.symbol(member).name.empty()) out_ << " (" << tree_.symbol(member).name << ")";
    if (!configuration_.has_user_value(member)) out_ << " (NEW)";
    out_ << "\n";
  }
  return count;
}

void Interview::AskChoice(MenuId id) {
  const bool is_new = !IsAnswered(configuration_, tree_.menu(id).symbol);
  if (!AskMode(id)) return;
  while (!IsAtEnd()) {
    out_ << Indent() << PromptOf(id) << "\n";
    int offered = 0;
    int number = ShowMembers(id, offered);
    out_ << Indent() << "choice";
    line_.clear();
    if (number == 1) {
      out_ << "[1]: 1\n";
    } else {
      out_ << "[1-" << number << "?]: ";
      if (!asks_all_ && !is_new) {
        number = offered;
        out_ << number << "\n";
      } else {
        ReadLine();
        line_ = std::string(Trimmed(line_));
        if (line_.starts_with('?')) {
          ShowHelp(id);
          continue;
        }
        if (!line_.empty() && std::isdigit(static_cast<unsigned char>(line_[0])) == 0) continue;
        number = line_.empty() ? offered : std::atoi(line_.c_str());
      }
    }
    if (PickMember(id, number, line_.ends_with('?'))) return;
  }
}

bool Interview::PickMember(MenuId id, int number, bool wants_help) {
  for (MenuId child = tree_.menu(id).first_child; child != kNone; child = tree_.menu(child).next) {
    if (tree_.menu(child).symbol == kNone || !configuration_.IsVisible(child)) continue;
    if (--number != 0) continue;
    if (wants_help) {
      ShowHelp(child);
      return false;
    }
    Set(tree_.menu(child).symbol, Tristate::kYes);
    indent_ += 2;
    for (MenuId inner = tree_.menu(child).first_child; inner != kNone;
         inner = tree_.menu(inner).next) {
      Ask(inner);
    }
    indent_ -= 2;
    return true;
  }
  return false;
}

void Interview::ShowTitle(MenuId id) {
  const std::string pad(static_cast<std::size_t>(indent_ - 1), ' ');
  out_ << fmt::format("{0}*\n{0}* {1}\n{0}*\n", pad, PromptOf(id));
}

void Interview::Ask(MenuId id) {
  if (!configuration_.IsVisible(id) || IsAtEnd()) return;
  const MenuNode& node = tree_.menu(id);
  const bool is_menu = node.kind == MenuKind::kMenu || node.is_menuconfig;
  if (is_menu && !asks_all_ && root_ != id) return AskNew(id);
  if (is_menu || node.kind == MenuKind::kComment) ShowTitle(id);
  if (node.symbol != kNone) {
    if (node.kind == MenuKind::kChoice) {
      AskChoice(id);
      if (configuration_.value(node.symbol) != Tristate::kModule) return;
    } else if (IsLogical(tree_.symbol(node.symbol).type)) {
      AskTristate(id);
    } else {
      AskText(id);
    }
  }
  AskChildren(id);
}

void Interview::AskChildren(MenuId id) {
  const int step = tree_.menu(id).symbol == kNone ? 0 : 2;
  indent_ += step;
  for (MenuId child = tree_.menu(id).first_child; child != kNone; child = tree_.menu(child).next) {
    Ask(child);
  }
  indent_ -= step;
}

MenuId Interview::MenuAround(MenuId id) const {
  for (; id != 0; id = tree_.menu(id).parent) {
    const MenuNode& node = tree_.menu(id);
    if (node.prompt != kNone && (node.kind == MenuKind::kMenu || node.is_menuconfig)) break;
  }
  return id;
}

void Interview::AskNew(MenuId id) {
  if (!configuration_.IsVisible(id) || IsAtEnd()) return;
  const SymbolId symbol = tree_.menu(id).symbol;
  if (symbol != kNone && IsNew(configuration_, symbol)) {
    if (kind_ == InterviewKind::kHelpNew) {
      out_ << "-----\n";
      ShowHelp(id);
      out_ << "-----\n";
    } else {
      if (asked_++ == 0) out_ << "*\n* Restart config...\n*\n";
      root_ = MenuAround(id);
      Ask(root_);
    }
  }
  for (MenuId child = tree_.menu(id).first_child; child != kNone; child = tree_.menu(child).next) {
    AskNew(child);
  }
}

void Interview::ShowHelp(MenuId id) {
  if (!describer_) describer_.emplace(configuration_);
  out_ << "\n" << describer_->Help(id) << "\n";
}

}  // namespace hone::kconfig

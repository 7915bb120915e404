// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/options/option_pick.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "hone/core/plain_sentence.h"
#include "hone/core/trimmed.h"
#include "hone/domains/kconfig/options/option_space.h"
#include "hone/kconfig/reason/walk.h"

namespace hone::kernels {
namespace {

using kconfig::Configuration;
using kconfig::kNone;
using kconfig::MenuId;
using kconfig::MenuKind;
using kconfig::SymbolId;
using kconfig::Tree;

constexpr std::size_t kMaxShown = 12;  // Names in one note.

// Why an option is left out, in the order in which it is told.
constexpr char kIsKept[] = "protected or needed to boot here (allow=NAME)";
constexpr char kIsHeld[] = "held by other options";
constexpr char kIsHidden[] = "not to be set before others are (options=NAME tries it)";
constexpr char kHasNoValues[] = "without a range of values (options=NAME=LOW..HIGH or a|b)";
constexpr char kIsElsewhere[] = "not in this tree";

// What people say of a kernel, by topic and aim.
const IdeaWords& KernelWords() {
  static const IdeaWords words{
      {"system calls", {"systemcall", "syscall", "call"}},
      {"scheduling", {"scheduler", "schedule", "contextswitch", "contextswitche", "preemption"}},
      {"processes", {"process", "processe", "fork", "exec", "thread"}},
      {"locking", {"lock", "mutex", "spinlock", "futex", "rcu", "contention"}},
      {"timers", {"timer", "tick", "clock", "hz"}},
      {"memory",
       {"ram", "pagefault", "page", "hugepage", "allocation", "allocator", "mmap", "tlb"}},
      {"files", {"file", "filesystem", "read", "write", "stat", "open"}},
      {"storage", {"disk", "block", "io", "ssd", "nvme"}},
      {"network", {"networking", "tcp", "packet", "socket", "udp"}},
      {"boot", {"booting", "startup", "bootup"}},
      {"power", {"energy", "battery"}},
      {"processor", {"cpu"}},
      {"compiler", {"optimisation", "optimization"}},
      {"modules", {"module"}},
      {"tracing", {"trace", "tracer", "ftrace"}},
      {"debugging", {"debug", "check", "assertion"}},
      {"groups", {"group", "cgroup", "container"}},
      {"accounting", {"statistic", "counter"}},
      {"virtualisation", {"virtualization", "virtual", "guest", "vm", "kvm", "hypervisor"}},
      {"size", {"small", "smaller", "smallest", "tiny", "image"}},
      {"latency", {"jitter", "tail", "delay", "responsive", "realtime", "response"}},
      {"throughput", {"speed", "fast", "faster", "fastest", "quick", "quicker", "speedup"}},
      {"security", {"secure", "mitigation", "hardening", "safe", "safety"}}};
  return words;
}

// How well, not what: these narrow what other words are about.
bool IsQuality(const std::string& idea) { return idea == "latency" || idea == "throughput"; }

bool IsAbout(const KnownOption& known, const std::string& topic) {
  return std::find(known.about.begin(), known.about.end(), topic) != known.about.end();
}

// Whether the option matters for what was asked for: it is about one of the subjects and better for
// one of the qualities, if there are any. Aims such as boot or size are subjects too, and need no
// quality; but "faster memory" is not less of it.
bool Matters(const KnownOption& known, const PlainSentence& asked) {
  const auto is_about = [&](const std::string& idea) { return IsAbout(known, idea); };
  const auto is_better = [&](const std::string& idea) { return known.better.contains(idea); };
  if (std::any_of(asked.without.begin(), asked.without.end(), is_about)) return false;
  std::vector<std::string> subjects;
  std::vector<std::string> qualities;
  for (const auto& [idea, word] : asked.ideas) {
    if (idea != "security") (IsQuality(idea) ? qualities : subjects).push_back(idea);
  }
  const bool is_as_well = std::any_of(qualities.begin(), qualities.end(), is_better);
  if (subjects.empty()) return is_as_well;
  const bool is_aim = std::any_of(subjects.begin(), subjects.end(), [&](const std::string& idea) {
    return is_better(idea) && (idea != "memory" || qualities.empty());
  });
  return is_aim || (std::any_of(subjects.begin(), subjects.end(), is_about) &&
                    (qualities.empty() || is_as_well));
}

std::string Shown(const std::vector<std::string>& names) {
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(kMaxShown, names.size()));
  std::string text = fmt::format("{}", fmt::join(names.begin(), end, ", "));
  if (names.size() > kMaxShown) text += fmt::format(" and {} more", names.size() - kMaxShown);
  return text;
}

// "about system calls, throughput (faster), without timers, security is kept (not understood: x)"
std::string TextOf(PlainSentence asked) {
  const bool keeps_security = asked.ideas.erase("security") > 0;
  std::string text = fmt::format("about {}", fmt::join(IdeasWithWords(asked), ", "));
  if (!asked.without.empty()) text += fmt::format(", without {}", fmt::join(asked.without, ", "));
  if (keeps_security) text += ", security is kept";
  if (asked.others.empty()) return text;
  return text + fmt::format(" (not understood: {})", fmt::join(asked.others, ", "));
}

class Picker {
 public:
  Picker(const Configuration& base, const PickRequest& request, const KeptReason& why_kept)
      : base_(base), tree_(base.tree()), why_kept_(why_kept) {
    picked_.allowed = request.allowed;
  }

  // What is named is taken, and not picked again.
  Result<void> Take(const std::string& options) {
    const auto named = OptionSpace::Make(base_, options, picked_.allowed);
    if (!named) return named.error();
    for (const Parameter& parameter : named->space().parameters()) taken_.insert(parameter.name);
    return {};
  }

  Result<void> PickMenu(const std::string& title);
  Result<void> PickAbout(const std::string& sentence, const OptionKnowledge& knowledge);

  PickedOptions Finish() {
    for (const char* why : {kIsKept, kIsHeld, kIsHidden, kHasNoValues, kIsElsewhere}) {
      const auto& names = left_out_[why];
      if (names.empty()) continue;
      const std::vector<std::string> sorted(names.begin(), names.end());
      picked_.notes.push_back(fmt::format("left out, {} {}: {}", names.size(), why, Shown(sorted)));
    }
    return std::move(picked_);
  }

 private:
  void OfferBelow(MenuId menu);
  void Offer(SymbolId id);
  bool IsKept(SymbolId id) const;
  bool IsShown(SymbolId id) const;
  std::string LineFor(SymbolId id) const;
  void LeaveOut(SymbolId id, const char* why) {
    left_out_[why].insert(std::string(tree_.symbol(id).name));
  }
  void GiveUp(SymbolId id);             // Allows it, if it can be picked then.
  void Tell(const std::string& where);  // What came since the last time.

  const Configuration& base_;
  const Tree& tree_;
  const KeptReason& why_kept_;
  PickedOptions picked_;
  std::set<std::string> taken_;   // Names of parameters.
  std::vector<std::string> new_;  // Picked since the last Tell.
  std::vector<std::string> given_up_;
  std::map<std::string, std::set<std::string>> left_out_;
};

Result<void> Picker::PickMenu(const std::string& title) {
  const auto menus = kconfig::MenusTitled(tree_, title);
  if (!menus) return menus.error();
  for (const MenuId menu : *menus) OfferBelow(menu);
  Tell(fmt::format("menu \"{}\"", title));
  return {};
}

void Picker::OfferBelow(MenuId menu) {
  for (MenuId at = tree_.menu(menu).first_child; at != kNone; at = tree_.menu(at).next) {
    const kconfig::MenuNode& node = tree_.menu(at);
    const bool is_shown = node.prompt != kNone && base_.IsVisible(at);
    if (node.kind == MenuKind::kChoice) {
      const auto members = tree_.MembersOf(node.symbol);
      if (is_shown && !members.empty()) Offer(members.front());
      continue;
    }
    if (node.kind == MenuKind::kSymbol && is_shown) Offer(node.symbol);
    OfferBelow(at);
  }
}

// Of a choice, all members.
bool Picker::IsKept(SymbolId id) const {
  const auto is_kept = [&](SymbolId one) {
    const std::string name(tree_.symbol(one).name);
    const auto& allowed = picked_.allowed;
    return std::find(allowed.begin(), allowed.end(), name) == allowed.end() &&
           !why_kept_(name).empty();
  };
  const SymbolId choice = tree_.symbol(id).choice;
  if (choice == kNone) return is_kept(id);
  const auto members = tree_.MembersOf(choice);
  return std::any_of(members.begin(), members.end(), is_kept);
}

std::string Picker::LineFor(SymbolId id) const {
  std::string name(tree_.symbol(id).name);
  const bool is_tristate = base_.EffectiveType(id) == kconfig::SymbolType::kTristate;
  if (tree_.symbol(id).choice != kNone || !is_tristate) return name;
  return fmt::format("{}={}", name, fmt::join(kconfig::AssignableTo(base_, id), "|"));
}

bool Picker::IsShown(SymbolId id) const {
  const SymbolId choice = tree_.symbol(id).choice;
  if (choice != kNone) return base_.IsVisible(tree_.symbol(choice).first_menu);
  return base_.visibility(id) != kconfig::Tristate::kNo;
}

void Picker::Offer(SymbolId id) {
  if (IsKept(id)) return LeaveOut(id, kIsKept);
  if (!IsShown(id)) return LeaveOut(id, kIsHidden);
  const bool is_member = tree_.symbol(id).choice != kNone;
  const bool is_logical = kconfig::IsLogical(base_.EffectiveType(id));
  if (!is_member && is_logical && kconfig::AssignableTo(base_, id).size() < 2) {
    return LeaveOut(id, kIsHeld);
  }
  const std::string line = LineFor(id);
  const auto made = OptionSpace::Make(base_, line, picked_.allowed);
  if (!made) return LeaveOut(id, is_member ? kIsHeld : kHasNoValues);
  const std::string& name = made->space().parameters().front().name;
  if (!taken_.insert(name).second) return;
  picked_.lines += line + "\n";
  new_.push_back(name);
}

void Picker::GiveUp(SymbolId id) {
  const SymbolId choice = tree_.symbol(id).choice;
  const std::vector<std::string> before = picked_.allowed;
  const std::size_t count = new_.size();
  std::vector<SymbolId> all{id};
  if (choice != kNone) all.assign(tree_.MembersOf(choice).begin(), tree_.MembersOf(choice).end());
  for (const SymbolId one : all) picked_.allowed.emplace_back(tree_.symbol(one).name);
  Offer(id);
  if (new_.size() > count) return given_up_.push_back(new_.back());
  picked_.allowed = before;
}

void Picker::Tell(const std::string& where) {
  const std::vector<std::string> names = std::exchange(new_, {});
  picked_.notes.push_back(
      names.empty() ? fmt::format("{}: nothing more may change", where)
                    : fmt::format("{}: {} may change: {}", where, names.size(), Shown(names)));
  if (given_up_.empty()) return;
  picked_.notes.push_back(fmt::format("security is given up in: {}", Shown(given_up_)));
}

Result<void> Picker::PickAbout(const std::string& sentence, const OptionKnowledge& knowledge) {
  const PlainSentence asked = Understand(sentence, KernelWords());
  const bool gives_up = asked.without.contains("security");
  bool is_asked = false;
  for (const KnownOption& known : knowledge.all()) {
    if (!Matters(known, asked)) continue;
    is_asked = true;
    const SymbolId id = tree_.Find(known.name);
    if (id == kNone || tree_.symbol(id).first_menu == kNone) {
      left_out_[kIsElsewhere].insert(known.name);
    } else if (gives_up && known.protected_for == "security") {
      GiveUp(id);
    } else {
      Offer(id);
    }
  }
  if (!is_asked) {
    return Error{
        Errc::kInvalidArgument,
        fmt::format("about \"{:.80}\": no known option is about that; say one of {}, {}", sentence,
                    fmt::join(KnownTopics(), ", "), fmt::join(KnownAims(), ", "))};
  }
  Tell(TextOf(asked));
  return {};
}

}  // namespace

Result<PickedOptions> PickOptions(const Configuration& base, const PickRequest& request,
                                  const KeptReason& why_kept, const OptionKnowledge& knowledge) {
  Picker picker(base, request, why_kept);
  if (auto taken = picker.Take(request.options); !taken) return taken.error();
  for (std::size_t begin = 0; begin < request.menus.size();) {
    const std::size_t end = std::min(request.menus.find(';', begin), request.menus.size());
    const std::string title(Trimmed(request.menus.substr(begin, end - begin)));
    begin = end + 1;
    if (title.empty()) continue;
    if (auto done = picker.PickMenu(title); !done) return done.error();
  }
  if (!request.about.empty()) {
    if (auto done = picker.PickAbout(request.about, knowledge); !done) return done.error();
  }
  PickedOptions picked = picker.Finish();
  const bool has_asked = !request.menus.empty() || !request.about.empty();
  if (has_asked && picked.lines.empty() && request.options.empty()) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("no option may change:\n{}", fmt::join(picked.notes, "\n"))};
  }
  return picked;
}

}  // namespace hone::kernels

// SPDX-License-Identifier: Apache-2.0
// What a walk down the menus reaches, and what becomes of requests, on x86_64's default
// configuration of a Linux tree:
//   walk_benchmark TREE FOLDER [--quick]
// prints tables, a line "short: …" for each thing that falls short, and at its end "done". FOLDER
// gets environment.json and, of a sample of the honoured requests, NUMBER.config with a line in
// sample.jsonl, to be held against the tree's tool.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/chat/scripted_model_for_test.h"
#include "hone/agent/walk/kconfig_walk.h"
#include "hone/agent/walk/walk_report.h"
#include "hone/base/file.h"
#include "hone/core/rng.h"
#include "hone/kconfig/files/config_file.h"
#include "hone/kconfig/files/kernel_environment.h"
#include "hone/kconfig/files/load.h"
#include "hone/kconfig/reason/walk.h"
#include "hone/kconfig/values/values.h"

namespace hone::agent {
namespace {

using kconfig::Configuration;
using kconfig::kNone;
using kconfig::SymbolId;
using kconfig::SymbolType;
using kconfig::TreeIndex;

constexpr std::size_t kQuickRequests = 700;
constexpr std::size_t kSample = 200;
constexpr std::size_t kQuickSample = 20;
constexpr std::size_t kShownFaults = 5;

struct Loaded {
  kconfig::LoadOptions options;
  std::shared_ptr<const TreeIndex> index;
  Configuration start;
};

Result<Loaded> LoadDefault(const std::string& folder) {
  const auto place = kconfig::LocateTree(folder, "x86_64");
  if (!place) return place.error();
  const char* path = std::getenv("PATH");
  const kconfig::Environment environment = {{"PATH", path == nullptr ? "/usr/bin:/bin" : path}};
  auto options = kconfig::OptionsFor(*place, environment, kconfig::ShellPolicy::kRun);
  const auto tree = kconfig::LoadTreeOrError(options);
  if (!tree) return tree.error();
  const auto text = ReadFile(place->root / "arch/x86/configs/x86_64_defconfig");
  if (!text) return text.error();
  Configuration start(*tree);
  kconfig::LoadConfig(start, *text, {});
  return Loaded{std::move(options), std::make_shared<const TreeIndex>(*tree), std::move(start)};
}

// How an option can be changed; the words of the table.
constexpr const char* kBools = "bool";
constexpr const char* kTristates = "tristate";
constexpr const char* kNumbers = "int, hex, string";
constexpr const char* kMembers = "member of a choice";

// Found from the symbols alone, not from menus: what a walk must reach.
std::map<SymbolId, std::string> ChangeableIn(const Configuration& configuration) {
  std::map<SymbolId, std::string> changeable;
  const kconfig::Tree& tree = configuration.tree();
  for (const SymbolId id : tree.order()) {
    const kconfig::Symbol& symbol = tree.symbol(id);
    if (symbol.is_choice || symbol.name.empty() || !configuration.IsChangeable(id)) continue;
    if (!kconfig::IsLogical(symbol.type)) {
      changeable.emplace(id, kNumbers);
      continue;
    }
    if (symbol.choice != kNone && configuration.visibility(id) == kconfig::Tristate::kYes) {
      const auto members = tree.MembersOf(symbol.choice);
      const auto seen = std::count_if(members.begin(), members.end(), [&](SymbolId member) {
        return configuration.visibility(member) != kconfig::Tristate::kNo;
      });
      if (seen > 1) changeable.emplace(id, kMembers);
      continue;
    }
    const auto values = kconfig::AssignableTo(configuration, id);
    const bool is_movable = std::any_of(values.begin(), values.end(), [&](const auto& value) {
      return value != configuration.text(id);
    });
    const bool is_tristate = configuration.EffectiveType(id) == SymbolType::kTristate;
    if (is_movable) changeable.emplace(id, is_tristate ? kTristates : kBools);
  }
  return changeable;
}

struct Shown {
  std::string kind;
  std::vector<std::string> keys;
};

Shown Read(const ChatRequest& request) {
  Shown shown;
  std::istringstream lines(request.messages.at(1).text);
  for (std::string line; std::getline(lines, line);) {
    static const std::string kKind = "Kind of question: ";
    if (line.starts_with(kKind)) shown.kind = line.substr(kKind.size());
    if (line.starts_with("- ")) shown.keys.push_back(line.substr(2));
  }
  return shown;
}

// Opens every menu. With chances, also sets some of what it is asked about.
class Opener {
 public:
  explicit Opener(double share) : share_(share) {}

  ChatAnswer operator()(const ChatRequest& request) {
    const Shown shown = Read(request);
    std::string lines;
    const bool is_again = request.messages.size() > 2;
    for (const std::string& key : shown.keys) {
      if (shown.kind == "Menu") {
        lines += key + "\n";
      } else if (!is_again && rng_.Uniform() < share_) {
        const bool is_plain = shown.kind == "Choice";
        if (is_plain && !lines.empty()) continue;
        lines += is_plain ? key + "\n" : key + " = " + ValueFor(shown.kind) + "\n";
      }
    }
    return TextAnswer("<answer>\n" + lines + "</answer>");
  }

 private:
  std::string ValueFor(const std::string& kind) {
    if (kind == "Value") return std::to_string(rng_.Below(64));
    if (kind == "Bool") return rng_.Below(2) == 0 ? "n" : "y";
    return std::string(1, "nmy"[rng_.Below(3)]);
  }

  double share_;
  Rng rng_{1};
};

struct Walked {
  WalkResult result;
  std::map<SymbolId, std::string> changeable;  // At its end.
  std::vector<std::string> missed;
};

Result<Walked> WalkWith(const Loaded& loaded, double share) {
  WalkSettings settings{.goal = "anything"};
  Opener opener(share);
  ScriptedModel model([&](const ChatRequest& request) { return opener(request); });
  AgentLog log;
  auto result = WalkKconfig({loaded.index, loaded.start}, settings, &model, {}, log);
  if (!result) return result.error();
  auto changeable = ChangeableIn(result->configuration);
  Walked walked{std::move(*result), std::move(changeable), {}};
  for (const auto& [id, kind] : walked.changeable) {
    if (!walked.result.asked.contains(id)) {
      walked.missed.emplace_back(loaded.index->tree().symbol(id).name);
    }
  }
  return walked;
}

double PercentOf(std::size_t part, std::size_t all) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(all);
}

// Says what was never asked about, if anything.
void TellMissed(const Walked& walked, std::string_view which) {
  for (std::size_t i = 0; i < std::min(walked.missed.size(), kShownFaults); ++i) {
    fmt::print("fault: never asked: {}\n", walked.missed[i]);
  }
  if (walked.missed.empty()) return;
  fmt::print("short: {} of {} changeable options never asked about{}\n", walked.missed.size(),
             walked.changeable.size(), which);
}

void ShowCoverage(const Walked& walked) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> rows;
  for (const auto& [id, kind] : walked.changeable) {
    ++rows[kind].first;
    rows[kind].second += walked.result.asked.contains(id) ? 1 : 0;
  }
  fmt::print("{:<22}{:>11}{:>9}{:>9}\n", "changeable options", "count", "asked", "share");
  const auto row = [](const std::string& kind, std::size_t count, std::size_t asked) {
    fmt::print("{:<22}{:>11}{:>9}{:>7.1f} %\n", kind, count, asked, PercentOf(asked, count));
  };
  for (const auto& [kind, counts] : rows) row(kind, counts.first, counts.second);
  const std::size_t all = walked.changeable.size();
  row("all (OS-R1: 28 %)", all, all - walked.missed.size());
  fmt::print("{} questions:", walked.result.counts.questions);
  for (std::size_t i = 0; i < walked.result.counts.by_kind.size(); ++i) {
    fmt::print(" {} {}", walked.result.counts.by_kind.at(i), NameOf(static_cast<QuestionKind>(i)));
  }
  fmt::print("; {} menus opened\n", walked.result.counts.menus_opened);
  TellMissed(walked, "");
}

struct Request {
  OptionRequest request;
  std::string kind;
};

// Each other value of its type; of a number the ends of its range, one above it, and a neighbour.
std::vector<std::string> OtherValues(const Configuration& start, SymbolId id,
                                     const std::string& kind) {
  if (kind == kMembers) return {"y", "n"};
  if (kind == kBools) return {"n", "y"};
  if (kind == kTristates) return {"n", "m", "y"};
  const kconfig::Tree& tree = start.tree();
  const SymbolType type = tree.symbol(id).type;
  if (type == SymbolType::kString) return {"hone", "$(shell id)"};
  const int base = kconfig::BaseOf(type);
  const auto text = [&](long long number) {
    return type == SymbolType::kHex ? fmt::format("0x{:x}", number) : std::to_string(number);
  };
  std::vector<std::string> values = {text(kconfig::NumberOf(start.text(id), base) + 1)};
  const auto range = start.ActiveProperty(id, kconfig::PropertyKind::kRange);
  if (range == kNone) return values;
  const long long low = kconfig::NumberOf(start.text(tree.property(range).first), base);
  const long long high = kconfig::NumberOf(start.text(tree.property(range).second), base);
  for (const long long number : {low, high, high + 1}) values.push_back(text(number));
  return values;
}

std::vector<Request> RequestsOn(const Configuration& start,
                                const std::map<SymbolId, std::string>& changeable) {
  std::vector<Request> requests;
  for (const auto& [id, kind] : changeable) {
    std::set<std::string> seen = {std::string(start.text(id))};
    for (const std::string& value : OtherValues(start, id, kind)) {
      if (!seen.insert(value).second) continue;
      requests.push_back({{std::string(start.tree().symbol(id).name), value}, kind});
    }
  }
  return requests;
}

// What OS-R1 was measured by: every bool and tristate with a prompt, visible or not, to n and to y.
std::vector<Request> PromptedRequestsOn(const TreeIndex& index, const Configuration& start) {
  std::vector<Request> requests;
  const kconfig::Tree& tree = index.tree();
  for (SymbolId id = 0; id < tree.symbols().size(); ++id) {
    const kconfig::Symbol& symbol = tree.symbol(id);
    if (!index.IsDefined(id) || !index.HasPrompt(id)) continue;
    if (symbol.is_choice || !kconfig::IsLogical(symbol.type)) continue;
    for (const char* value : {"n", "y"}) {
      if (start.text(id) == value) continue;
      requests.push_back({{std::string(symbol.name), value},
                          symbol.type == SymbolType::kBool ? kBools : kTristates});
    }
  }
  return requests;
}

struct Tally {
  std::size_t direct = 0;  // Setting the option alone was enough.
  std::size_t with_others = 0;
  std::map<std::string, std::size_t> refused;  // By refusal.
  std::size_t count() const {
    std::size_t all = direct + with_others;
    for (const auto& [word, number] : refused) all += number;
    return all;
  }
};

// A clause of the tree with its place, or what is wrong with the value.
bool IsExplained(const RequestVerdict& verdict) {
  if (verdict.refusal == "unsafe_text" || verdict.refusal == "wrong_type") {
    return verdict.reason.find(verdict.request.option) != std::string::npos;
  }
  return verdict.refusal != "undecided" && verdict.reason.find('[') != std::string::npos &&
         verdict.reason.find("Kconfig") != std::string::npos;
}

class RequestPart {
 public:
  RequestPart(const Loaded& loaded, std::filesystem::path folder)
      : loaded_(loaded), folder_(std::move(folder)) {}

  void Run(std::string_view title, std::vector<Request> requests, std::size_t max,
           std::size_t sample) {
    tallies_.clear();
    faults_ = 0;
    const std::size_t all = requests.size();
    Rng(1).Shuffle(requests);
    requests.resize(std::min(all, max));
    const std::size_t step = std::max<std::size_t>(requests.size() / sample, 1);
    for (std::size_t i = 0; i < requests.size(); ++i) Ask(requests[i], i % step == 0);
    Show(title, requests.size(), all);
    Keep();
  }

 private:
  void Ask(const Request& asked, bool is_sampled) {
    OptionEditor editor(loaded_.index, loaded_.start, nullptr);
    const RequestVerdict verdict = editor.Apply({asked.request}).front();
    Tally& tally = tallies_[asked.kind];
    if (verdict.outcome == RequestOutcome::kRefused) {
      ++tally.refused[verdict.refusal];
      if (!IsExplained(verdict)) Fault(asked.request, "refused without a clause", verdict.reason);
      return;
    }
    ++(verdict.also_set.empty() ? tally.direct : tally.with_others);
    const std::string config = kconfig::WriteConfig(editor.configuration());
    Configuration again(loaded_.start.shared_tree());
    kconfig::LoadConfig(again, config, {});
    const SymbolId id = loaded_.index->tree().Find(asked.request.option);
    if (verdict.outcome != RequestOutcome::kHonoured || again.text(id) != asked.request.value ||
        kconfig::WriteConfig(again) != config) {
      Fault(asked.request, "not in force after its .config is read again", "");
    }
    if (is_sampled) Sample(asked.request, config);
  }

  void Fault(const OptionRequest& request, std::string_view what, std::string_view why) {
    if (++faults_ > kShownFaults) return;
    fmt::print("fault: {}={}: {} {}\n", request.option, request.value, what, why);
  }

  void Sample(const OptionRequest& request, const std::string& config) {
    static_cast<void>(
        WriteFileAtomically(folder_ / fmt::format("{}.config", kept_.size()), config));
    kept_.push_back({{"option", request.option}, {"value", request.value}});
  }

  void Keep() {
    std::string lines;
    for (const Json& line : kept_) lines += Dump(line) + "\n";
    static_cast<void>(WriteFileAtomically(folder_ / "sample.jsonl", lines));
  }

  void Show(std::string_view title, std::size_t count, std::size_t all) {
    fmt::print("\n{} of {} requests: {}\n", count, all, title);
    fmt::print("{:<22}{:>8}{:>10}{:>13}{:>9}  refused, with the clause that blocks\n", "kind",
               "count", "honoured", "with others", "refused");
    std::size_t all_honoured = 0;
    for (const auto& [kind, tally] : tallies_) {
      const std::size_t honoured = tally.direct + tally.with_others;
      all_honoured += honoured;
      std::string words;
      for (const auto& [word, number] : tally.refused) words += fmt::format(" {} {}", word, number);
      fmt::print("{:<22}{:>8}{:>10}{:>13}{:>9} {}\n", kind, tally.count(), honoured,
                 tally.with_others, tally.count() - honoured, words);
    }
    fmt::print("{:.1f} % honoured, {:.1f} % refused; {} of them not in force or without a reason\n",
               PercentOf(all_honoured, count), PercentOf(count - all_honoured, count), faults_);
    if (faults_ == 0) return;
    fmt::print("short: {} of {} requests neither in force nor explained: {}\n", faults_, count,
               title);
  }

  const Loaded& loaded_;
  std::filesystem::path folder_;
  std::map<std::string, Tally> tallies_;
  std::size_t faults_ = 0;
  std::vector<Json> kept_;
};

// After answers that change much on the way, all that can be changed in the end was asked about.
void WalkAtRandom(const Loaded& loaded) {
  const auto walked = WalkWith(loaded, 0.1);
  if (!walked) return fmt::print("short: {}\n", walked.error().message);
  const WalkSummary summary = SummaryOf(walked->result);
  const auto in_force = std::count_if(
      summary.honoured.begin(), summary.honoured.end(), [&](const RequestVerdict& verdict) {
        const SymbolId id = loaded.index->tree().Find(verdict.request.option);
        return walked->result.configuration.text(id) == verdict.request.value;
      });
  fmt::print(
      "\na walk that answers at random, a tenth of the items: {} questions, {} honoured ({} "
      "in force at its end), {} refused; of {} options that can be changed then, {} were "
      "never asked about\n",
      walked->result.counts.questions, summary.honoured.size(), in_force, summary.refused.size(),
      walked->changeable.size(), walked->missed.size());
  TellMissed(*walked, " in a walk that answers at random");
  if (in_force != std::ssize(summary.honoured)) {
    fmt::print("short: {} honoured answers are not in force at the end of a walk\n",
               std::ssize(summary.honoured) - in_force);
  }
  if (walked->result.end != WalkEnd::kDone) {
    fmt::print("short: a walk that answers at random does not come to its end\n");
  }
}

int Main(const std::string& tree, const std::filesystem::path& folder, bool is_quick) {
  const auto loaded = LoadDefault(tree);
  if (!loaded) {
    std::cerr << loaded.error().message << "\n";
    return 1;
  }
  static_cast<void>(
      WriteFileAtomically(folder / "environment.json", Dump(Json(loaded->options.environment))));
  const auto walked = WalkWith(*loaded, 0);
  if (!walked) {
    std::cerr << walked.error().message << "\n";
    return 1;
  }
  ShowCoverage(*walked);
  RequestPart part(*loaded, folder);
  const std::size_t max = is_quick ? kQuickRequests : SIZE_MAX;
  const std::size_t sample = is_quick ? kQuickSample : kSample;
  part.Run("each changeable option, each other value it may have",
           RequestsOn(loaded->start, walked->changeable), max, sample);
  part.Run("each bool and tristate with a prompt, visible or not, to n and to y (OS-R1: 24 %)",
           PromptedRequestsOn(*loaded->index, loaded->start), max, sample);
  if (!is_quick) WalkAtRandom(*loaded);
  fmt::print("done\n");
  return 0;
}

}  // namespace
}  // namespace hone::agent

int main(int argc, char** argv) {
  const bool is_quick = argc == 4 && std::string_view(argv[3]) == "--quick";
  if (argc < 3 || (argc > 3 && !is_quick)) {
    std::cerr << "usage: walk_benchmark TREE FOLDER [--quick]\n";
    return 2;
  }
  return hone::agent::Main(argv[1], argv[2], is_quick);
}

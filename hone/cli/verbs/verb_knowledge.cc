// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "hone/agent/knowledge/knowledge_answers.h"
#include "hone/agent/knowledge/knowledge_search.h"
#include "hone/app/knowledge/knowledge_here.h"
#include "hone/cli/text/help.h"
#include "hone/cli/text/knowledge_text.h"
#include "hone/cli/text/readable.h"
#include "hone/cli/verbs.h"
#include "hone/cli/verbs/action.h"
#include "hone/core/nearest.h"
#include "hone/kconfig/reason/explain.h"
#include "hone/kconfig/reason/reason_json.h"
#include "hone/kconfig/reason/reason_text.h"
#include "hone/kconfig/reason/solve.h"

namespace hone::cli {
namespace {

struct KnowledgeRequest {
  std::string action;
  std::vector<std::string> operands;
  std::string base;
  std::string arch;
  std::string config;
  std::string kind;
  std::size_t limit = 5;
};

app::KnowledgePlace PlaceOf(const Shell& shell, const KnowledgeRequest& request) {
  return {request.base.empty() ? app::KnowledgePath() : std::filesystem::path(request.base),
          shell.store};
}

std::size_t TextWidth() { return static_cast<std::size_t>(std::clamp(TerminalWidth(), 40, 100)); }

// Where a tree would answer more.
void HintAtTree(Shell& shell, agent::KnowledgeBase& base) {
  if (shell.is_quiet || app::TreeOfBase(base)) return;
  shell.console.err << "No kernel tree is in the base yet: hone knowledge build TREE adds Kconfig "
                       "help and documentation.\n";
}

Result<std::vector<agent::PassageKind>> KindsOf(const KnowledgeRequest& request) {
  using agent::PassageKind;
  if (request.kind.empty()) return std::vector<PassageKind>();
  if (request.kind == "option") return std::vector{PassageKind::kOption, PassageKind::kKnownOption};
  if (request.kind == "parameter") return std::vector{PassageKind::kParameter};
  if (request.kind == "measured") return std::vector{PassageKind::kMeasured};
  if (request.kind == "documentation") {
    return std::vector{PassageKind::kDocument, PassageKind::kInterface};
  }
  return Error{Errc::kInvalidArgument,
               NoSuch("kind", request.kind, {"option", "parameter", "documentation", "measured"})};
}

Result<ExitCode> KnowledgeSearch(Shell& shell, const KnowledgeRequest& request) {
  const std::string question = fmt::format("{}", fmt::join(request.operands, " "));
  if (question.empty()) {
    return Error{Errc::kInvalidArgument, "search: give a question in plain words, or a name"};
  }
  auto kinds = KindsOf(request);
  if (!kinds) return kinds.error();
  auto base = app::OpenKnowledge(PlaceOf(shell, request), shell.clock);
  if (!base) return base.error();
  const auto hits = agent::SearchKnowledge(*base, question, {request.limit, std::move(*kinds)});
  if (!hits) return hits.error();
  if (shell.wants_json) {
    Json all = Json::array();
    for (const agent::KnowledgeHit& hit : *hits) all.push_back(ToJson(hit));
    shell.console.out << Dump(all) << "\n";
  } else {
    shell.console.out << HitsText(*hits, shell.console.out_ink, TextWidth());
    if (hits->empty()) shell.console.err << "search: nothing has these words\n";
    HintAtTree(shell, *base);
  }
  return hits->empty() ? ExitCode::kNo : ExitCode::kYes;
}

Result<ExitCode> KnowledgeExplain(Shell& shell, const KnowledgeRequest& request) {
  if (request.operands.size() != 1) {
    return Error{Errc::kInvalidArgument, "explain: give one name: an option or a parameter"};
  }
  const app::KnowledgePlace place = PlaceOf(shell, request);
  auto base = app::OpenKnowledge(place, shell.clock);
  if (!base) return base.error();
  const auto effects = app::EffectsHere(place, shell.clock);
  if (!effects) return effects.error();
  const auto answer =
      agent::ExplainName(*base, *effects, app::KnownNameOf(request.operands.front()));
  if (!answer) return answer.error();
  const bool is_known = !answer->passages.empty() || !answer->effects.empty();
  if (shell.wants_json) {
    shell.console.out << Dump(ToJson(*answer)) << "\n";
  } else if (is_known) {
    shell.console.out << NameText(*answer, shell.console.out_ink, TextWidth());
  } else {
    shell.console.err << Printable(ToText(*answer));
    HintAtTree(shell, *base);
  }
  return is_known ? ExitCode::kYes : ExitCode::kNo;
}

Result<ExitCode> KnowledgeBlocks(Shell& shell, const KnowledgeRequest& request) {
  if (request.operands.empty()) {
    return Error{Errc::kInvalidArgument, "blocks: give NAME=VALUE, one or more"};
  }
  auto base = app::OpenKnowledge(PlaceOf(shell, request), shell.clock);
  if (!base) return base.error();
  auto tree = app::TreeOfBase(*base);
  if (!tree) return tree.error();
  tree->config = request.config;
  if (!request.arch.empty()) tree->arch = request.arch;
  const auto ground = app::LoadOptionGround(*tree);
  if (!ground) return ground.error();
  const kconfig::Tree& options = (*ground)->index->tree();
  Json all = Json::array();
  bool is_possible = true;
  for (const std::string& operand : request.operands) {
    const auto wish = kconfig::ParseWish(options, agent::BareName(operand));
    if (!wish) return wish.error();
    const auto answer =
        WhyNot(*(*ground)->index, (*ground)->configuration, wish->symbol, wish->value);
    is_possible = is_possible && answer.is_possible;
    if (shell.wants_json)
      all.push_back(ToJson(options, answer));
    else
      shell.console.out << Printable(ToText(options, answer));
  }
  if (shell.wants_json) shell.console.out << Dump(all) << "\n";
  return is_possible ? ExitCode::kYes : ExitCode::kNo;
}

Result<ExitCode> KnowledgeEffects(Shell& shell, const KnowledgeRequest& request) {
  if (request.operands.size() > 1) {
    return Error{Errc::kInvalidArgument, "effects: give one name, or none for all"};
  }
  const auto all = app::EffectsHere(PlaceOf(shell, request), shell.clock);
  if (!all) return all.error();
  const std::string name =
      request.operands.empty() ? "" : agent::BareName(request.operands.front());
  const auto effects = agent::EffectsOf(*all, name);
  if (shell.wants_json) {
    Json rows = Json::array();
    for (const agent::MeasuredEffect& effect : effects) rows.push_back(ToJson(effect));
    shell.console.out << Dump(rows) << "\n";
  } else if (effects.empty()) {
    shell.console.err << Printable(ToText(effects, name));
  } else {
    shell.console.out << EffectsText(effects);
  }
  return effects.empty() ? ExitCode::kNo : ExitCode::kYes;
}

Result<ExitCode> KnowledgeInfo(Shell& shell, const KnowledgeRequest& request) {
  const app::KnowledgePlace place = PlaceOf(shell, request);
  auto base = app::OpenKnowledge(place, shell.clock);
  if (!base) return base.error();
  const auto contents = base->Contents();
  if (!contents) return contents.error();
  shell.console.out << (shell.wants_json ? Dump(ContentsJson(*contents, place.base.string())) + "\n"
                                         : ContentsText(*contents, place.base.string()));
  return ExitCode::kYes;
}

Result<ExitCode> KnowledgeBuild(Shell& shell, const KnowledgeRequest& request) {
  if (request.operands.size() != 1) {
    return Error{Errc::kInvalidArgument,
                 "build: give the folder of a kernel's source; apt-get install linux-source-6.1 "
                 "has one in /usr/src"};
  }
  const auto tell = [&shell](const std::string& text) {
    if (!shell.is_quiet) shell.console.err << text << " …\n";
  };
  const auto report = app::BuildKnowledgeHere(PlaceOf(shell, request), shell.clock,
                                              {request.operands.front(), request.arch, ""}, tell);
  if (!report) return report.error();
  for (const std::string& note : report->notes) {
    if (!shell.is_quiet) shell.console.err << Printable(note) << "\n";
  }
  if (!shell.wants_json) {
    shell.console.out << fmt::format("{} documents ({} new or changed, {} gone), {} options{}\n",
                                     report->documents, report->changed_documents, report->gone,
                                     report->options,
                                     report->is_options_changed ? "" : " as before");
  }
  return KnowledgeInfo(shell, request);
}

constexpr Action<KnowledgeRequest> kKnowledgeActions[] = {
    {"search", "search WORDS…", "The passages that answer a question in plain words.",
     KnowledgeSearch},
    {"explain", "explain NAME",
     "Everything known of an option or a parameter, and what was measured here.", KnowledgeExplain},
    {"blocks", "blocks NAME=VALUE…", "What keeps an option of the tree from a value.",
     KnowledgeBlocks},
    {"effects", "effects [NAME]",
     "What changes were worth in campaigns on this machine: proofs, ablations, surest trials.",
     KnowledgeEffects},
    {"build", "build TREE",
     "Reads a kernel's source tree: Kconfig and Documentation. What did not change is kept.",
     KnowledgeBuild},
    {"info", "info", "What the base holds.", KnowledgeInfo}};

Result<ExitCode> RunKnowledgeAction(Shell& shell, const KnowledgeRequest& request) {
  for (const auto& action : kKnowledgeActions) {
    if (request.action == action.name) return action.run(shell, request);
  }
  return Error{Errc::kInvalidArgument,
               NoSuch("action", request.action, ActionNames(kKnowledgeActions))};
}

std::vector<Flag> KnowledgeFlags(KnowledgeRequest& request) {
  return {{.names = "ACTION",
           .value = "",
           .help = "search, explain, blocks, effects, build or info.",
           .set = Store(request.action),
           .is_required = true,
           .completes = Completes::kChoices,
           .choices = ActionNames(kKnowledgeActions)},
          {.names = "WORD",
           .value = "",
           .help = "A question, names, settings or a folder, as the action has it.",
           .set = Append(request.operands),
           .is_repeatable = true,
           .completes = Completes::kFile},
          {.names = "--limit",
           .value = "COUNT",
           .help = "search: how many passages at most; 5 if not given.",
           .set = StoreCount("--limit", request.limit, 1, 100)},
          {.names = "--kind",
           .value = "KIND",
           .help = "search: only option, parameter, documentation or measured.",
           .set = Store(request.kind),
           .completes = Completes::kChoices,
           .choices = {"option", "parameter", "documentation", "measured"}},
          {.names = "--arch",
           .value = "ARCH",
           .help = "build, blocks: the architecture; $ARCH or this machine's if not given.",
           .set = Store(request.arch)},
          {.names = "-c,--config",
           .value = "FILE",
           .help = "blocks: the .config to begin with; without one all options have their "
                   "defaults.",
           .set = Store(request.config),
           .completes = Completes::kFile},
          {.names = "--base",
           .value = "FILE",
           .help = "Another base than knowledge.sqlite in the cache folder.",
           .set = Store(request.base),
           .completes = Completes::kFile}};
}

}  // namespace

Verb MakeKnowledgeVerb() {
  const auto request = std::make_shared<KnowledgeRequest>();
  Verb verb;
  verb.name = "knowledge";
  verb.summary = "answers questions about options and parameters, with sources";
  verb.description =
      "Searches one base of all that is known here: our data on parameters and options,\n"
      "Kconfig help and the documentation of a kernel tree, and what campaigns on this\n"
      "machine measured. Needs no network and no model. docs/knowledge.md";
  verb.flags = KnowledgeFlags(*request);
  verb.examples = {
      {"hone knowledge build linux-source-6.1", "Reads the tree; once, and after it changed."},
      {"hone knowledge search \"why do my huge pages get split\"", "The best five passages."},
      {"hone knowledge explain vm.swappiness", "Meaning, range, risk, effects, sources."},
      {"hone knowledge blocks NO_HZ_FULL=y -c .config", "What is in the way."}};
  verb.run = [request](Shell& shell) { return RunKnowledgeAction(shell, *request); };
  verb.more_help = [] { return "\nActions:\n" + TwoColumns(ActionRows(kKnowledgeActions)); };
  return verb;
}

}  // namespace hone::cli

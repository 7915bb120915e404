// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/sysctl_domain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "hone/base/announce.h"
#include "hone/domains/sysctl/apply/files_beside.h"
#include "hone/domains/sysctl/apply/transaction.h"
#include "hone/domains/sysctl/kernel/ethtool.h"
#include "hone/domains/sysctl/knowledge/conflicts.h"
#include "hone/domains/sysctl/knowledge/range_text.h"
#include "hone/domains/sysctl/network/network_pair.h"
#include "hone/domains/sysctl/rehearsal.h"
#include "hone/domains/sysctl/sysctl_context.h"
#include "hone/domains/sysctl/sysctl_sessions.h"
#include "hone/domains/sysctl/workload/workload_runner.h"

namespace hone {
namespace sysctl {
namespace {

constexpr char kSummary[] =
    "A running kernel's parameters (sysctl, sysfs), tuned for a workload and put back.";

DomainFacts FactsOf(const WorkloadSpec& workload, bool is_rehearsal) {
  DomainFacts facts;
  facts.name = kDomainName;
  facts.summary = kSummary;
  facts.expected_run = workload.budget.expected_run.value_or(std::chrono::milliseconds(0));
  for (const MetricSpec& metric : workload.metrics) {
    facts.metrics.push_back(metric.facts);
    std::string& description = facts.metrics.back().description;
    if (description.empty()) description = "As the benchmark reports it.";
  }
  const bool has_stability =
      std::any_of(facts.metrics.begin(), facts.metrics.end(),
                  [](const MetricFacts& metric) { return metric.name == kStability; });
  if (!has_stability) {
    facts.metrics.push_back({kStability, "1", Direction::kHigherIsBetter,
                             "How little the machine was under pressure during the run."});
  }
  if (is_rehearsal) {
    facts.is_deterministic = true;
    return facts;
  }
  if (workload.place == Place::kHost) facts.needs.names.insert("root");
  facts.is_exclusive = workload.place == Place::kHost;
  facts.changes_host = workload.place == Place::kHost;
  facts.runs_side_by_side = workload.place == Place::kNamespace;
  return facts;
}

std::string RiskText(const Tunable& tunable) {
  return tunable.facts == nullptr ? "unknown to Hone" : std::string(NameOf(tunable.risk));
}

std::string TextOf(const Conflict& conflict) {
  return fmt::format("{} also sets {}{}. {}", conflict.source, NameOfPath(conflict.path),
                     conflict.value.empty() ? "" : fmt::format(" to \"{}\"", conflict.value),
                     conflict.what);
}

class SysctlDomain final : public Domain {
 public:
  SysctlDomain(SysctlContext context, std::vector<Conflict> conflicts)
      : context_(std::move(context)),
        conflicts_(std::move(conflicts)),
        facts_(FactsOf(context_.options.workload, context_.options.is_rehearsal)) {}

  const DomainFacts& Facts() const override { return facts_; }
  const Space& SearchSpace() const override { return context_.space; }
  Candidate Baseline() const override { return {context_.space.Defaults(), ""}; }

  Result<std::unique_ptr<Session>> Open() override {
    if (context_.options.is_rehearsal) return MakeRehearsal(context_);
    return IsOnHost() ? OpenHostSession(context_) : OpenNamespaceSession(context_);
  }

  Preview PreviewChanges() const override {
    Preview preview;
    for (const Tunable& tunable : context_.tunables.tunables) {
      preview.planned_changes.push_back({tunable.parameter.name, context_.in_force.at(tunable.path),
                                         RangeText(tunable.parameter), RiskText(tunable),
                                         tunable.facts == nullptr ? "" : tunable.facts->caution});
    }
    preview.notes = FileNotes();
    preview.notes.insert(preview.notes.end(), context_.options.workload.notes.begin(),
                         context_.options.workload.notes.end());
    preview.notes.insert(preview.notes.end(), context_.tunables.notes.begin(),
                         context_.tunables.notes.end());
    for (const Conflict& conflict : conflicts_) preview.notes.push_back(TextOf(conflict));
    for (std::string& spot : BlindSpots(context_.options.workload)) {
      preview.notes.push_back("not watched here: " + std::move(spot));
    }
    const auto paths = KernelPathsOf(context_.tunables);
    if (std::any_of(paths.begin(), paths.end(), IsEthtoolPath)) {
      preview.notes.emplace_back(
          "not watched here: whether the benchmark asks for what ethtool sets, which is no file");
    }
    return preview;
  }

  std::string DescribeRestore() const override {
    if (context_.options.is_rehearsal) return "";
    if (!IsOnHost()) {
      return "Nothing on the host was touched: all of it happened in private network namespaces, "
             "which are gone.";
    }
    return HostRestore();
  }

 private:
  bool IsOnHost() const { return context_.options.workload.place == Place::kHost; }

  // Which files are replaced, and what is run as this user when they are.
  std::vector<std::string> FileNotes() const {
    std::vector<std::string> notes;
    for (const auto& [path, file] : context_.files) {
      notes.push_back(
          fmt::format("replaces {} ({}) for every candidate and puts it back; {}", FileOfPath(path),
                      file.original.is_there ? FingerprintOf(file.original) : "not there now",
                      file.reload.arguments.empty()
                          ? "nothing is run then: the workload restarts its service"
                          : fmt::format("then runs: {}", fmt::join(file.reload.arguments, " "))));
      if (!file.check.empty()) {
        notes.push_back(fmt::format("checks {} before that with: {}", FileOfPath(path),
                                    fmt::join(file.check, " ")));
      }
    }
    return notes;
  }

  std::string HostRestore() const {
    const auto kernel = MakeHostFiles();
    FilesBeside files(*kernel, context_.files);
    std::map<std::string, std::string> all = context_.in_force;
    std::erase_if(all, [](const auto& one) { return IsServiceKey(one.first); });
    for (const auto& [path, file] : context_.files) all[path] = FingerprintOf(file.original);
    std::vector<std::string> same;
    std::vector<std::string> different;
    for (const auto& [path, before] : all) {
      const auto now = files.Read(path);
      const std::string text = now ? *now : now.error().message;
      auto& list = text == before ? same : different;
      list.push_back(fmt::format("{} = {}", NameOfPath(path), text) +
                     (text == before ? "" : fmt::format(" (it was {})", before)));
    }
    const std::vector<std::string> untold = context_.untold->Faults();
    if (different.empty() && untold.empty()) {
      return fmt::format("Everything is back: {} read{} as before the first run ({}).",
                         same.size() == 1 ? "the parameter"
                                          : fmt::format("all {} parameters{}", same.size(),
                                                        context_.files.empty() ? "" : " and files"),
                         same.size() == 1 ? "s" : "", fmt::join(same, ", "));
    }
    std::vector<std::string> faults;
    if (!different.empty()) {
      faults.push_back(fmt::format(
          "{}. Somebody else changed it, or it could not be put back; hone sysctl restore tries "
          "again.",
          fmt::join(different, ", ")));
    }
    for (const std::string& fault : untold) {
      faults.push_back(
          fmt::format("{}. It may still run with what was tried last: reload it by hand.", fault));
    }
    return fmt::format("NOT as before: {}", fmt::join(faults, " "));
  }

  SysctlContext context_;
  std::vector<Conflict> conflicts_;
  DomainFacts facts_;
};

// "a killed tuner had left vm.swappiness = 10; it is put back to 60"
std::vector<std::string> TextsOf(const RestoreReport& report) {
  std::vector<std::string> texts;
  for (const Change& change : report.restored) {
    texts.push_back(fmt::format("a killed tuner had left {} = {}; it is put back to {}",
                                NameOfPath(change.path), change.before, change.after));
  }
  for (const Change& change : report.kept) {
    texts.push_back(fmt::format(
        "a killed tuner had changed {}, then somebody else set it to {}; theirs is left",
        NameOfPath(change.path), change.after));
  }
  texts.insert(texts.end(), report.reload_faults.begin(), report.reload_faults.end());
  return texts;
}

Result<std::unique_ptr<Domain>> MakeHostDomain(SysctlOptions options) {
  const auto files = MakeHostFiles();
  std::vector<std::string> put_back;
  if (!options.is_rehearsal) {
    auto back = PutBackAfterCrash(*files);
    if (!back) return back.error();
    put_back = std::move(*back);
  }
  auto context = InspectMachine(std::move(options), *files);
  if (!context) return context.error();
  context->tunables.notes.insert(context->tunables.notes.begin(), put_back.begin(), put_back.end());
  auto conflicts = FindConflicts(KernelPathsOf(context->tunables));
  return std::make_unique<SysctlDomain>(std::move(*context), std::move(conflicts));
}

Result<std::unique_ptr<Domain>> MakeNamespaceDomain(SysctlOptions options) {
  const auto network = NetworkPair::Make();
  if (!network) return network.error();
  auto context = InspectMachine(std::move(options), (*network)->files());
  if (!context) return context.error();
  return std::make_unique<SysctlDomain>(std::move(*context), std::vector<Conflict>{});
}

Result<std::unique_ptr<Domain>> MakeSysctlDomain(const Options& options) {
  auto read = ReadSysctlOptions(options);
  if (!read) return read.error();
  if (auto fit = CheckOnThisMachine(read->workload); !fit) return fit.error();
  return read->workload.place == Place::kHost ? MakeHostDomain(std::move(*read))
                                              : MakeNamespaceDomain(std::move(*read));
}

}  // namespace

// Announced for who waits for a resumed campaign, which has no plan to show.
Result<std::vector<std::string>> PutBackAfterCrash(KernelFiles& files) {
  if (::geteuid() != 0) return std::vector<std::string>();
  const auto restored = RestoreAfterCrash(files, DefaultTransactionFolder());
  if (!restored) return restored.error();
  if (!*restored) return std::vector<std::string>();
  std::vector<std::string> texts = TextsOf(**restored);
  for (const std::string& text : texts) Announce(text);
  return texts;
}

}  // namespace sysctl

DomainEntry SysctlDomainEntry() {
  return {.name = sysctl::kDomainName,
          .summary = sysctl::kSummary,
          .options = sysctl::SysctlOptionFacts(),
          .make = sysctl::MakeSysctlDomain,
          .changes_host = true};
}

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/next_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "hone/domains/kconfig/kconfig_domain.h"
#include "hone/domains/sysctl/kernel/setting.h"
#include "hone/domains/sysctl/knowledge/knowledge.h"
#include "hone/domains/sysctl/knowledge/settings_export.h"
#include "hone/domains/sysctl/sysctl_domain.h"
#include "hone/tune/campaign/ablation.h"

namespace hone::cli {
namespace {

std::string Line(const Invocation& invocation, const std::string& words) {
  return fmt::format("  {}\n", invocation.Typed(words));
}

// What would be installed: the winner, or of a trade-off the first point that is proven.
struct Choice {
  const tune::Proof* proof = nullptr;
  std::string flag;  // " --pick 2"
};

Choice ChoiceOf(const tune::Verdict& verdict) {
  if (!tune::HasGain(verdict)) return {};
  if (verdict.front.empty()) return {verdict.proof ? &*verdict.proof : nullptr, ""};
  const auto point = std::find_if(verdict.front.begin(), verdict.front.end(),
                                  [](const tune::Proof& proof) { return proof.is_gain; });
  if (point == verdict.front.end()) return {};
  return {&*point, fmt::format(" --pick {}", point - verdict.front.begin() + 1)};
}

bool ResetsLink(const std::string& name) {
  const auto* const facts = sysctl::Knowledge::Builtin().Find(name);
  return facts != nullptr && facts->risk == sysctl::Risk::kLinkReset;
}

bool IsSuspicious(const CampaignSummary& summary) {
  return summary.verdict && summary.verdict->kind == tune::Verdict::Kind::kSuspicious;
}

// Of kernel parameters: the file, and to try it where the gain can be believed. Nothing where what
// is in force is the better side of a comparison.
std::string ParameterSteps(const CampaignSummary& summary, const Choice& choice,
                           const Invocation& invocation) {
  const auto changed = tune::ChangedParameters(summary.in_force, choice.proof->candidate);
  if (changed.empty()) return "";
  const bool is_in_sys = std::any_of(changed.begin(), changed.end(), [](const std::string& name) {
    return name.starts_with('/');  // Where sysctl.d does not reach.
  });
  // A service's keys need its declaration, which only JSON has.
  const bool needs_json = std::any_of(changed.begin(), changed.end(), [](const std::string& name) {
    return sysctl::IsServiceKey(name) || sysctl::HasNoFileAtBoot(name);
  });
  const bool resets_link = std::any_of(changed.begin(), changed.end(), ResetsLink);
  const char* const form = needs_json ? "json" : is_in_sys ? "tuned" : "sysctl.d";
  const std::string file = summary.id + (needs_json ? ".json" : ".conf");
  std::string exported = Line(
      invocation, fmt::format("export {} --as {}{} -o {}", summary.id, form, choice.flag, file));
  if (IsSuspicious(summary)) return exported;
  return exported + Line(invocation, fmt::format("sysctl apply {} --confirm-within 60s{}", file,
                                                 resets_link ? " --allow-disruptive" : ""));
}

std::string InstallSteps(const CampaignSummary& summary, const Invocation& invocation) {
  if (!summary.verdict) return "";
  const Choice choice = ChoiceOf(*summary.verdict);
  if (choice.proof == nullptr) return "";
  if (summary.spec.domain == sysctl::kDomainName) {
    return ParameterSteps(summary, choice, invocation);
  }
  if (summary.spec.domain != kernels::kDomainName) return "";
  return Line(invocation, fmt::format("export {0} --as fragment{1} -o {0}.fragment.config",
                                      summary.id, choice.flag));
}

}  // namespace

std::string NextSteps(const CampaignSummary& summary, const Invocation& invocation,
                      bool has_policy) {
  const std::string& id = summary.id;
  std::string text = "Next:\n" + InstallSteps(summary, invocation);
  text += Line(invocation, "show " + id);
  text += Line(invocation, fmt::format("report {0} -o {0}.html", id));
  text += Line(invocation, "replay " + id);
  if (IsSuspicious(summary)) {
    text +=
        "Nothing here puts it in force: the gain is suspicious, as the exported file says too. "
        "See\n"
        "first what the benchmark does with the parameters that it is scored on.\n";
  }
  const bool is_short = summary.verdict && summary.verdict->kind == tune::Verdict::Kind::kNotEnough;
  if (is_short && !has_policy && !summary.spec.comparison && summary.trials > 0) {
    text += fmt::format("To begin another one with what it measured: {}\n",
                        invocation.Typed("tune … --warm-start " + id));
  }
  if (has_policy) {
    text += fmt::format("To begin with what it learnt: {} tune … --engine ppo --warm-start {}\n",
                        invocation.program, id);
  }
  return text;
}

}  // namespace hone::cli

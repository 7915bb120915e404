// SPDX-License-Identifier: Apache-2.0
#include "hone/app/knowledge/knowledge_here.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "hone/app/knowledge/knowledge_sources.h"
#include "hone/app/store_path.h"
#include "hone/app/stored/stored_run.h"
#include "hone/base/cache_folder.h"
#include "hone/base/file.h"
#include "hone/base/sha256.h"
#include "hone/domains/sysctl/knowledge/knowledge.h"
#include "hone/kconfig/files/config_file.h"
#include "hone/kconfig/files/kernel_environment.h"
#include "hone/kconfig/files/load.h"

namespace hone::app {
namespace {

using agent::KnowledgeBase;

constexpr std::size_t kMaxSearched = 100;  // Campaigns whose trials are read, the newest.

// Who may be anybody.
tune::CampaignAsker Anybody() { return {"", false}; }

// None where nothing is stored yet.
Result<std::optional<tune::CampaignStore>> StoreHere(const KnowledgePlace& place, Clock& clock) {
  std::error_code ignored;
  if (place.store.empty() || !std::filesystem::exists(place.store, ignored)) {
    return std::optional<tune::CampaignStore>();
  }
  auto store = OpenForReading(place.store, clock);
  if (!store) return store.error();
  return std::optional(std::move(*store));
}

// Our own data, and the campaigns where they are not those that the base has.
Result<std::vector<agent::PassageGroup>> OwnPassages(KnowledgeBase& base,
                                                     const KnowledgePlace& place, Clock& clock) {
  std::vector<agent::PassageGroup> groups = DataPassages();
  const auto known = base.DigestFor(agent::kCampaignsOrigin);
  if (!known) return known.error();
  auto store = StoreHere(place, clock);
  if (!store) return store.error();
  std::vector<tune::StoredCampaign> campaigns;
  if (*store) {
    auto list = (*store)->List(Anybody());
    if (!list) return list.error();
    campaigns = std::move(*list);
  }
  if (*known == agent::DigestOfCampaigns(campaigns)) return groups;
  std::vector<agent::SearchedCampaign> searched;
  if (*store) {
    auto read = SearchedIn(**store, std::move(campaigns));
    if (!read) return read.error();
    searched = std::move(*read);
  }
  groups.push_back(agent::CampaignPassages(searched));
  return groups;
}

}  // namespace

std::filesystem::path KnowledgePath() { return CacheFolder() / "knowledge.sqlite"; }

Result<KnowledgeBase> OpenKnowledge(const KnowledgePlace& place, Clock& clock) {
  auto base = KnowledgeBase::Open(place.base);
  if (!base) return base.error();
  const auto own = OwnPassages(*base, place, clock);
  if (!own) return own.error();
  const auto refreshed = agent::RefreshOwn(*base, *own);
  if (!refreshed && refreshed.error().code != Errc::kUnavailable) return refreshed.error();
  return base;
}

Result<std::shared_ptr<const agent::OptionGround>> LoadOptionGround(
    const KnowledgeTreeRequest& request) {
  const std::string arch = request.arch.empty() ? FromEnvironment("ARCH") : request.arch;
  const auto place = kconfig::LocateTree(request.tree, arch);
  if (!place) return place.error();
  kconfig::Environment environment{{"PATH", FromEnvironment("PATH")}};
  kconfig::LoadOptions options =
      kconfig::OptionsFor(*place, environment, kconfig::ShellPolicy::kRestricted);
  options.environment["srctree"] = place->root.string();
  options.memo = CacheFolder() / "kconfig";
  options.snapshots = options.memo / "trees";
  if (!options.shell_folder.empty()) {
    options.memo /= Sha256Of(options.shell_folder);
  }
  auto tree = kconfig::LoadTreeOrError(options);
  if (!tree) return tree.error();
  kconfig::Configuration configuration(*tree);
  if (!request.config.empty()) {
    const auto text = ReadFile(request.config);
    if (!text) return text.error();
    kconfig::LoadConfig(configuration, *text, {(*tree)->dialect().prefix});
  }
  return std::make_shared<const agent::OptionGround>(agent::OptionGround{
      std::make_shared<const kconfig::TreeIndex>(*tree), std::move(configuration)});
}

Result<agent::BuildReport> BuildKnowledgeHere(
    const KnowledgePlace& place, Clock& clock, const KnowledgeTreeRequest& request,
    const std::function<void(const std::string& text)>& tell) {
  std::error_code error;
  const std::filesystem::path root = std::filesystem::canonical(request.tree, error);
  if (error) {
    return Error{Errc::kNotFound, fmt::format("{}: {}; give the folder of a kernel's source",
                                              request.tree.string(), error.message())};
  }
  if (tell) tell("reading the options");
  const auto ground = LoadOptionGround({root, request.arch, ""});
  if (!ground) return ground.error();
  auto base = KnowledgeBase::Open(place.base);
  if (!base) return base.error();
  const auto own = OwnPassages(*base, place, clock);
  if (!own) return own.error();
  const auto located =
      kconfig::LocateTree(root, request.arch.empty() ? FromEnvironment("ARCH") : request.arch);
  if (!located) return located.error();
  agent::KnowledgeTree tree{.root = root, .options = (*ground)->index};
  tree.facts = {{"tree", root.string()},
                {"arch", located->arch},
                {"kernel", agent::CleanText(kconfig::KernelVersion(root), 100)}};
  return agent::BuildKnowledge(*base, tree, *own, tell);
}

Result<std::vector<agent::MeasuredEffect>> EffectsHere(const KnowledgePlace& place, Clock& clock,
                                                       const tune::CampaignAsker& asker) {
  auto store = StoreHere(place, clock);
  if (!store) return store.error();
  if (!*store) return std::vector<agent::MeasuredEffect>();
  auto campaigns = (*store)->List(asker);
  if (!campaigns) return campaigns.error();
  const auto searched = SearchedIn(**store, std::move(*campaigns));
  if (!searched) return searched.error();
  return agent::MeasuredEffects(*searched);
}

Result<std::vector<agent::SearchedCampaign>> SearchedIn(
    tune::CampaignStore& store, std::vector<tune::StoredCampaign> campaigns) {
  std::vector<agent::SearchedCampaign> searched;
  std::size_t read = 0;
  for (tune::StoredCampaign& campaign : campaigns) {
    searched.push_back({.campaign = std::move(campaign)});
    if (!searched.back().campaign.verdict || read++ >= kMaxSearched) continue;
    const auto decisions = store.Decisions(searched.back().campaign.id);
    if (!decisions) return decisions.error();
    searched.back().trials = agent::SearchedTrials(*decisions);
  }
  return searched;
}

Result<KnowledgeTreeRequest> TreeOfBase(KnowledgeBase& base) {
  const auto facts = base.Facts();
  if (!facts) return facts.error();
  const auto tree = facts->find("tree");
  if (tree == facts->end()) {
    return Error{Errc::kNotFound,
                 "knowledge: no kernel tree is in it yet; hone knowledge build TREE reads one"};
  }
  const auto arch = facts->find("arch");
  return KnowledgeTreeRequest{tree->second, arch == facts->end() ? "" : arch->second, ""};
}

std::string KnownNameOf(const std::string& name) {
  const sysctl::ParameterFacts* facts = sysctl::Knowledge::Builtin().Find(name);
  return facts == nullptr ? name : facts->name;
}

namespace {

// The tree is loaded once.
OptionSource OptionsOfBase(std::function<Result<KnowledgeBase*>()> base) {
  const auto ground = std::make_shared<std::shared_ptr<const agent::OptionGround>>();
  return [base = std::move(base), ground]() -> Result<std::shared_ptr<const agent::OptionGround>> {
    if (*ground != nullptr) return *ground;
    const auto opened = base();
    if (!opened) return opened.error();
    const auto request = TreeOfBase(**opened);
    if (!request) return request.error();
    auto loaded = LoadOptionGround(*request);
    if (!loaded) return loaded.error();
    *ground = std::move(*loaded);
    return *ground;
  };
}

}  // namespace

std::vector<agent::Tool> MakeKnowledgeToolsHere(const KnowledgePlace& place, Clock& clock,
                                                OptionSource options) {
  agent::KnowledgeSources sources;
  // The tools are used one after the other.
  sources.base =
      [place, &clock,
       kept = std::make_shared<std::optional<KnowledgeBase>>()]() -> Result<KnowledgeBase*> {
    if (*kept) return &**kept;
    auto opened = OpenKnowledge(place, clock);
    if (!opened) return opened.error();
    kept->emplace(std::move(*opened));
    return &**kept;
  };
  if (options) {
    sources.options = std::move(options);
    sources.values = "in the configuration at hand";
  } else {
    sources.options = OptionsOfBase(sources.base);
  }
  sources.effects = [place, &clock] { return EffectsHere(place, clock, Anybody()); };
  sources.known_name = KnownNameOf;
  return agent::MakeKnowledgeTools(std::move(sources));
}

}  // namespace hone::app

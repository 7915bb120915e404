// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/proposer/llm_proposer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hone/agent/proposer/proposal_answer.h"
#include "hone/agent/proposer/source_record.h"
#include "hone/agent/proposer/tuning_brief.h"
#include "hone/agent/proposer/tuning_prompt.h"
#include "hone/agent/proposer/wished_values.h"
#include "hone/agent/rewards/judge_calibration.h"
#include "hone/base/json/parse_values.h"
#include "hone/core/rng.h"
#include "hone/core/value.h"
#include "hone/tune/campaign/campaign_json.h"
#include "hone/tune/proposers/bayes.h"

namespace hone::agent {
namespace {

using tune::Opinion;
using tune::Trial;

constexpr double kMinChance = 0.4;  // Of success, to measure a proposal.
constexpr double kFullShare = 0.5;  // Of the trials, for a model whose changes are for the better;
constexpr double kDesignShare = 0.8;  // while they fill the space, which its trials then do too.
constexpr double kTaste = 30;         // Trials' worth of what a model wishes for.
constexpr double kLeft = 0.5;         // Of the wishes about what others hang on, in the design.
constexpr double kMargin = 1.5;       // Of the logarithm of what a proposal may promise less.
constexpr double kAnything = -std::numeric_limits<double>::infinity();  // Any promise will do.
constexpr std::size_t kRefusalsKept = 100;
constexpr std::int64_t kFirstPause = 2;  // Asks without the model after a useless answer; then
constexpr std::int64_t kMaxPause = 16;   // twice as many, up to this.
constexpr std::size_t kMinPromptBytes = 4'000;
constexpr std::int64_t kOpinionTokens = 1024;

struct LlmOptions {
  TuningBrief brief;
  std::int64_t max_questions = 0;  // 0: half of the planned trials.
  PromptLimits limits;
  std::optional<JudgeCalibration> judge;  // Of the model's own opinions.
  std::map<std::string, std::string> bayes;
};

struct Queued {
  Proposal proposal;
  std::int64_t answer = 0;  // By its question's number.
  double prior = 0;         // Of the judge, added to the logarithm of what it promises.
};

// Only a question that was broken off by us, and a record that does not hold what is asked, are
// failures of the campaign: what it would decide without the answer is not what was decided, or
// will be.
bool IsOurs(const Error& error) {
  return error.code == Errc::kStale || error.code == Errc::kCorrupt ||
         error.code == Errc::kNotFound;
}

// Parameters whose value decides whether others exist.
std::set<std::string> ParentsIn(const Space& space) {
  std::set<std::string> parents;
  for (const Parameter& parameter : space.parameters()) {
    if (parameter.condition) parents.insert(parameter.condition->parent);
  }
  return parents;
}

// A proposal as it would be measured.
struct Fitted {
  Proposal held;  // What of it is in the candidate.
  Candidate candidate;
  Opinion opinion;
};

class LlmProposer final : public tune::Proposer {
 public:
  LlmProposer(const tune::ProposerSettings& settings, LlmOptions options,
              std::unique_ptr<tune::JudgingProposer> bayes, std::unique_ptr<ChatModel> model)
      : space_(settings.space),
        baseline_(settings.baseline),
        planned_(settings.planned_trials),
        wants_front_(settings.wants_front),
        seed_(settings.seed),
        parents_(ParentsIn(settings.space)),
        options_(std::move(options)),
        bayes_(std::move(bayes)),
        model_(std::move(model)),
        wishes_(settings.space, settings.baseline.assignment),
        shape_(bayes_->NoWishes()) {}

  Result<Candidate> Ask() override {
    const double trust = Trust();
    Suggestion own = bayes_->Suggest(Preference(trust));
    auto chosen = FromModel(own, ShareAt(trust));
    if (!chosen) return chosen.error();
    ++asks_;
    Candidate candidate = std::move(*chosen ? **chosen : own.candidate);
    bayes_->NoteAsked(candidate);
    return candidate;
  }

  Result<void> Tell(const Trial& trial) override {
    if (auto told = bayes_->Tell(trial); !told) return told;
    trials_[trial.number] = trial;
    record_.Tell(trial);
    has_news_ = true;
    bayes_->Lean(shape_, ShareAt(Trust()));
    return {};
  }

  Result<std::vector<tune::Recommendation>> Recommend(std::size_t max) override {
    return bayes_->Recommend(max);
  }
  std::optional<double> ExpectedRemainingGain() override { return bayes_->ExpectedRemainingGain(); }

 private:
  using Suggestion = tune::JudgingProposer::Suggestion;
  Result<std::optional<Candidate>> FromModel(const Suggestion& own, double share);
  tune::JudgingProposer::Preference Preference(double trust) const;
  double Trust() const;  // The chance that what it sets is for the better.
  bool IsModelsTurn(bool is_design, double share) const;
  std::optional<Candidate> BestOfQueue(const Suggestion& own);
  Result<void> AskModel();
  void Note(const Proposal& proposal);
  Result<void> Queue(const ReadProposals& read);
  Result<void> Weigh(std::vector<Queued>& usable);
  Result<void> NoteFailure(const Error& error);
  void Pause();
  const char* WhyNever(const Candidate& written, double least) const;
  void Refuse(const Assignment& assignment, std::string reason);
  std::set<std::string> LeftToDesign() const;
  Fitted FittedTo(const Suggestion& own, Proposal proposal) const;
  bool IsFit(const Fitted& fitted, double least) const;
  Candidate Unmoved(const Proposal& proposal, const Candidate& asked, const Suggestion& own) const;
  Candidate With(Assignment assignment) const;

  const Space& space_;
  const Candidate baseline_;
  const std::int64_t planned_;
  const bool wants_front_;
  const std::uint64_t seed_;
  const std::set<std::string> parents_;
  LlmOptions options_;
  std::unique_ptr<tune::JudgingProposer> bayes_;
  std::unique_ptr<ChatModel> model_;

  std::map<std::int64_t, Trial> trials_;
  SourceRecord record_;
  WishedValues wishes_;
  tune::WishedShape shape_;
  std::vector<Queued> queue_;      // Read and not measured; the newest answer first.
  std::vector<Refusal> refusals_;  // Oldest first.
  std::int64_t asks_ = 0;
  double spent_ = 0;  // Asks that were the model's, with what its changes cost.
  std::int64_t questions_ = 0;
  std::int64_t pause_ = kFirstPause;
  std::int64_t silent_until_ = 0;  // In asks.
  bool is_given_up_ = false;
  bool has_news_ = true;  // Since the last question.
  bool waits_ = false;    // Nothing of the newest answer fitted: it has one more trial to fit into.
};

Candidate LlmProposer::With(Assignment assignment) const {
  Candidate candidate = baseline_;
  candidate.assignment = std::move(assignment);
  return candidate;
}

// A model that is wrong about what decides which parameters exist would keep the design out of a
// part of the space; so half of its wishes about that are left to the design.
std::set<std::string> LlmProposer::LeftToDesign() const {
  Rng rng = Rng(seed_).Split("left to the design").Split(static_cast<std::uint64_t>(asks_));
  std::set<std::string> left;
  for (const std::string& parent : parents_) {
    if (rng.Uniform() < kLeft) left.insert(parent);
  }
  return left;
}

// A trial of the design tells of every parameter, also where the model proposes it. What hangs on a
// wish that is left to the design may then not exist.
Fitted LlmProposer::FittedTo(const Suggestion& own, Proposal proposal) const {
  Candidate candidate = With(proposal.assignment);
  if (own.IsDesign()) {
    for (const std::string& name : LeftToDesign()) proposal.set.erase(name);
    candidate = With(wishes_.Filled(proposal, own.unit));
    std::erase_if(proposal.set,
                  [&](const std::string& name) { return !candidate.assignment.contains(name); });
  }
  const Opinion opinion = bayes_->Judge(candidate);
  return {std::move(proposal), std::move(candidate), opinion};
}

Candidate LlmProposer::Unmoved(const Proposal& proposal, const Candidate& asked,
                               const Suggestion& own) const {
  return With(wishes_.Unmoved(proposal, asked.assignment,
                              own.IsDesign() ? own.unit : space_.ToUnit(asked.assignment)));
}

// What the model wishes for counts for less the more was measured.
tune::JudgingProposer::Preference LlmProposer::Preference(double trust) const {
  const double draw = DrawAt(trust);
  if (draw == 0) return {};
  const double strength = kTaste * draw / static_cast<double>(asks_ + 1);
  return [this, strength](const Assignment& assignment) {
    return strength * wishes_.LogLikeness(assignment);
  };
}

double LlmProposer::Trust() const {
  return record_.Trust([this](const Candidate& one, const Candidate& other) {
    return bayes_->ChanceBetter(one, other);
  });
}

// The model's share of the trials follows what its candidates were worth. One that is worse than
// the engine alone keeps hardly any, so that it costs hardly anything.
bool LlmProposer::IsModelsTurn(bool is_design, double share) const {
  const double full = is_design ? kDesignShare : kFullShare;
  return spent_ + 1 <= full * share * static_cast<double>(asks_ + 1);
}

Result<std::optional<Candidate>> LlmProposer::FromModel(const Suggestion& own, double share) {
  if (!IsModelsTurn(own.IsDesign(), share)) return std::optional<Candidate>();
  if (auto asked = AskModel(); !asked) return asked.error();
  return BestOfQueue(own);
}

// Why a proposal will not be measured, by what the model wrote; null if it may be. What promises
// little for one trade-off of several objectives may promise much for the next.
const char* LlmProposer::WhyNever(const Candidate& written, double least) const {
  if (bayes_->WasAsked(written)) return "it was measured meanwhile";
  const Opinion opinion = bayes_->Judge(written);
  if (opinion.chance < kMinChance) return "by what failed so far it would probably fail too";
  if (!wants_front_ && opinion.log_promise < least) {
    return "by what was measured so far it promises too little";
  }
  return nullptr;
}

// Whether it may be measured now. A trial that holds nothing of the model's would be the engine's
// own under its name.
bool LlmProposer::IsFit(const Fitted& fitted, double least) const {
  return !fitted.held.set.empty() && !bayes_->WasAsked(fitted.candidate) &&
         fitted.opinion.chance >= kMinChance && fitted.opinion.log_promise >= least;
}

// The most promising that may be measured; after the design only if it promises about as much as
// the engine's own candidate. What does not fit now, for what the design has beside it, waits: the
// model is told only what is wrong with its own words.
std::optional<Candidate> LlmProposer::BestOfQueue(const Suggestion& own) {
  if (queue_.empty()) return std::nullopt;
  const double least =
      own.IsDesign() ? kAnything : bayes_->Judge(own.candidate).log_promise - kMargin;
  std::vector<Queued> kept;
  std::optional<Fitted> best;
  std::size_t place = 0;
  double best_worth = 0;
  for (Queued& queued : queue_) {
    if (const char* reason = WhyNever(With(queued.proposal.assignment), least)) {
      Refuse(queued.proposal.assignment, reason);
      continue;
    }
    Fitted fitted = FittedTo(own, queued.proposal);
    const double worth = fitted.opinion.log_promise + queued.prior;
    if (IsFit(fitted, least) && (!best || worth > best_worth)) {
      place = kept.size();
      best_worth = worth;
      best = std::move(fitted);
    }
    kept.push_back(std::move(queued));
  }
  queue_ = std::move(kept);
  waits_ = !best && !queue_.empty() && !has_news_;
  if (!best) return std::nullopt;
  record_.NoteModels(best->candidate, Unmoved(best->held, best->candidate, own));
  queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(place));
  spent_ += 1 + best->opinion.cost;
  return std::move(best->candidate);
}

void LlmProposer::Refuse(const Assignment& assignment, std::string reason) {
  refusals_.push_back({DescribeChange(baseline_, With(assignment)), std::move(reason)});
  if (refusals_.size() > kRefusalsKept) refusals_.erase(refusals_.begin());
}

Result<void> LlmProposer::AskModel() {
  const std::int64_t max =
      options_.max_questions > 0 ? options_.max_questions : std::max<std::int64_t>(planned_ / 2, 8);
  if (is_given_up_ || !has_news_ || questions_ >= max || asks_ < silent_until_) return {};
  if (std::exchange(waits_, false)) return {};
  ++questions_;
  has_news_ = false;
  ChatRequest request =
      MakeTuningQuestion({.space = space_,
                          .baseline = baseline_,
                          .brief = options_.brief,
                          .trials = trials_,
                          .refusals = refusals_,
                          .trials_left = std::max<std::int64_t>(planned_ - asks_, 0)},
                         options_.limits);
  request.seed = seed_ + static_cast<std::uint64_t>(questions_);
  const auto answer = model_->Ask(request);
  if (!answer) return NoteFailure(answer.error());
  return Queue(
      ReadProposalAnswer(answer->message.text, {.space = space_,
                                                .baseline = baseline_.assignment,
                                                .trials = trials_,
                                                .max_proposals = options_.limits.max_proposals,
                                                .forbidden = options_.brief.forbidden}));
}

void LlmProposer::Note(const Proposal& proposal) {
  wishes_.Note(proposal);
  shape_.Note({.assignment = proposal.assignment, .set = proposal.set});
}

// A judge whose opinions went along with what was measured has a say in what is tried first, and no
// more.
// One without a shown correlation is not even asked.
Result<void> LlmProposer::Weigh(std::vector<Queued>& usable) {
  if (!options_.judge || options_.judge->weight == 0) return {};
  for (Queued& queued : usable) {
    const auto opinion =
        AskJudge(*model_, options_.brief.goal,
                 tune::ChangesText(baseline_, With(queued.proposal.assignment)), kOpinionTokens);
    if (opinion) {
      queued.prior = PriorOf(*options_.judge, *opinion);
      continue;
    }
    if (IsOurs(opinion.error())) return opinion.error();
    break;  // It will not answer the next ones either.
  }
  return {};
}

Result<void> LlmProposer::Queue(const ReadProposals& read) {
  for (const Refusal& refusal : read.refusals) refusals_.push_back(refusal);
  for (const Proposal& proposal : read.unkept) Note(proposal);
  std::vector<Queued> usable;
  for (const Proposal& proposal : read.proposals) {
    const Candidate candidate = With(proposal.assignment);
    if (candidate == baseline_) {
      Refuse(proposal.assignment, "it is the baseline");
    } else if (bayes_->WasAsked(candidate)) {
      Refuse(proposal.assignment, "it was tried before");
    } else {
      Note(proposal);
      usable.push_back({proposal, questions_});
    }
  }
  if (usable.empty()) {
    Pause();
    return {};
  }
  if (auto weighed = Weigh(usable); !weighed) return weighed;
  pause_ = kFirstPause;
  std::erase_if(queue_, [this](const Queued& old) { return old.answer + 1 < questions_; });
  queue_.insert(queue_.begin(), std::make_move_iterator(usable.begin()),
                std::make_move_iterator(usable.end()));
  return {};
}

void LlmProposer::Pause() {
  silent_until_ = asks_ + pause_;
  pause_ = std::min(2 * pause_, kMaxPause);
}

// A model that fails is done without.
Result<void> LlmProposer::NoteFailure(const Error& error) {
  if (IsOurs(error)) return error;
  Pause();
  if (error.code == Errc::kInvalidArgument && options_.limits.bytes >= 2 * kMinPromptBytes) {
    options_.limits.bytes /= 2;  // It may have been too long.
  } else if (error.code != Errc::kUnavailable) {
    is_given_up_ = true;
  }
  return {};
}

Result<LlmOptions> ReadOptions(const std::map<std::string, std::string>& options) {
  LlmOptions read;
  for (const auto& [name, text] : options) {
    if (name == "brief") {
      auto brief = ReadTuningBrief(text);
      if (!brief) return brief.error();
      read.brief = std::move(*brief);
    } else if (name == "endpoint") {
      // Whom to ask, for who makes the model.
    } else if (name == "history") {
      read.bayes[name] = text;
    } else if (name == "judge") {
      auto judge = ReadJudgeCalibration(text, "option judge");
      if (!judge) return judge.error();
      read.judge = std::move(*judge);
    } else if (name == "questions") {
      const auto count = ParseCount("option questions", text, 1);
      if (!count) return count.error();
      read.max_questions = *count;
    } else if (name == "candidates") {
      const auto count = ParseCount("option candidates", text, 1, 32);
      if (!count) return count.error();
      read.limits.max_proposals = static_cast<std::size_t>(*count);
    } else {
      return Error{Errc::kInvalidArgument,
                   fmt::format("unknown option {}; there are brief, candidates, history, judge "
                               "and questions",
                               name)};
    }
  }
  return read;
}

}  // namespace

Result<std::unique_ptr<tune::Proposer>> MakeLlmProposer(const tune::ProposerSettings& settings,
                                                        std::unique_ptr<ChatModel> model) {
  auto options = ReadOptions(settings.options);
  if (!options) return Error{options.error().code, "proposer llm: " + options.error().message};
  tune::ProposerSettings plain = settings;
  plain.options = options->bayes;
  auto bayes = tune::MakeJudgingBayes(plain);
  if (!bayes) return bayes.error();
  return std::make_unique<LlmProposer>(settings, std::move(*options), std::move(*bayes),
                                       std::move(model));
}

tune::ProposerEntry LlmProposerEntry(ChatModelSource source) {
  return {
      .name = "llm",
      .summary = "a language model proposes, bayes judges it and works alone where it is no use",
      .make = [source = std::move(source)](const tune::ProposerSettings& settings)
          -> Result<std::unique_ptr<tune::Proposer>> {
        auto model = source(settings);
        if (!model) return model.error();
        return MakeLlmProposer(settings, std::move(*model));
      }};
}

}  // namespace hone::agent

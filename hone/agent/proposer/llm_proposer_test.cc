// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/proposer/llm_proposer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <set>

#include "hone/agent/chat/scripted_model_for_test.h"
#include "hone/core/check.h"
#include "hone/core/rng.h"
#include "hone/tune/proposers/bayes.h"
#include "hone/tune/proposers/proposer_contract.h"

namespace hone::agent {
namespace {

using testing::HasSubstr;

// Candidates that are drawn from the schema of the question, some of them nonsense. The same
// questions get the same answers.
ChatAnswer Guesses(const ChatRequest& request, int turn) {
  const Json names = (*request.answer_schema)["properties"]["candidates"]["items"]["properties"]
                                             ["set"]["items"]["properties"]["name"]["enum"];
  Rng rng = Rng(7).Split(static_cast<std::uint64_t>(turn)).Split(request.seed.value_or(0));
  Json candidates = Json::array();
  for (int i = 0; i < 6; ++i) {
    const std::string name = names[rng.Below(names.size())];
    const Json value = rng.Coin() ? Json(fmt::format("{}", rng.Below(60)))
                                  : Json(fmt::format("{:.3f}", rng.Uniform()));
    candidates.push_back(
        {{"from", -1}, {"set", {{{"name", name}, {"value", value}}}}, {"why", ""}});
  }
  return TextAnswer(Dump({{"candidates", candidates}}));
}

tune::ProposerEntry EntryOf(std::string name, ScriptedModel::Script script) {
  tune::ProposerEntry entry = LlmProposerEntry(
      [script](const tune::ProposerSettings&) -> Result<std::unique_ptr<ChatModel>> {
        return std::make_unique<ScriptedModel>(script);
      });
  entry.name = std::move(name);
  return entry;
}

tune::ProposerEntry GuessingEntry() {
  tune::ProposerEntry entry =
      LlmProposerEntry([](const tune::ProposerSettings&) -> Result<std::unique_ptr<ChatModel>> {
        return std::make_unique<ScriptedModel>(
            [turn = 0](const ChatRequest& request) mutable -> Result<ChatAnswer> {
              return Guesses(request, turn++);
            });
      });
  entry.name = "guessing";
  return entry;
}

tune::ProposerEntry SilentEntry() {
  return EntryOf("silent", [](const ChatRequest&) -> Result<ChatAnswer> {
    return Error{Errc::kUnavailable, "nobody there"};
  });
}

// The arena of these tests: four numbers, of which the best is 0.8 each unless a test says else.
class LlmProposerTest : public testing::Test {
 protected:
  LlmProposerTest() : space_(SpaceOf(4, RealRange{0, 1}, 0.2)) {}

  static Space SpaceOf(int count, const Kind& kind, const Value& default_value) {
    std::vector<Parameter> parameters(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      Parameter& parameter = parameters[static_cast<std::size_t>(i)];
      parameter.name = fmt::format("x{}", i);
      parameter.kind = kind;
      parameter.default_value = default_value;
    }
    return Space::Make(std::move(parameters)).value();
  }

  tune::ProposerSettings Settings() const {
    return {.space = space_,
            .baseline = {.assignment = space_.Defaults(), .source = {}},
            .seed = seed_,
            .planned_trials = 30,
            .wants_front = !objectives_.empty(),
            .options = options_};
  }

  // The proposer of a scripted model, which the test can still see.
  tune::Proposer& Begin(ScriptedModel::Script script) {
    auto model = std::make_unique<ScriptedModel>(std::move(script));
    model_ = model.get();
    auto made = MakeLlmProposer(Settings(), std::move(model));
    HONE_CHECK(made.has_value());
    proposer_ = std::move(*made);
    return *proposer_;
  }

  using Values = std::map<std::string, double>;
  static std::string Candidates(const std::vector<Values>& candidates) {
    Json listed = Json::array();
    for (const Values& values : candidates) {
      Json set = Json::array();
      for (const auto& [name, value] : values) {
        set.push_back({{"name", name}, {"value", fmt::format("{}", value)}});
      }
      listed.push_back({{"from", -1}, {"set", set}, {"why", "w"}});
    }
    return Dump({{"candidates", listed}});
  }
  static std::string Set(const Values& values) { return Candidates({values}); }

  static double Rounded(double value) { return std::round(value * 1000) / 1000; }

  // Six that lie about there.
  static std::vector<Values> SixAbout(double value, int turn) {
    std::vector<Values> six(6);
    for (int i = 0; i < 6; ++i) {
      for (int k = 0; k < 4; ++k) {
        const double off = 0.1 * std::sin(6 * turn + i + 2 * k);
        six[static_cast<std::size_t>(i)][fmt::format("x{}", k)] =
            std::max(Rounded(value + off), 0.0);
      }
    }
    return six;
  }

  static std::string SetAll(double value) {
    return Set({{"x0", value}, {"x1", value}, {"x2", value}, {"x3", value}});
  }

  Candidate AskAndTell(tune::Proposer& proposer, std::int64_t number) const {
    const auto asked = proposer.Ask();
    HONE_CHECK(asked.has_value());
    tune::Trial trial;
    trial.number = number;
    trial.candidate = *asked;
    trial.reward = {.mean = reward_(asked->assignment), .standard_error = 0.01, .count = 2};
    for (const auto& objective : objectives_) {
      trial.objectives.push_back(
          {.mean = objective(asked->assignment), .standard_error = 0.01, .count = 2});
    }
    HONE_CHECK(proposer.Tell(trial).has_value());
    return *asked;
  }

  std::vector<std::string> Play(tune::Proposer& proposer, int trials) const {
    std::vector<std::string> asked;
    for (int i = 0; i < trials; ++i) asked.push_back(ToText(AskAndTell(proposer, i).assignment));
    return asked;
  }

  std::vector<std::string> PlayBayes(int trials) const {
    tune::ProposerSettings settings = Settings();
    settings.options = {};
    auto bayes = tune::MakeBayes(settings);
    HONE_CHECK(bayes.has_value());
    return Play(**bayes, trials);
  }

  // Beside the numbers a choice, and x9, which exists only where it is "d".
  void AddAChoiceWithAChild() {
    Parameter choice;
    choice.name = "choice";
    choice.kind = Category{{"a", "b", "c", "d"}};
    choice.default_value = "a";
    Parameter child = space_.parameters().front();
    child.name = "x9";
    child.condition = Condition{.parent = "choice", .values = {"d"}};
    std::vector<Parameter> parameters = space_.parameters();
    parameters.insert(parameters.begin(), {choice, child});
    space_ = Space::Make(std::move(parameters)).value();
    reward_ = [](const Assignment& assignment) { return std::get<double>(assignment.at("x0")); };
  }

  Space space_;
  std::map<std::string, std::string> options_;
  std::uint64_t seed_ = 3;
  std::vector<std::function<double(const Assignment&)>> objectives_;  // Of a front, if there are.
  double best_ = 0.8;
  std::function<double(const Assignment&)> reward_ = [this](const Assignment& assignment) {
    double reward = 4 * (best_ - 0.2) * (best_ - 0.2);
    for (const auto& [name, value] : assignment) {
      reward -= (std::get<double>(value) - best_) * (std::get<double>(value) - best_);
    }
    return 0.1 * reward;
  };
  ScriptedModel* model_ = nullptr;
  std::unique_ptr<tune::Proposer> proposer_;
};

TEST_F(LlmProposerTest, WhatTheModelProposesIsMeasured) {
  tune::Proposer& proposer =
      Begin([](const ChatRequest&) -> Result<ChatAnswer> { return TextAnswer(SetAll(0.75)); });
  EXPECT_THAT(Play(proposer, 4), testing::Contains("x0=0.75 x1=0.75 x2=0.75 x3=0.75"));
}

TEST_F(LlmProposerTest, WithoutAModelThatAnswersItIsBayes) {
  for (const Errc code : {Errc::kUnavailable, Errc::kUnsupported, Errc::kInvalidArgument}) {
    tune::Proposer& proposer = Begin([code](const ChatRequest&) -> Result<ChatAnswer> {
      return Error{code, "no"};
    });
    EXPECT_EQ(Play(proposer, 25), PlayBayes(25));
  }
}

TEST_F(LlmProposerTest, ASpentBudgetIsTheLastQuestion) {
  Play(Begin([](const ChatRequest&) -> Result<ChatAnswer> {
         return Error{Errc::kUnsupported, "the budget is spent"};
       }),
       25);
  EXPECT_EQ(model_->requests().size(), 1U);
}

TEST_F(LlmProposerTest, AModelWithoutUseIsAskedEverMoreSeldom) {
  Play(Begin([](const ChatRequest&) -> Result<ChatAnswer> { return TextAnswer("Well…"); }), 30);
  EXPECT_LE(model_->requests().size(), 5U);
}

TEST_F(LlmProposerTest, AModelThatRepeatsItselfIsTold) {
  Play(Begin([](const ChatRequest&) -> Result<ChatAnswer> { return TextAnswer(SetAll(0.75)); }),
       12);
  ASSERT_GE(model_->requests().size(), 3U);
  EXPECT_THAT(model_->requests().back().messages.at(1).text, HasSubstr("it was tried before"));
}

TEST_F(LlmProposerTest, WhatIsRefusedGoesBackWithItsReason) {
  Play(Begin([](const ChatRequest&) -> Result<ChatAnswer> { return TextAnswer(SetAll(7)); }), 12);
  ASSERT_GE(model_->requests().size(), 2U);
  EXPECT_THAT(model_->requests()[1].messages.at(1).text, HasSubstr("x0"));
  EXPECT_THAT(model_->requests()[1].messages.at(1).text,
              HasSubstr("not measured, with the reason"));
}

TEST_F(LlmProposerTest, AContraryModelSoonHasHardlyAShare) {
  const auto asked = Play(Begin([turn = 0](const ChatRequest&) mutable -> Result<ChatAnswer> {
                            return TextAnswer(SetAll(0.001 * ++turn));
                          }),
                          30);
  const auto models = std::count_if(asked.begin(), asked.end(), [](const std::string& text) {
    return text.find("x0=0.0") == 0 && text.find("x3=0.0") != text.npos;
  });
  EXPECT_GE(models, 1);
  EXPECT_LE(models, 4);
}

// Eight choices of four. Of the first "c" is best and "a" worst, the others do not matter; a model
// that wishes for "a" everywhere else.
class LlmProposerDrawTest : public LlmProposerTest {
 protected:
  LlmProposerDrawTest() {
    space_ = SpaceOf(8, Category{{"a", "b", "c", "d"}}, "b");
    reward_ = [](const Assignment& assignment) {
      const Value& first = assignment.at("x0");
      return first == Value("c") ? 0.1 : first == Value("a") ? -0.1 : 0.0;
    };
  }

  static ScriptedModel::Script WishingFirstFor(const std::string& first) {
    return [first, turn = 0](const ChatRequest&) mutable -> Result<ChatAnswer> {
      Json set = {{{"name", "x0"}, {"value", first}}};
      for (int i = 1; i < 8; ++i) {
        if (i == 1 + turn % 7) continue;
        set.push_back({{"name", fmt::format("x{}", i)}, {"value", "a"}});
      }
      ++turn;
      return TextAnswer(Dump({{"candidates", {{{"from", -1}, {"set", set}, {"why", "w"}}}}}));
    };
  }

  // Where it does not matter, in the trials after the design.
  static std::ptrdiff_t CountOfA(const std::vector<std::string>& asked) {
    std::ptrdiff_t count = 0;
    for (auto text = asked.begin() + 15; text != asked.end(); ++text) {
      count += std::count(text->begin() + static_cast<std::ptrdiff_t>(std::strlen("x0=a")),
                          text->end(), 'a');
    }
    return count;
  }

  // By so much more than alone, of 7 choices in each of 15 trials, mean over seeds.
  double DrawnBy(const std::string& first) {
    constexpr int kSeeds = 4;
    std::ptrdiff_t more = 0;
    for (seed_ = 0; seed_ < kSeeds; ++seed_) {
      more += CountOfA(Play(Begin(WishingFirstFor(first)), 30)) - CountOfA(PlayBayes(30));
    }
    return static_cast<double>(more) / kSeeds / (7 * 15);
  }
};

TEST_F(LlmProposerDrawTest, AModelThatIsWrongAboutChoicesDoesNotDrawTheSearch) {
  EXPECT_LT(DrawnBy("a"), 0.1);
}

TEST_F(LlmProposerDrawTest, AModelThatHasShownItsWorthDraws) { EXPECT_GT(DrawnBy("c"), 0.3); }

// Else it would keep half of the space from being seen.
TEST_F(LlmProposerTest, WhetherParametersExistIsHalfLeftToTheDesign) {
  AddAChoiceWithAChild();
  const auto asked = Play(
      Begin([turn = 0](const ChatRequest&) mutable -> Result<ChatAnswer> {
        return TextAnswer(fmt::format(
            R"({{"candidates": [{{"set": {{"choice": "d", "x0": {}}}}}]}})", 0.5 + 0.01 * ++turn));
      }),
      15);
  const auto wished = std::count_if(asked.begin(), asked.end(), [](const std::string& text) {
    return text.find("choice=d") != text.npos;
  });
  EXPECT_GE(wished, 4);
  EXPECT_GE(std::ssize(asked) - wished, 4);
}

TEST_F(LlmProposerTest, SoItIsWithAModelThatWishesForNothingElse) {
  AddAChoiceWithAChild();
  std::ptrdiff_t others = 0;
  for (seed_ = 0; seed_ < 4; ++seed_) {
    const auto asked = Play(Begin([](const ChatRequest&) {
                              return TextAnswer(R"({"candidates": [{"set": {"choice": "d"}}]})");
                            }),
                            15);
    others += std::count_if(asked.begin(), asked.end(), [](const std::string& text) {
      return text.find("choice=d") == text.npos;
    });
  }
  EXPECT_GE(others, 4 * 5);
  EXPECT_LE(others, 4 * 10);
}

// What hangs on the choice goes with it where that is left to the design: then it is the engine's
// own trial, and the answer is there for the next.
TEST_F(LlmProposerTest, ATrialThatHoldsNothingOfTheModelsIsNotItsOwn) {
  AddAChoiceWithAChild();
  std::ptrdiff_t models = 0;
  std::ptrdiff_t questions = 0;
  for (seed_ = 0; seed_ < 4; ++seed_) {
    std::set<std::string> wishes;
    const auto asked =
        Play(Begin([&, turn = 0](const ChatRequest&) mutable -> Result<ChatAnswer> {
               const double value = Rounded(0.5 + 0.01 * ++turn);
               wishes.insert(fmt::format("x9={}", value));
               return TextAnswer(fmt::format(
                   R"({{"candidates": [{{"set": {{"choice": "d", "x9": {}}}}}]}})", value));
             }),
             15);
    models += std::count_if(asked.begin(), asked.end(), [&](const std::string& text) {
      return text.find("x9=") != text.npos && wishes.contains(text.substr(text.find("x9=")));
    });
    questions += std::ssize(model_->requests());
  }
  EXPECT_GE(models, 4 * 6);
  EXPECT_LE(questions, models * 5 / 4);
}

TEST_F(LlmProposerTest, AWrongFirstAnswerDoesNotSilenceAModel) {
  std::set<std::string> proposed;
  const auto asked = Play(Begin([&, turn = 0](const ChatRequest&) mutable -> Result<ChatAnswer> {
                            const auto six = SixAbout(turn == 0 ? 0.05 : 0.8, turn);
                            ++turn;
                            for (const Values& one : six) {
                              proposed.insert(ToText(Assignment(one.begin(), one.end())));
                            }
                            return TextAnswer(Candidates(six));
                          }),
                          30);
  EXPECT_GE(std::count_if(asked.begin(), asked.end(),
                          [&](const std::string& text) { return proposed.contains(text); }),
            8);
}

TEST_F(LlmProposerTest, AGoodModelIsTrustedThoughTheCentreIsBetter) {
  best_ = 0.5;
  std::set<std::string> proposed;
  const auto asked = Play(Begin([&, turn = 0](const ChatRequest&) mutable -> Result<ChatAnswer> {
                            const double value = Rounded(0.3 + 0.003 * ++turn);
                            proposed.insert(fmt::format("x0={} ", value));
                            return TextAnswer(Set({{"x0", value}}));
                          }),
                          14);
  EXPECT_GE(std::count_if(asked.begin(), asked.end(),
                          [&](const std::string& text) {
                            return proposed.contains(text.substr(0, text.find(' ') + 1));
                          }),
            10);
}

TEST_F(LlmProposerTest, AModelIsAskedAnewForEachOfItsTrials) {
  const auto asked = Play(Begin([turn = 0](const ChatRequest&) mutable -> Result<ChatAnswer> {
                            return TextAnswer(Set({{"x0", Rounded(0.8 - 0.001 * ++turn)}}));
                          }),
                          10);
  std::vector<std::string> models;
  for (const std::string& text : asked) {
    const std::string first = text.substr(0, text.find(' '));
    if (first.starts_with("x0=0.79")) models.push_back(first);
  }
  ASSERT_GE(models.size(), 6U);
  EXPECT_EQ(models.size(), model_->requests().size());
  for (std::size_t i = 0; i < models.size(); ++i) {
    EXPECT_EQ(models[i], fmt::format("x0={}", Rounded(0.799 - 0.001 * static_cast<double>(i))));
  }
}

// Filled, many of its proposals are what was measured before.
TEST_F(LlmProposerTest, WhatItProposesIsNotMeasuredTwiceWhereItIsFilledAlike) {
  space_ = SpaceOf(4, Boolean{}, false);
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    tune::ProposerSettings settings = Settings();
    settings.seed = seed;
    const auto proposer =
        MakeLlmProposer(
            settings, std::make_unique<ScriptedModel>([](const ChatRequest&) {
              return TextAnswer(R"({"candidates": [{"set": {"x0": true, "x1": true}}]})");
            }))
            .value();
    std::set<std::string> asked;
    for (std::int64_t number = 0; number < 8; ++number) {
      tune::Trial trial;
      trial.number = number;
      trial.candidate = proposer->Ask().value();
      trial.reward = {.mean = 0.001, .standard_error = 0.01, .count = 2};
      ASSERT_TRUE(proposer->Tell(trial));
      asked.insert(ToText(trial.candidate.assignment));
    }
    EXPECT_EQ(asked.size(), 8U) << seed;
  }
}

TEST_F(LlmProposerTest, NothingIsRefusedForWhatTheDesignHasBesideIt) {
  space_ = SpaceOf(4, Boolean{}, false);
  reward_ = [](const Assignment&) { return 0.001; };
  int unmeasured = 0;
  for (seed_ = 0; seed_ < 8; ++seed_) {
    const auto asked =
        Play(Begin([](const ChatRequest&) {
               return TextAnswer(R"({"candidates": [{"set": {"x0": true, "x1": true}}]})");
             }),
             8);
    if (std::count(asked.begin(), asked.end(), "x0=true x1=true x2=false x3=false") > 0) continue;
    ++unmeasured;
    for (const ChatRequest& request : model_->requests()) {
      EXPECT_THAT(request.messages.at(1).text, testing::Not(HasSubstr("measured meanwhile")));
    }
  }
  EXPECT_GE(unmeasured, 2);
}

// x0 is good at 0.8 for the one and at 0.2 for the other; both want the others at 0.8.
class LlmProposerFrontTest : public LlmProposerTest {
 protected:
  LlmProposerFrontTest() {
    options_ = {{"questions", "30"}};
    for (const double best : {0.8, 0.2}) {
      objectives_.emplace_back([best](const Assignment& assignment) {
        double sum = 0;
        for (const auto& [name, value] : assignment) {
          const double off = std::get<double>(value) - (name == "x0" ? best : 0.8);
          sum += 0.36 - off * off;
        }
        return 0.1 * sum;
      });
    }
    reward_ = [this](const Assignment& assignment) {
      return (objectives_[0](assignment) + objectives_[1](assignment)) / 2;
    };
  }

  // How many of the trials after the design are those that a model proposes then, six for one
  // trade-off each, with x1 to x3 there. In the design it is right, and is trusted.
  std::ptrdiff_t MeasuredAt(double there) {
    std::set<std::string> late;
    const auto asked =
        Play(Begin([&, turn = 0](const ChatRequest& request) mutable -> Result<ChatAnswer> {
               ++turn;
               if (request.messages.at(1).text.find(kDesignIsOver) == std::string::npos) {
                 return TextAnswer(Set({{"x1", Rounded(0.75 + 0.002 * turn)}}));
               }
               std::vector<Values> six;
               for (int i = 0; i < 6; ++i) {
                 const double rest = Rounded(there + 0.001 * turn);
                 six.push_back(
                     {{"x0", Rounded(0.2 + 0.12 * i)}, {"x1", rest}, {"x2", rest}, {"x3", rest}});
                 late.insert(ToText(Assignment(six.back().begin(), six.back().end())));
               }
               return TextAnswer(Candidates(six));
             }),
             40);
    return std::count_if(asked.begin(), asked.end(),
                         [&](const std::string& text) { return late.contains(text); });
  }

  static constexpr const char* kDesignIsOver = "- trial 13:";
};

TEST_F(LlmProposerFrontTest, WhatPromisesLittleForTheTradeOffIsNotMeasured) {
  EXPECT_LE(MeasuredAt(0.1), 1);
}

TEST_F(LlmProposerFrontTest, WhatPromisesMuchForOneIsMeasured) { EXPECT_GE(MeasuredAt(0.76), 3); }

TEST_F(LlmProposerTest, AskingTwiceWithoutNewsAsksTheModelOnce) {
  tune::Proposer& proposer =
      Begin([](const ChatRequest&) -> Result<ChatAnswer> { return TextAnswer(SetAll(0.75)); });
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(proposer.Ask().has_value());
  EXPECT_EQ(model_->requests().size(), 1U);
}

// Three candidates, of which a judge likes the middle one; how many opinions were asked for.
struct Judged {
  std::vector<std::string> asked;
  int opinions = 0;
};

class LlmProposerJudgeTest : public LlmProposerTest {
 protected:
  // As `hone agent calibrate --json` writes it.
  static std::string Calibration(double spearman_low) {
    const Json correlation = {
        {"value", 0.8}, {"fisher", {spearman_low, 0.9}}, {"bootstrap", {spearman_low, 0.9}}};
    return Dump({{"judge", "small at http://127.0.0.1:1"},
                 {"opinions", Json::array()},
                 {"opinion_count", 24},
                 {"pearson", correlation},
                 {"spearman", correlation},
                 {"weight", 1},
                 {"reason", ""}});
  }

  Judged PlayWith(const std::string& judge, int trials) {
    options_.clear();
    if (!judge.empty()) options_["judge"] = judge;
    Judged judged;
    tune::Proposer& proposer = Begin([&](const ChatRequest& request) -> Result<ChatAnswer> {
      const std::string& text = request.messages.back().text;
      if (text.find("Change: ") == text.npos) {
        return TextAnswer(Candidates({{{"x0", 0.3}}, {{"x0", 0.9}}, {{"x0", 0.6}}}));
      }
      ++judged.opinions;
      const bool is_liked = text.find("x0 0.2 -> 0.6") != text.npos;
      return TextAnswer(is_liked ? R"({"expected": 1})" : R"({"expected": -1})");
    });
    judged.asked = Play(proposer, trials);
    return judged;
  }
};

TEST_F(LlmProposerJudgeTest, AJudgeWithShownCorrelationSaysWhatIsTriedFirst) {
  const Judged judged = PlayWith(Calibration(0.5), 2);
  EXPECT_EQ(judged.opinions, 3);
  EXPECT_THAT(judged.asked.back(), testing::StartsWith("x0=0.6"));
  EXPECT_THAT(PlayWith("", 2).asked.back(), testing::StartsWith("x0=0.9"));
}

TEST_F(LlmProposerJudgeTest, AJudgeWithoutShownCorrelationIsNotAskedAndChangesNothing) {
  const Judged judged = PlayWith(Calibration(-0.1), 12);
  EXPECT_EQ(judged.opinions, 0);
  EXPECT_EQ(judged.asked, PlayWith("", 12).asked);
}

TEST_F(LlmProposerTest, OptionsLimitTheQuestions) {
  options_ = {{"questions", "2"}, {"candidates", "3"}};
  int turn = 0;
  Play(Begin([&turn](const ChatRequest& request) -> Result<ChatAnswer> {
         EXPECT_THAT(request.messages.at(1).text, HasSubstr("up to 3 candidates"));
         return TextAnswer(SetAll(0.5 + 0.01 * ++turn));
       }),
       30);
  EXPECT_EQ(turn, 2);
}

TEST_F(LlmProposerTest, OptionsWithoutSenseAreRefused) {
  for (const auto& [name, value] : std::map<std::string, std::string>{{"questions", "none"},
                                                                      {"candidates", "0"},
                                                                      {"brief", "{"},
                                                                      {"judge", "{}"},
                                                                      {"nonsense", "1"}}) {
    options_ = {{name, value}};
    const auto made = MakeLlmProposer(
        Settings(), std::make_unique<ScriptedModel>(
                        [](const ChatRequest&) -> Result<ChatAnswer> { return TextAnswer(""); }));
    ASSERT_FALSE(made.has_value()) << name;
    EXPECT_THAT(made.error().message, HasSubstr(name));
  }
}

}  // namespace
}  // namespace hone::agent

namespace hone::tune {

INSTANTIATE_TEST_SUITE_P(Guessing, ProposerContract, testing::Values(agent::GuessingEntry()));
INSTANTIATE_TEST_SUITE_P(Silent, ProposerContract, testing::Values(agent::SilentEntry()));

}  // namespace hone::tune

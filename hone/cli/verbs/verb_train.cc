// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include "hone/app/campaign/domain_training.h"
#include "hone/app/plan/tune_plan.h"
#include "hone/app/plan/tune_target.h"
#include "hone/base/json/json.h"
#include "hone/base/json/parse_values.h"
#include "hone/cli/interrupts.h"
#include "hone/cli/text/help.h"
#include "hone/cli/text/target_help.h"
#include "hone/cli/text/training_display.h"
#include "hone/cli/text/training_show.h"
#include "hone/cli/verbs.h"
#include "hone/cli/verbs/dashboard.h"
#include "hone/cli/verbs/tune_start.h"
#include "hone/env/classic_control.h"
#include "hone/learn/kernels.h"
#include "hone/learn/policy_file.h"
#include "hone/learn/training_curve.h"

namespace hone::cli {
namespace {

constexpr std::uint64_t kEvaluationSeed = 1'000'000;

struct TrainArguments {
  std::string algorithm;
  std::optional<std::string> environment;
  Options options;  // Of the algorithm, and of the environment if it is a domain's.
  bool wants_defaults = false;
  std::optional<std::int64_t> steps;
  std::optional<std::uint64_t> seed;
  std::int64_t episodes = 100;
  std::string folder;
  std::chrono::milliseconds save_pause{10'000};
  std::string resume;
  bool is_sure = false;
  DashboardChoice dashboard;

  std::string EnvironmentName() const { return environment.value_or("CartPole-v1"); }
};

struct Score {
  double mean = 0;
  double deviation = 0;
  std::int64_t episodes = 0;
};

// What is trained, on what, and where its course goes.
struct Training {
  std::string environment;
  Options environment_options;
  std::unique_ptr<app::DomainTraining> domain;  // Null: a classic control task.
  std::unique_ptr<env::VectorEnvironment> environments;
  learn::PpoSettings settings;
  std::unique_ptr<learn::PpoTrainer> trainer;
  std::filesystem::path folder;  // Where its course goes; empty: nowhere.
  std::optional<learn::TrainingCurve> curve;
  std::unique_ptr<TrainingShow> show;  // Null: on no dashboard.
  double seconds = 0;                  // That training took.
};

bool IsClassicControl(const std::string& environment) {
  return std::ranges::count(env::ClassicControlNames(), environment) > 0;
}

bool IsHyperParameter(const std::string& option) {
  return std::ranges::count(learn::PpoOptions(), option, &learn::PpoOption::name) > 0;
}

learn::PpoSettings InitialSettings(const TrainArguments& arguments) {
  const std::string environment = arguments.EnvironmentName();
  if (arguments.wants_defaults) return {};
  return IsClassicControl(environment) ? learn::ZooSettings(environment) : learn::DomainSettings();
}

// What is not the algorithm's is the domain's.
Result<void> ReadOptions(const TrainArguments& arguments, Training& training) {
  training.settings = InitialSettings(arguments);
  training.settings.seed = arguments.seed.value_or(training.settings.seed);
  if (arguments.steps) training.settings.total_timesteps = *arguments.steps;
  for (const auto& [name, text] : arguments.options) {
    if (!IsHyperParameter(name) && !IsClassicControl(training.environment)) {
      training.environment_options[name] = text;
      continue;
    }
    if (auto set = learn::SetPpoOption(training.settings, name, text); !set) return set.error();
  }
  return {};
}

// A policy brings its settings along; to change them in mid-course would be another training.
Result<void> CheckResume(const TrainArguments& arguments, const learn::PolicyFile& policy) {
  const auto refuse = [&](const std::string& why) {
    return Error{Errc::kInvalidArgument, fmt::format("--resume {}: {}", arguments.resume, why)};
  };
  if (arguments.environment && *arguments.environment != policy.environment) {
    return refuse(fmt::format("it was trained on {}, not on {}; leave --env away",
                              policy.environment, *arguments.environment));
  }
  if (arguments.seed && *arguments.seed != policy.settings.seed) {
    return refuse(fmt::format("its seed is {}; leave --seed away", policy.settings.seed));
  }
  if (!arguments.options.empty() || arguments.wants_defaults) {
    return refuse("it has its own settings; leave -o and --defaults away");
  }
  if (arguments.steps && *arguments.steps < policy.state.steps) {
    return refuse(
        fmt::format("it has {} steps already; --steps says how many there are to be in "
                    "all, found {}",
                    policy.state.steps, *arguments.steps));
  }
  return {};
}

Error NoSuchEnvironment(const std::string& name, const Error& no_target) {
  if (no_target.code != Errc::kNotFound) return no_target;
  auto there = env::MakeClassicControl(name);
  return {Errc::kNotFound, fmt::format("{}; or a target of hone tune", there.error().message)};
}

// Shows what will be touched, and asks where that is the host.
Result<void> OpenDomain(Shell& shell, const TrainArguments& arguments,
                        const std::stop_token& abandon, Training& training) {
  app::TuneRequest request;
  request.target = training.environment;
  request.options = training.environment_options;
  auto plan = app::MakeTargetPlan(request, shell.builtins);
  if (!plan) return NoSuchEnvironment(training.environment, plan.error());
  if (!shell.is_quiet) shell.console.err << plan->choice << PreviewText(*plan) << std::flush;
  const auto may_start = MayStart(shell, *plan, arguments.is_sure);
  if (!may_start) return may_start.error();
  if (!*may_start) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("--env {}: nothing was started and nothing was touched. To start "
                             "without being asked: --yes",
                             training.environment)};
  }
  auto domain = app::MakeDomainTraining(std::move(*plan), shell.builtins, shell.clock, abandon);
  if (!domain) return domain.error();
  training.domain = std::move(*domain);
  return {};
}

Result<void> MakeTrainer(Shell& shell, const TrainArguments& arguments,
                         const std::stop_token& abandon, Training& training) {
  if (!IsClassicControl(training.environment)) {
    if (auto opened = OpenDomain(shell, arguments, abandon, training); !opened) return opened;
  }
  const std::int64_t count = training.settings.n_envs;
  auto environments = training.domain ? training.domain->MakeEnvironments(count)
                                      : env::MakeClassicControls(training.environment, count);
  if (!environments) return environments.error();
  training.environments = std::move(*environments);
  auto trainer = learn::PpoTrainer::Make(training.settings, *training.environments);
  if (!trainer) return trainer.error();
  training.trainer = std::move(*trainer);
  return {};
}

// A folder holds one training.
Result<void> CheckFolder(const std::string& folder) {
  const auto there = std::filesystem::path(folder) / learn::kPolicyName;
  if (folder.empty() || !std::filesystem::exists(there)) return {};
  return Error{Errc::kInvalidArgument,
               fmt::format("--output {}: a policy is there already; go on with it (hone train ppo "
                           "--resume {}) or name another folder",
                           folder, there.string())};
}

Result<Training> BeginAnew(Shell& shell, const TrainArguments& arguments,
                           const std::stop_token& abandon) {
  Training training;
  training.environment = arguments.EnvironmentName();
  training.folder = arguments.folder;
  if (auto read = ReadOptions(arguments, training); !read) return read.error();
  if (auto is_free = CheckFolder(arguments.folder); !is_free) return is_free.error();
  if (auto made = MakeTrainer(shell, arguments, abandon, training); !made) return made.error();
  return training;
}

// The training goes on in the folder of the policy, unless another one is given.
Result<Training> GoOn(Shell& shell, const TrainArguments& arguments,
                      const std::stop_token& abandon) {
  std::filesystem::path file = std::filesystem::absolute(arguments.resume);
  if (std::filesystem::is_directory(file)) file /= learn::kPolicyName;
  auto policy = learn::LoadPolicy(file);
  if (!policy) return policy.error();
  if (auto fits = CheckResume(arguments, *policy); !fits) return fits.error();
  Training training;
  training.environment = policy->environment;
  training.environment_options = policy->environment_options;
  training.settings = policy->settings;
  if (arguments.steps) training.settings.total_timesteps = *arguments.steps;
  training.folder = arguments.folder;
  if (training.folder.empty()) training.folder = file.parent_path();
  if (auto made = MakeTrainer(shell, arguments, abandon, training); !made) return made.error();
  if (auto loaded = training.trainer->Load(policy->state); !loaded) return loaded.error();
  return training;
}

Result<Training> Prepare(Shell& shell, const TrainArguments& arguments,
                         const std::stop_token& abandon) {
  auto training = arguments.resume.empty() ? BeginAnew(shell, arguments, abandon)
                                           : GoOn(shell, arguments, abandon);
  if (!training || training->folder.empty()) return training;
  auto curve =
      learn::TrainingCurve::Open(training->folder, training->trainer->steps(), shell.clock.Wall());
  if (!curve) return curve.error();
  training->curve = std::move(*curve);
  return training;
}

Result<void> Save(Training& training) {
  if (training.folder.empty()) return {};
  return learn::SavePolicy({training.environment, training.settings, training.trainer->Save(),
                            training.environment_options},
                           training.folder / learn::kPolicyName);
}

// Until it is done or interrupted.
Result<void> Train(Shell& shell, const TrainArguments& arguments, const Interrupts& interrupts,
                   Training& training) {
  TrainingDisplay display(shell.console, shell.clock, training.settings.total_timesteps);
  Clock::Monotonic saved = shell.clock.Now();
  while (!training.trainer->IsDone() && !interrupts.wrap_up().stop_requested()) {
    const auto report = training.trainer->Iterate();
    if (!report) return report.error();
    if (!shell.is_quiet) display.Show(*report);
    if (training.show) training.show->Show(*report);
    if (training.curve) {
      if (auto told = training.curve->Append(*report, shell.clock.Wall()); !told) {
        return told.error();
      }
    }
    if (shell.clock.Now() - saved < arguments.save_pause) continue;
    if (auto kept = Save(training); !kept) return kept.error();
    saved = shell.clock.Now();
  }
  return Save(training);
}

// Episodes without exploration, on starts that training never saw; fewer if it is stopped.
Result<Score> Evaluate(Training& training, std::int64_t episodes, const std::stop_token& stop) {
  auto environment = training.domain ? training.domain->MakeEnvironment()
                                     : env::MakeClassicControl(training.environment);
  if (!environment) return environment.error();
  double sum = 0;
  double squares = 0;
  std::int64_t done = 0;
  for (; done < episodes && !stop.stop_requested(); ++done) {
    auto seen = (*environment)->Reset(kEvaluationSeed + static_cast<std::uint64_t>(done));
    if (!seen) return seen.error();
    double total = 0;
    for (bool is_over = false; !is_over;) {
      auto transition = (*environment)->Step(training.trainer->Decide(*seen));
      if (!transition) return transition.error();
      total += transition->reward;
      is_over = transition->IsEnd();
      seen = std::move(transition->observation);
    }
    sum += total;
    squares += total * total;
  }
  if (done == 0)
    return Error{Errc::kUnavailable, "the evaluation was stopped before its first end"};
  const auto count = static_cast<double>(done);
  const double mean = sum / count;
  return Score{mean, std::sqrt(std::max(squares / count - mean * mean, 0.0)), done};
}

Result<ExitCode> TellTrained(Shell& shell, const Training& training, const Score& score) {
  const std::int64_t steps = training.trainer->steps();
  if (shell.wants_json) {
    Json settings = learn::ToOptions(training.settings);
    shell.console.out << Dump({{"environment", training.environment},
                               {"environment_options", training.environment_options},
                               {"seed", training.settings.seed},
                               {"settings", settings},
                               {"steps", steps},
                               {"episodes", training.trainer->episodes()},
                               {"seconds", training.seconds},
                               {"kernels", learn::BestKernels().name},
                               {"evaluation_episodes", score.episodes},
                               {"evaluation_mean", score.mean},
                               {"evaluation_deviation", score.deviation}})
                      << '\n';
    return ExitCode::kYes;
  }
  shell.console.out << fmt::format(
      "{}, seed {}: {:.1f} ± {:.1f} over {} episodes without exploration, after {} steps "
      "({:.1f} s, kernels {})\n",
      training.environment, training.settings.seed, score.mean, score.deviation, score.episodes,
      steps, training.seconds, learn::BestKernels().name);
  if (training.folder.empty()) return ExitCode::kYes;
  const std::string policy = (training.folder / learn::kPolicyName).string();
  shell.console.out << fmt::format("Saved: {}, {}, and an event file for TensorBoard\n", policy,
                                   (training.folder / "progress.csv").string());
  if (!training.trainer->IsDone()) {
    shell.console.out << fmt::format("Go on with: {} train ppo --resume {}\n",
                                     shell.invocation.program, ShellWord(training.folder.string()));
  }
  return ExitCode::kYes;
}

Result<void> BeginShow(Shell& shell, server::DashboardServer& dashboard,
                       const std::shared_ptr<Interrupts>& interrupts, Training& training) {
  training.show = std::make_unique<TrainingShow>(
      dashboard.training(), shell.clock,
      TrainingShow::Facts{training.environment, training.settings, training.trainer->steps(),
                          training.folder, std::nullopt},
      [interrupts] { interrupts->WrapUp(); });
  return training.show->ShowEarlier();
}

// Trains and evaluates.
Result<Score> Learn(Shell& shell, const TrainArguments& arguments, const Interrupts& interrupts,
                    Training& training) {
  const Clock::Monotonic began = shell.clock.Now();
  if (auto trained = Train(shell, arguments, interrupts, training); !trained) {
    return trained.error();
  }
  training.seconds = std::chrono::duration<double>(shell.clock.Now() - began).count();
  if (training.show) training.show->ShowEvaluating();
  return Evaluate(training, arguments.episodes, interrupts.abandon());
}

// After the last run, whether it all went well or not.
void TellRestored(Shell& shell, Training& training) {
  if (!training.domain) return;
  const std::string restored = training.domain->Close();
  if (!restored.empty()) shell.console.err << restored << '\n';
}

// `dashboard` may be null.
Result<ExitCode> LearnAndTell(Shell& shell, const TrainArguments& arguments,
                              server::DashboardServer* dashboard) {
  auto watch = Interrupts::Watch([](int) {});
  if (!watch) return watch.error();
  const std::shared_ptr<Interrupts> interrupts = std::move(*watch);
  auto training = Prepare(shell, arguments, interrupts->abandon());
  if (!training) return training.error();
  if (dashboard != nullptr) {
    if (auto shown = BeginShow(shell, *dashboard, interrupts, *training); !shown) {
      return shown.error();
    }
  }
  const auto score = Learn(shell, arguments, *interrupts, *training);
  if (training->show && score) {
    training->show->ShowScore(score->mean, score->deviation, score->episodes,
                              training->trainer->IsDone());
  }
  if (training->show && !score) training->show->ShowFailure(score.error().message);
  TellRestored(shell, *training);
  if (!score) return score.error();
  return TellTrained(shell, *training, *score);
}

Result<ExitCode> RunTraining(Shell& shell, const TrainArguments& arguments) {
  if (arguments.algorithm != "ppo") {
    return Error{Errc::kInvalidArgument,
                 fmt::format("ALGORITHM: expected ppo, found \"{}\"", arguments.algorithm)};
  }
  const auto dashboard = MaybeOpenDashboard(shell, arguments.dashboard, DashboardUse::kTraining);
  if (!dashboard) return dashboard.error();
  auto told = LearnAndTell(shell, arguments, dashboard->get());
  if (told && *dashboard) KeepShowing(shell);
  return told;
}

std::string PpoOptionsHelp(const TrainArguments& arguments, const DomainTable& domains) {
  TwoColumnRows rows;
  const auto settings = learn::ToOptions(InitialSettings(arguments));
  for (const learn::PpoOption& option : learn::PpoOptions()) {
    rows.emplace_back(fmt::format("-o {}={}", option.name, settings.at(option.name)),
                      option.description);
  }
  const std::string environment = arguments.EnvironmentName();
  return fmt::format("\nOptions, as {} has them:\n{}{}", environment, TwoColumns(rows),
                     IsClassicControl(environment) ? "" : TargetHelp(environment, domains));
}

std::vector<std::string> EnvironmentNames(const DomainTable& domains) {
  auto names = env::ClassicControlNames();
  for (std::string& target : app::TargetNames(domains)) names.push_back(std::move(target));
  return names;
}

std::vector<Flag> Flags(TrainArguments& arguments, const DomainTable& domains) {
  return {
      {.names = "ALGORITHM",
       .value = "",
       .help = "ppo.",
       .set = Store(arguments.algorithm),
       .is_required = true,
       .completes = Completes::kChoices,
       .choices = {"ppo"}},
      {.names = "-e,--env",
       .value = "NAME",
       .help = "The environment: a classic control task (CartPole-v1 by default), or what hone "
               "tune takes as a target.",
       .set = [&arguments](const std::string& text) -> Result<void> {
         arguments.environment = text;
         return {};
       },
       .completes = Completes::kChoices,
       .choices = EnvironmentNames(domains)},
      {.names = "--steps",
       .value = "COUNT",
       .help = "Steps of all environments together, exactly.",
       .set = StoreCount("--steps", arguments.steps, 1)},
      {.names = "--seed",
       .value = "NUMBER",
       .help = "The same seed gives the same policy, bit for bit.",
       .set = StoreParsed("--seed", ParseSeed, arguments.seed)},
      {.names = "-o,--option",
       .value = "NAME=VALUE",
       .help = "Sets a hyper-parameter by its name in Stable-Baselines3, or an option of the "
               "domain.",
       .set = StoreSetting("--option", arguments.options),
       .is_repeatable = true},
  };
}

std::vector<Flag> FileFlags(TrainArguments& arguments) {
  return {
      {.names = "--defaults",
       .value = "",
       .help = "Begin with the defaults of Stable-Baselines3, not the zoo's settings.",
       .set = Raise(arguments.wants_defaults)},
      {.names = "--output",
       .value = "FOLDER",
       .help = "Keep the policy, the curve as CSV and TensorBoard events there.",
       .set = Store(arguments.folder),
       .completes = Completes::kFile},
      {.names = "--save-every",
       .value = "TIME",
       .help = "How often the policy is saved while it goes on; 10s by default.",
       .set = StoreParsed("--save-every", ParseDuration, arguments.save_pause)},
      {.names = "--resume",
       .value = "PATH",
       .help = "Go on with a saved policy, or the folder of one, as if it had never stopped.",
       .set = Store(arguments.resume),
       .completes = Completes::kFile},
      {.names = "--episodes",
       .value = "COUNT",
       .help = "Episodes of the evaluation at the end; 100 by default.",
       .set = StoreCount("--episodes", arguments.episodes, 1)},
      DashboardFlag(arguments.dashboard),
      {.names = "-y,--yes",
       .value = "",
       .help = "Start without asking, even if it changes this machine.",
       .set = Raise(arguments.is_sure)},
  };
}

}  // namespace

Verb MakeTrainVerb(const app::Builtins& builtins) {
  const auto arguments = std::make_shared<TrainArguments>();
  Verb verb;
  verb.name = "train";
  verb.summary = "trains a policy on a classic control task or on a domain";
  verb.description =
      "The algorithms that learn during campaigns, on tasks whose scores are published:\n"
      "those begin with the settings of rl-baselines3-zoo. Or on whatever hone tune can\n"
      "tune: an action is a candidate, measured against the baseline, and the reward is\n"
      "its gain. Ctrl-C saves what there is and stops; --resume goes on.\n"
      "docs/algorithms/ppo.md";
  verb.flags = Flags(*arguments, builtins.domains);
  const auto more = FileFlags(*arguments);
  verb.flags.insert(verb.flags.end(), more.begin(), more.end());
  verb.examples = {{"hone train ppo --env CartPole-v1", "About 100 000 steps to a score of 500."},
                   {"hone train ppo --env Pendulum-v1 --seed 3 --output runs/pendulum",
                    "Keep the policy and the curve; look at it with tensorboard --logdir runs."},
                   {"hone train ppo --resume runs/pendulum --steps 200000", "Go on with it."},
                   {"hone train ppo --env Acrobot-v1 --dashboard",
                    "Watch its curves in a browser, at http://127.0.0.1:5000."},
                   {"hone train ppo --env toy -o surface=rugged -o n_steps=32",
                    "A made-up system whose truth is known; hone train ppo --env toy --help."}};
  verb.run = [arguments](Shell& shell) { return RunTraining(shell, *arguments); };
  verb.more_help = [arguments, &builtins] { return PpoOptionsHelp(*arguments, builtins.domains); };
  return verb;
}

}  // namespace hone::cli

// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/kconfig_domain.h"

#include <fmt/format.h>

#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "hone/base/sha256.h"
#include "hone/core/rng.h"
#include "hone/domains/kconfig/kernel_lab.h"
#include "hone/domains/kconfig/kernel_measurement.h"
#include "hone/domains/kconfig/option_prices.h"
#include "hone/kconfig/files/config_file.h"

namespace hone {
namespace kernels {
namespace {

constexpr char kSummary[] = "Linux's build options: built, booted in a guest and measured there.";

// What all sessions of a domain share and none changes.
struct KconfigContext {
  KconfigSettings settings;
  KernelLab lab;
  KernelOptions options;
  Accelerator accelerator;
  std::string identity;
};

// SHA-256 over all that its numbers are made of but the values that a candidate brings: what
// kernels are built from, what measures them, and what runs that.
std::string IdentityOf(const KernelLab& lab, const KconfigSettings& settings,
                       const KernelOptions& options, Accelerator accelerator) {
  const KernelSource& source = lab.source;
  return Sha256OfTexts({source.identity, source.compiler, source.tools, source.arch.name,
                        kconfig::WriteConfig(options.base()), lab.program, lab.emulator,
                        NameOf(accelerator), settings.own ? settings.own->digest : ""});
}

Result<void> CheckIdentity(const KconfigSettings& settings, const std::string& now) {
  if (settings.identity.empty() || settings.identity == now) return {};
  return Error{Errc::kUnsupported,
               fmt::format("{}: its files, the compiler, the base, what it is measured by (the "
                           "benchmark with all that it takes along) or QEMU are others than those "
                           "with which the campaign began; put them back, or start a new campaign",
                           settings.tree)};
}

// What is to be known of a time before it is measured; empty of instructions.
std::string AcceleratorNote(const KconfigContext& context) {
  if (context.settings.counts_instructions) return "";
  if (context.accelerator == Accelerator::kKvm) {
    return "guests are run by KVM, which could not be tried where this was written: look twice";
  }
  const std::string fault = LookForKvm().fault;
  return "time is the wall clock of QEMU's translator, which says little about real machines" +
         (fault.empty() ? "" : fmt::format(" (no KVM: {})", fault));
}

class KconfigSession final : public Session {
 public:
  explicit KconfigSession(std::shared_ptr<const KconfigContext> context)
      : context_(std::move(context)) {}

  Result<RunResult> Prepare(const Candidate& candidate, const std::stop_token& stop) override {
    if (!candidate.source.empty()) {
      return Refused("kconfig: a candidate has options, not a source text").came;
    }
    const Assignment& wishes = candidate.assignment;
    if (const auto known = prepared_.find(wishes); known != prepared_.end()) {
      return known->second.came;
    }
    auto prepared = Make(wishes, stop);
    if (!prepared) return prepared.error();
    return (prepared_[wishes] = std::move(*prepared)).came;
  }

  Result<RunResult> Run(const RunOrder& order) override {
    if (auto ready = Prepare(order.candidate, order.stop);
        !ready || ready->outcome != Outcome::kAccepted) {
      return ready;
    }
    const Assignment& assignment = order.candidate.assignment;
    const OptionSpace& options = context_->options.options();
    MeasureOrder measure;
    measure.arch = context_->lab.source.arch;
    measure.kernel = *prepared_.at(assignment).kernel;
    measure.program = context_->lab.program;
    measure.command_line = options.CommandLineFor(assignment);
    measure.sysctls = options.SysctlsFor(assignment);
    measure.workloads = context_->settings.workloads;
    measure.own = context_->settings.own;
    measure.counts_instructions = context_->settings.counts_instructions;
    measure.accelerator = context_->accelerator;
    measure.seed = SeedOf(order);
    measure.memory_mib = context_->settings.memory_mib;
    measure.limit = order.limit;
    measure.stop = order.stop;
    auto result = MeasureKernel(*context_->lab.guest, measure);
    if (result) result->sample.arm = order.arm;
    return result;
  }

  // Neither a guest that counts instructions nor its neighbour feels the other.
  Result<std::pair<RunResult, RunResult>> RunTogether(const RunOrder& first,
                                                      const RunOrder& second) override {
    for (const RunOrder* order : {&first, &second}) {
      if (auto ready = Prepare(order->candidate, order->stop); !ready) return ready.error();
    }
    auto other = std::async(std::launch::async, [&] { return Run(second); });
    auto one = Run(first);
    auto two = other.get();
    if (!one) return one.error();
    if (!two) return two.error();
    return std::pair{std::move(*one), std::move(*two)};
  }

 private:
  struct Prepared {
    RunResult came;
    std::optional<BuiltKernel> kernel;
  };

  // Equal for the two runs of a pair: they differ in the kernel alone.
  static std::uint64_t SeedOf(const RunOrder& order) {
    const auto pair = static_cast<std::uint64_t>(order.position / 2);
    return DigestOf(fmt::format("{} {}", order.seed, pair)) >> 1;
  }

  static Prepared Refused(std::string reason) {
    return {{Outcome::kRejected, std::move(reason), {}, {}}, std::nullopt};
  }

  Result<Prepared> Make(const Assignment& wishes, const std::stop_token& stop) const {
    const auto valid = context_->options.options().space().Validate(wishes);
    if (!valid) return Refused(valid.error().message);
    const CompleteConfig complete = context_->options.Complete(wishes);
    if (complete.config.empty()) return Refused(complete.reason);
    const auto build =
        context_->lab.builder->Build({complete.config, context_->settings.build_limit, stop});
    if (!build) return build.error();
    std::vector<Evidence> evidence;
    if (!complete.effects.empty()) evidence.push_back({"changes", complete.effects});
    if (!build->kernel) {
      RunResult failed = ResultOf(*build);
      failed.evidence.insert(failed.evidence.begin(), evidence.begin(), evidence.end());
      return Prepared{std::move(failed), std::nullopt};
    }
    if (!build->is_known) evidence.push_back(BuildLogOf(*build));
    return Prepared{{Outcome::kAccepted, "", {}, std::move(evidence)}, build->kernel};
  }

  std::shared_ptr<const KconfigContext> context_;
  std::map<Assignment, Prepared> prepared_;  // By all that was wished, so that no two share one.
};

class KconfigDomain final : public Domain {
 public:
  explicit KconfigDomain(std::shared_ptr<const KconfigContext> context)
      : context_(std::move(context)) {
    const KconfigSettings& settings = context_->settings;
    facts_.name = kDomainName;
    facts_.summary = kSummary;
    facts_.metrics = settings.own == nullptr
                         ? MetricsOf(settings.workloads, settings.counts_instructions)
                         : MetricsOf(settings.own->workload, settings.counts_instructions);
    facts_.is_deterministic = settings.counts_instructions;
    facts_.runs_side_by_side = true;
  }

  const DomainFacts& Facts() const override { return facts_; }
  const Space& SearchSpace() const override { return context_->options.options().space(); }
  Candidate Baseline() const override { return {SearchSpace().Defaults(), ""}; }

  Result<std::unique_ptr<Session>> Open() override {
    return std::make_unique<KconfigSession>(context_);
  }

  Options Pinned(const Options& options) const override {
    Options pinned = options;
    pinned["identity"] = context_->identity;
    pinned["accelerator"] = NameOf(context_->accelerator);
    const auto& own = context_->settings.own;
    if (own != nullptr && !own->workload.text.empty()) pinned["workload"] = own->workload.text;
    return pinned;
  }

  Preview PreviewChanges() const override {
    const auto objects = ObjectsPerChange(context_->options, *context_->lab.builder);
    Preview preview{{}, context_->options.notes()};
    preview.notes.push_back(objects ? ObjectsText(*objects)
                                    : "the first kernel of this tree is built first: some minutes");
    const std::string accelerator = AcceleratorNote(*context_);
    if (!accelerator.empty()) preview.notes.push_back(accelerator);
    return preview;
  }

  Result<std::map<std::string, double>> PricesOfChanges() const override {
    const CompleteConfig base = context_->options.Complete(SearchSpace().Defaults());
    const auto build = context_->lab.builder->Build({base.config, context_->settings.build_limit});
    if (!build) return build.error();
    if (!build->kernel) return std::map<std::string, double>{};  // The gate tells why.
    const auto objects = ObjectsPerChange(context_->options, *context_->lab.builder);
    const auto trial = TimeOfTrial(*build->kernel);
    if (!trial) return trial.error();
    std::map<std::string, double> prices;
    for (const auto& [name, count] : objects.value_or(ObjectsByParameter{})) {
      prices[name] = BuildTime(count, *build->kernel) / *trial;
    }
    return prices;
  }

 private:
  // Of one that needs no building: two pairs.
  Result<std::chrono::duration<double>> TimeOfTrial(const BuiltKernel& kernel) const {
    constexpr int kRuns = 4;
    const KconfigSettings& settings = context_->settings;
    MeasureOrder order = MeasureAll(context_->lab, kernel);
    order.workloads = settings.workloads;
    order.own = settings.own;
    order.counts_instructions = settings.counts_instructions;
    order.accelerator = context_->accelerator;
    order.memory_mib = settings.memory_mib;
    const auto begin = std::chrono::steady_clock::now();
    const auto ran = MeasureKernel(*context_->lab.guest, order);
    if (!ran) return ran.error();
    return kRuns * std::chrono::duration<double>(std::chrono::steady_clock::now() - begin);
  }

  std::shared_ptr<const KconfigContext> context_;
  DomainFacts facts_;
};

Result<std::unique_ptr<Domain>> MakeKconfigDomain(const Options& options,
                                                  const WorkloadReader& read_workload,
                                                  const LabMaker& make_lab) {
  auto settings = ReadKconfigSettings(options);
  if (!settings) return settings.error();
  if (auto read = ReadFiles(*settings, read_workload); !read) return read.error();
  auto lab = make_lab(settings->tree, settings->arch);
  if (!lab) return lab.error();
  auto arch = OnMachine(lab->source.arch, settings->machine);
  if (!arch) return arch.error();
  lab->source.arch = std::move(*arch);
  const auto accelerator = ChooseAccelerator(settings->accelerator, settings->counts_instructions,
                                             lab->source.arch, LookForKvm());
  if (!accelerator) return accelerator.error();
  settings->request.cache = lab->cache;
  auto kernel_options = KernelOptions::Load(lab->source, settings->request);
  if (!kernel_options) return kernel_options.error();
  std::string identity = IdentityOf(*lab, *settings, *kernel_options, *accelerator);
  if (auto same = CheckIdentity(*settings, identity); !same) return same.error();
  return std::make_unique<KconfigDomain>(std::make_shared<const KconfigContext>(
      KconfigContext{std::move(*settings), std::move(*lab), std::move(*kernel_options),
                     *accelerator, std::move(identity)}));
}

}  // namespace
}  // namespace kernels

DomainEntry KconfigDomainEntry(const kernels::WorkloadReader& read_workload,
                               const kernels::LabMaker& make_lab) {
  DomainEntry entry;
  entry.name = kernels::kDomainName;
  entry.summary = kernels::kSummary;
  entry.options = kernels::KconfigOptionFacts();
  entry.make = [read_workload, make_lab](const Options& options) {
    return kernels::MakeKconfigDomain(options, read_workload, make_lab);
  };
  entry.check = [](const Options& options) -> Result<Capabilities> {
    const auto settings = kernels::ReadKconfigSettings(options);
    if (!settings) return settings.error();
    return Capabilities{};
  };
  entry.reads_host = true;
  return entry;
}

}  // namespace hone

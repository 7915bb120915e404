// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/kconfig_domain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/domain_contract.h"
#include "hone/domains/kconfig/guest/guest_contract.h"
#include "hone/domains/kconfig/kernel_lab_for_test.h"

namespace hone::kernels {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kAllOptions[] = "FAST,PANICS,BROKEN,DEAF,DEEP,SPEED,HZ_250";

// One for all tests: the exam makes domains of its own.
const std::filesystem::path& Place() {
  static const TempDir folder = [] {
    TempDir made = TempDir::Make("hone-kconfig-domain-test").value();
    EXPECT_TRUE(MakeFolder(made.path() / "tree"));
    EXPECT_TRUE(WriteFileAtomically(made.path() / "tree" / "Kconfig", kFakeTree));
    return made;
  }();
  return folder.path();
}

// "good" or "bad": by what it prints, and how it ends (kernel_lab_for_test.h).
Result<GuestWorkload> FakeWorkload(const std::string& name) {
  if (name == "none") return Error{Errc::kInvalidArgument, "none: no such workload"};
  GuestWorkload workload;
  workload.name = name;
  workload.steps = {{.kind = GuestStep::Kind::kMeasure, .arguments = {name}}};
  workload.needs = {"BELOW=y"};
  if (name == "serves") workload.files = {(Place() / "served").string()};
  workload.metrics = {{"rate", "1/s", Direction::kHigherIsBetter, ""}};
  workload.read = [](const std::string& output) -> Result<std::map<std::string, double>> {
    if (!output.starts_with("rate ")) return Error{Errc::kInvalidArgument, "rate: is not there"};
    return std::map<std::string, double>{{"rate", std::stod(output.substr(5))}};
  };
  return workload;
}

DomainEntry Entry() {
  return KconfigDomainEntry(FakeWorkload, [](const std::filesystem::path& tree, std::string_view) {
    return MakeFakeLab(tree, Place() / "cache");
  });
}

Options With(Options more) {
  more.emplace("tree", (Place() / "tree").string());
  more.emplace("options", kAllOptions);
  return more;
}

class KconfigDomainTest : public ::testing::Test {
 protected:
  void Open(const Options& options) {
    auto made = Entry().make(With(options));
    ASSERT_TRUE(made) << made.error().message;
    domain_ = std::move(*made);
    session_ = domain_->Open().value();
  }

  Candidate With(const std::string& name, const Value& value) {
    Candidate candidate = domain_->Baseline();
    candidate.assignment[name] = value;
    return candidate;
  }
  static Options With(const Options& options) { return kernels::With(options); }

  RunResult Run(const Candidate& candidate, std::int64_t position = 0) {
    const auto ran = session_->Run(
        {Arm::kCandidate, candidate, 1, position, std::chrono::seconds{10}, std::stop_token{}});
    EXPECT_TRUE(ran) << ran.error().message;
    return ran ? *ran : RunResult{};
  }

  std::string ErrorOf(const Options& options) {
    const auto made = Entry().make(With(options));
    return made ? "no error" : made.error().message;
  }

  std::unique_ptr<Domain> domain_;
  std::unique_ptr<Session> session_;
};

TEST_F(KconfigDomainTest, ABetterOptionHasABetterIndex) {
  Open({});
  const double before = Run(domain_->Baseline()).sample.metrics.at("index").value;
  const double after = Run(With("FAST", true)).sample.metrics.at("index").value;
  EXPECT_NEAR(after / before, 1 / 0.9, 1e-3);
}

TEST_F(KconfigDomainTest, TheTwoRunsOfAPairHaveOneSeedAndTheNextAnother) {
  Open({});
  const Candidate baseline = domain_->Baseline();
  const double first = Run(baseline, 4).sample.metrics.at("fork").value;
  EXPECT_EQ(Run(baseline, 5).sample.metrics.at("fork").value, first);
  bool is_other = false;
  for (int k = 6; k < 20; k += 2)
    is_other |= Run(baseline, k).sample.metrics.at("fork").value != first;
  EXPECT_TRUE(is_other);
}

TEST_F(KconfigDomainTest, EachFailureHasItsOutcomeAndItsEvidence) {
  Open({});
  const RunResult broken = Run(With("BROKEN", true));
  EXPECT_EQ(broken.outcome, Outcome::kBuildFailed);
  EXPECT_THAT(broken.reason, HasSubstr("error: it is broken"));
  const RunResult panics = Run(With("PANICS", true));
  EXPECT_EQ(panics.outcome, Outcome::kCrashed);
  EXPECT_THAT(panics.evidence.at(0).text, HasSubstr("not syncing"));
  const RunResult deaf = Run(With("DEAF", true));
  EXPECT_EQ(deaf.outcome, Outcome::kWrong);
  EXPECT_THAT(deaf.reason, HasSubstr("socket"));
}

TEST_F(KconfigDomainTest, CandidatesWhoseTextsAreEqualAreStillTwo) {
  Open({});
  EXPECT_EQ(Run(With("FAST", std::string("true"))).outcome, Outcome::kRejected);
  EXPECT_EQ(Run(With("FAST", true)).outcome, Outcome::kAccepted);
}

TEST_F(KconfigDomainTest, WhatAnOptionNeedsComesWithItAndIsTold) {
  Open({});
  const auto prepared = session_->Prepare(With("DEEP", true));
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->outcome, Outcome::kAccepted);
  EXPECT_THAT(prepared->evidence.at(0).text, HasSubstr("BELOW: n -> y"));
}

TEST_F(KconfigDomainTest, WishesAreSetThemselvesAndNotByAnExoticOptionThatSelectsThem) {
  Open({{"options", "FAST,BELOW"}});
  Candidate both = With("FAST", true);
  both.assignment["BELOW"] = true;
  const auto prepared = session_->Prepare(both);
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->evidence.at(0).text, "FAST: n -> y\nBELOW: n -> y\n");
}

TEST_F(KconfigDomainTest, WhatCannotBeIsRejectedWithTheClause) {
  Open({{"options", "NEVER"}});
  const auto prepared = session_->Prepare(With("NEVER", true));
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->outcome, Outcome::kRejected);
  EXPECT_THAT(prepared->reason, HasSubstr("NEVER"));
}

// The solver answers such a wish with an Error: it ended the campaign.
TEST_F(KconfigDomainTest, AWishThatTheSolverCannotTakeIsRejected) {
  Open({{"options", "SPEED=250|fast"}});
  const auto prepared = session_->Prepare(With("SPEED", std::string("fast")));
  ASSERT_TRUE(prepared) << prepared.error().message;
  EXPECT_EQ(prepared->outcome, Outcome::kRejected);
  EXPECT_THAT(prepared->reason, HasSubstr("SPEED: \"fast\" is no value"));
}

TEST_F(KconfigDomainTest, WhatKeepsAMachineSecureNeedsAWord) {
  EXPECT_THAT(ErrorOf({{"options", "SECCOMP"}}), HasSubstr("allow=SECCOMP"));
  EXPECT_EQ(ErrorOf({{"options", "SECCOMP"}, {"allow", "SECCOMP"}}), "no error");
  EXPECT_THAT(ErrorOf({{"options", "boot:mitigations=auto|off"}}), HasSubstr("boot:mitigations"));
  EXPECT_THAT(ErrorOf({{"options", "sysctl:kernel.randomize_va_space=2|0"}}), HasSubstr("guessed"));
}

// A candidate would choose how fast the clock runs by which it is measured.
TEST_F(KconfigDomainTest, TheClocksOfTheGuestNeedAWord) {
  for (const char* option :
       {"boot:tsc=reliable|unstable", "boot:tsc_early_khz=1000000|1010000", "boot:notsc",
        "boot:clocksource=tsc|jiffies", "boot:lpj=1000|2000", "boot:no_timer_check",
        "boot:hpet=force|disable", "boot:acpi_pm_good", "boot:pmtmr=0x400|0x500",
        "boot:clock=pit|tsc", "boot:no-kvmclock", "boot:clocksource.arm_arch_timer.evtstrm=0|1"}) {
    EXPECT_THAT(ErrorOf({{"options", option}}), HasSubstr("allow=boot:")) << option;
  }
}

TEST_F(KconfigDomainTest, ThePlanSaysWhatIsGivenUpByAllowing) {
  Open({{"options", "SECCOMP"}, {"allow", "SECCOMP"}});
  EXPECT_THAT(domain_->PreviewChanges().notes,
              Contains("allowed: SECCOMP (programs confine themselves by it)"));
}

TEST_F(KconfigDomainTest, AFaultOfTheProcessorIsNoParameterAndMayFollowFromOne) {
  EXPECT_THAT(ErrorOf({{"options", "X_ERRATUM_1"}}), HasSubstr("allow=X_ERRATUM_1"));
  Open({{"options", "FAULTY"}});
  const auto prepared = session_->Prepare(With("FAULTY", true));
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->outcome, Outcome::kAccepted) << prepared->reason;
  EXPECT_THAT(prepared->evidence.at(0).text, HasSubstr("X_ERRATUM_1: n -> y"));
}

TEST_F(KconfigDomainTest, WhatIsSecureDoesNotChangeAsAConsequence) {
  Open({{"options", "LOOSE"}});
  const auto prepared = session_->Prepare(With("LOOSE", true));
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->outcome, Outcome::kRejected);
}

TEST_F(KconfigDomainTest, EveryKindOfOptionIsAParameter) {
  Open({{"options",
         "# Some, and more.\nFAST  # fast, "
         "faster\nSPEED=10..20\nHZ_100=HZ_100|HZ_250\nboot:threadirqs\n"
         "sysctl:vm.overcommit_memory=0|1"}});
  const Space& space = domain_->SearchSpace();
  EXPECT_TRUE(space.IndexOf("FAST") && space.IndexOf("SPEED") && space.IndexOf("Timer frequency") &&
              space.IndexOf("boot:threadirqs") && space.IndexOf("sysctl:vm.overcommit_memory"));
  EXPECT_EQ(domain_->Baseline().assignment.at("Timer frequency"), Value(std::string("HZ_250")));
  EXPECT_EQ(Run(With("Timer frequency", std::string("HZ_100"))).outcome, Outcome::kAccepted);
  EXPECT_EQ(Run(With("SPEED", std::int64_t{20})).outcome, Outcome::kAccepted);
}

TEST_F(KconfigDomainTest, WhatEverythingMentionsIsDearAndWhatIsNotBuiltIsFree) {
  Open({{"options", "FAST,HZ_250,boot:threadirqs"}});
  const auto prices = domain_->PricesOfChanges();
  ASSERT_TRUE(prices) << prices.error().message;
  EXPECT_GT(prices->at("Timer frequency"), 10 * prices->at("FAST"));
  EXPECT_GT(prices->at("FAST"), 0);
  EXPECT_FALSE(prices->contains("boot:threadirqs"));
  EXPECT_THAT(domain_->PreviewChanges().notes.at(0), HasSubstr("Timer frequency 500, FAST 1"));
}

TEST_F(KconfigDomainTest, AHexadecimalOptionIsARangeOrSomeValues) {
  Open({{"options", "WINDOW"}});
  const auto ranged = session_->Prepare(With("WINDOW", std::int64_t{0x20}));
  ASSERT_TRUE(ranged);
  EXPECT_EQ(ranged->evidence.at(0).text, "WINDOW: 0x10 -> 0x20\n");
  Open({{"options", "WINDOW=0x10|0x40"}});
  const auto named = session_->Prepare(With("WINDOW", std::string("0x40")));
  ASSERT_TRUE(named);
  EXPECT_EQ(named->evidence.at(0).text, "WINDOW: 0x10 -> 0x40\n");
}

TEST_F(KconfigDomainTest, AnAcceleratorOrAMachineThatCannotBeIsNamed) {
  EXPECT_THAT(ErrorOf({{"accelerator", "kvm"}}), HasSubstr("counted by TCG alone"));
  EXPECT_THAT(ErrorOf({{"accelerator", "xen"}}), HasSubstr("auto"));
  EXPECT_THAT(ErrorOf({{"machine", "virt"}}), HasSubstr("there is microvm, q35"));
  EXPECT_EQ(ErrorOf({{"machine", "q35"}}), "no error");
}

TEST_F(KconfigDomainTest, ThePlanSaysWhatATimeIsWorth) {
  Open({{"measure", "time"}, {"accelerator", "tcg"}});
  EXPECT_THAT(domain_->PreviewChanges().notes, Contains(HasSubstr("says little")));
  Open({});
  EXPECT_THAT(domain_->PreviewChanges().notes, Not(Contains(HasSubstr("says little"))));
}

TEST_F(KconfigDomainTest, ABaseMayHaveWishesOfItsOwn) {
  Open({{"base", "small,DEEP=y,HZ_1000=y"}, {"options", "DEEP,BELOW,HZ_250"}});
  const Assignment now = domain_->Baseline().assignment;
  EXPECT_EQ(now.at("DEEP"), Value(true));
  EXPECT_EQ(now.at("BELOW"), Value(true));
  EXPECT_EQ(now.at("Timer frequency"), Value(std::string("HZ_1000")));
  EXPECT_THAT(ErrorOf({{"base", "small,NOWHERE=y"}}), HasSubstr("NOWHERE"));
  EXPECT_THAT(ErrorOf({{"base", "small,NEVER=y"}}), HasSubstr("no configuration is so"));
}

TEST_F(KconfigDomainTest, AFlagOfTheCommandLineIsThereOnlyWhereItIsOn) {
  Open({{"options", "boot:swift,boot:slub_min_order=0|1"}});
  EXPECT_EQ(domain_->Baseline().assignment.at("boot:swift"), Value(false));
  const double before = Run(domain_->Baseline()).sample.metrics.at("index").value;
  const double after = Run(With("boot:swift", true)).sample.metrics.at("index").value;
  EXPECT_NEAR(after / before, 1 / 0.9, 1e-3);
}

TEST_F(KconfigDomainTest, AFlagWithValuesIsRefused) {
  const auto documented = Place() / "tree/Documentation/admin-guide";
  ASSERT_TRUE(MakeFolder(Place() / "tree/Documentation"));
  ASSERT_TRUE(MakeFolder(documented));
  ASSERT_TRUE(WriteFileAtomically(documented / "kernel-parameters.txt", "\n\tswift\t[KNL]\n"));
  EXPECT_THAT(ErrorOf({{"options", "boot:swift=0|1"}}), HasSubstr("boot:swift alone"));
  EXPECT_EQ(ErrorOf({{"options", "boot:swift"}}), "no error");
}

// Else a campaign for the size would claim what tinyconfig has.
TEST_F(KconfigDomainTest, TheTinyBaseIsWhatTheTreesTinyconfigIs) {
  const auto configs = Place() / "tree/kernel/configs";
  ASSERT_TRUE(MakeFolder(configs));
  ASSERT_TRUE(WriteFileAtomically(configs / "tiny-base.config", "CONFIG_ROOM=y\n"));
  ASSERT_TRUE(WriteFileAtomically(configs / "tiny.config",
                                  "# CONFIG_FAST is not set\nCONFIG_BELOW=y\nCONFIG_NEVER=y\n"));
  Open({{"base", "tiny"}, {"options", "ROOM,INSIDE,BELOW,NEVER"}});
  const Assignment tiny = domain_->Baseline().assignment;
  EXPECT_EQ(tiny.at("ROOM"), Value(true));
  EXPECT_EQ(tiny.at("INSIDE"), Value(false));
  EXPECT_EQ(tiny.at("BELOW"), Value(true));
  EXPECT_EQ(tiny.at("NEVER"), Value(false));
}

// The page shows both.
TEST_F(KconfigDomainTest, TheLogOfABuildAndTheConsoleOfEachBootAreKept) {
  Open({{"base", "small,WINDOW=0x23"}});  // That no other test builds.
  const auto prepared = session_->Prepare(domain_->Baseline());
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->evidence.at(0).what, "build log");
  EXPECT_THAT(prepared->evidence.at(0).text, HasSubstr("CC      kernel/fast.o"));
  EXPECT_THAT(Run(domain_->Baseline()).sample.output, HasSubstr("Linux version 6.1"));
}

TEST_F(KconfigDomainTest, AWorkloadOfOnesOwnTakesThePlaceOfThoseThatAreThere) {
  Open({{"workload", "good"}, {"options", "FAST,BELOW"}});
  EXPECT_EQ(domain_->Facts().metrics.front().name, "rate");
  EXPECT_EQ(domain_->Baseline().assignment.at("BELOW"), Value(true));  // It needs it.
  const RunResult before = Run(domain_->Baseline());
  ASSERT_EQ(before.outcome, Outcome::kAccepted) << before.reason;
  EXPECT_EQ(before.sample.metrics.size(), domain_->Facts().metrics.size());
  const RunResult after = Run(With("FAST", true));
  EXPECT_GT(after.sample.metrics.at("rate").value, before.sample.metrics.at("rate").value);
}

TEST_F(KconfigDomainTest, AWorkloadThatFailsInTheGuestSaysWhatItPrinted) {
  Open({{"workload", "bad"}});
  const RunResult failed = Run(domain_->Baseline());
  EXPECT_EQ(failed.outcome, Outcome::kCrashed);
  EXPECT_THAT(failed.reason, HasSubstr("status 3"));
  EXPECT_EQ(failed.evidence.at(0).text, "no such option");
  Open({{"workload", "dumb"}});
  const RunResult dumb = Run(domain_->Baseline());
  EXPECT_EQ(dumb.outcome, Outcome::kWrong);
  EXPECT_THAT(dumb.reason, HasSubstr("rate: is not there"));
  EXPECT_THAT(ErrorOf({{"workload", "none"}}), HasSubstr("no such workload"));
}

TEST_F(KconfigDomainTest, ACampaignGoesOnOnlyWithWhatItsKernelsWereMadeOf) {
  std::string emulator = "QEMU";
  const auto make = [&](const std::string& tree_identity, const Options& options) {
    return KconfigDomainEntry(FakeWorkload,
                              [&](const std::filesystem::path& tree, std::string_view) {
                                auto lab = MakeFakeLab(tree, Place() / "cache");
                                if (lab) lab->source.identity = tree_identity;
                                if (lab) lab->emulator = emulator;
                                return lab;
                              })
        .make(options);
  };
  const auto began = make("one", With({}));
  ASSERT_TRUE(began) << began.error().message;
  const Options pinned = (*began)->Pinned(With({}));
  EXPECT_TRUE(make("one", pinned));
  const auto elsewhere = make("two", pinned);
  ASSERT_FALSE(elsewhere);
  EXPECT_THAT(elsewhere.error().message, HasSubstr("start a new campaign"));
  emulator = "a newer QEMU";
  EXPECT_FALSE(make("one", pinned));
  emulator = "QEMU";
  EXPECT_TRUE(make("one", pinned));
  Options other_base = pinned;
  other_base["base"] = "small,FAST=y";
  EXPECT_FALSE(make("one", other_base));
}

// What a candidate is measured by is a part of what it is.
TEST_F(KconfigDomainTest, ACampaignGoesOnOnlyWithTheBenchmarkThatItBeganWith) {
  const auto served = Place() / "served";
  ASSERT_TRUE(WriteFileAtomically(served, "a page"));
  const Options options = With({{"workload", "serves"}});
  const auto began = Entry().make(options);
  ASSERT_TRUE(began) << began.error().message;
  const Options pinned = (*began)->Pinned(options);
  EXPECT_TRUE(Entry().make(pinned));
  ASSERT_TRUE(WriteFileAtomically(served, "another page"));
  const auto edited = Entry().make(pinned);
  ASSERT_FALSE(edited);
  EXPECT_THAT(edited.error().message, HasSubstr("what it is measured by"));
  ASSERT_TRUE(WriteFileAtomically(served, "a page"));
  EXPECT_TRUE(Entry().make(pinned));
}

TEST_F(KconfigDomainTest, ACampaignGoesOnWithTheAcceleratorThatItBeganWith) {
  Open({{"measure", "time"}});
  const Options pinned = domain_->Pinned(With({{"measure", "time"}}));
  EXPECT_THAT(pinned.at("accelerator"), ::testing::AnyOf("kvm", "tcg"));
}

TEST_F(KconfigDomainTest, BadOptionsAreNamed) {
  EXPECT_THAT(ErrorOf({{"options", "FASTT"}}), HasSubstr("FAST"));
  EXPECT_THAT(ErrorOf({{"options", "SPEED=9..1"}}), HasSubstr("LOW..HIGH"));
  EXPECT_THAT(ErrorOf({{"options", "sysctl:vm.swappiness"}}), HasSubstr("needs its values"));
  EXPECT_THAT(ErrorOf({{"options", "HZ_100,HZ_250"}}), HasSubstr("named twice"));
  EXPECT_THAT(ErrorOf({{"workloads", "sleep"}}), HasSubstr("there are syscall"));
}

TEST_F(KconfigDomainTest, OptionsArePickedBySentenceAndMenuAndThePlanSaysWhich) {
  Open({{"options", "FAST"}, {"about", "faster timers, purple"}});
  EXPECT_TRUE(domain_->SearchSpace().IndexOf("FAST"));
  EXPECT_TRUE(domain_->SearchSpace().IndexOf("Timer frequency"));
  EXPECT_EQ(domain_->SearchSpace().parameters().size(), 2u);
  const auto notes = domain_->PreviewChanges().notes;
  EXPECT_THAT(notes.at(0), HasSubstr("not understood: purple): 1 may change: Timer frequency"));
  EXPECT_EQ(Run(With("Timer frequency", std::string("HZ_100"))).outcome, Outcome::kAccepted);
  Open({{"options", ""}, {"menu", "Speeds"}});
  EXPECT_TRUE(domain_->SearchSpace().IndexOf("SPEED"));
  EXPECT_FALSE(domain_->SearchSpace().IndexOf("FAST"));
  EXPECT_THAT(ErrorOf({{"menu", "Speds"}}), HasSubstr("did you mean \"Speeds\"?"));
  EXPECT_THAT(ErrorOf({{"about", std::string(2000, 'x')}}), HasSubstr("too long"));
}

DomainExam KconfigExam() {
  DomainExam exam;
  exam.entry = Entry();
  exam.options = With({});
  exam.slow_options = {{"memory_mib", "4096"}};
  exam.candidates = 30;
  return exam;
}

// The fake keeps the contract that QEMU keeps.
GuestExam FakeGuestExam() {
  GuestExam exam;
  exam.guest = std::make_unique<FakeGuest>();
  exam.arch = GuestArchNamed("x86_64").value();
  exam.image = Place() / "image";
  EXPECT_TRUE(WriteFileAtomically(exam.image, "CONFIG_A=y\n"));
  return exam;
}

INSTANTIATE_TEST_SUITE_P(Fake, GuestContract, ::testing::Values(&FakeGuestExam));

INSTANTIATE_TEST_SUITE_P(Kconfig, DomainContract, DomainContractCases({{"OnFakes", KconfigExam()}}),
                         NameOfDomainCase);

}  // namespace
}  // namespace hone::kernels

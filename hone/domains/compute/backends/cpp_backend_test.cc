// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/backends/cpp_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>

#include "hone/base/file.h"
#include "hone/base/host.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/compute/backends/backend_contract.h"
#include "hone/domains/compute/backends/build_cache.h"
#include "hone/domains/compute/backends/library_symbols.h"
#include "hone/domains/compute/backends/policy_check.h"
#include "hone/domains/compute/runner/placement.h"

namespace hone::compute {
namespace {

using ::testing::HasSubstr;

constexpr const char* kProblem = R"({"reference":
  "extern \"C\" void kernel(const scalar* x, scalar* out, int64_t n) { for (int64_t i = 0; i < n; ++i) out[i] = 2 * x[i]; }",
  "sizes": ["n"], "shapes": [{"n": 1000}],
  "inputs": [{"name": "x", "dtype": "f32", "shape": ["n"]}],
  "outputs": [{"name": "out", "dtype": "f32", "shape": ["n"]}]})";

std::string Kernel(const std::string& body) {
  return "extern \"C\" void kernel(const float* x, float* out, int64_t n) {\n" + body + "\n}\n";
}

BackendExam ExamOfCpp() {
  BackendExam exam;
  exam.make = CppBackendEntry().make;
  exam.problem_text = kProblem;
  exam.good = Kernel("for (int64_t i = 0; i < n; ++i) out[i] = 2 * x[i];");
  exam.does_not_build = Kernel("out[0] = no_such_thing;");
  exam.complaint = "no_such_thing";
  exam.crashes = Kernel("__builtin_trap();");
  exam.hangs = Kernel("for (;;) asm volatile(\"\");");
  exam.changes_input = Kernel("const_cast<float*>(x)[n - 1] = 7; (void)out;");
  exam.leaves_output = Kernel("(void)x; (void)out; (void)n;");
  return exam;
}

INSTANTIATE_TEST_SUITE_P(Cpp, BackendContract, BackendContractCases({{"Cpp", ExamOfCpp()}}),
                         NameOfBackendCase);

class CppBackendTest : public ::testing::Test {
 protected:
  Result<Build> Compile(const std::string& source) {
    return backend_->Compile(
        {problem_, source, TensorRole::kCandidate, Precision::kDeclared, std::chrono::seconds{20}});
  }

  TempDir cache_ = TempDir::Make("hone-cpp-test").value();
  Problem problem_ = ParseProblem(kProblem, "test").value();
  std::unique_ptr<Backend> backend_ = CppBackendEntry().make(cache_.path()).value();
};

TEST_F(CppBackendTest, FileOfTheMachineCannotBeIncluded) {
  const auto build = Compile("#include \"/etc/shadow\"\n" + Kernel(""));
  ASSERT_TRUE(build) << build.error().message;
  EXPECT_EQ(build->outcome, Outcome::kBuildFailed);
  EXPECT_THAT(build->output, HasSubstr("No such file"));
}

TEST_F(CppBackendTest, FileOfTheMachineCannotBeEmbedded) {
  const auto build = Compile("asm(\".incbin \\\"/etc/shadow\\\"\");\n" + Kernel(""));
  ASSERT_TRUE(build) << build.error().message;
  EXPECT_EQ(build->outcome, Outcome::kBuildFailed);
}

TEST_F(CppBackendTest, CompileBombEndsAtItsLimits) {
  const auto build = Compile(
      "template <int N> struct A { typename A<2 * N>::t a; typename A<2 * N + 1>::t b; };\n"
      "char big[1ull << 33] = {1};\nA<1> bomb;\n" +
      Kernel(""));
  ASSERT_TRUE(build) << build.error().message;
  EXPECT_EQ(build->outcome, Outcome::kBuildFailed);
}

TEST_F(CppBackendTest, FlagThatReadsAFileIsRefused) {
  problem_.policy.flags = {"-fplugin=/tmp/evil.so"};
  const auto fits = backend_->Check(problem_);
  ASSERT_FALSE(fits);
  EXPECT_THAT(fits.error().message, HasSubstr("-fplugin=/tmp/evil.so is not allowed"));
  problem_.policy.flags = {"-ffast-math"};
  EXPECT_TRUE(backend_->Check(problem_));
}

TEST_F(CppBackendTest, CIsAllowedWhereTheProblemSaysSo) {
  problem_.language = "c";
  const auto build = Compile(
      "void kernel(const float* restrict x, float* out, int64_t n) { out[0] = x[0] + n; }\n");
  ASSERT_TRUE(build) << build.error().message;
  EXPECT_EQ(build->outcome, Outcome::kAccepted) << build->output;
}

TEST_F(CppBackendTest, EveryCompilerOfThisMachineCompiles) {
  for (const char* compiler : {"g++", "clang++"}) {
    problem_.backend_options["compiler"] = compiler;
    if (!backend_->Check(problem_)) continue;
    const auto build = Compile(Kernel("out[0] = x[n - 1];"));
    ASSERT_TRUE(build) << build.error().message;
    EXPECT_EQ(build->outcome, Outcome::kAccepted) << build->output;
  }
}

TEST_F(CppBackendTest, WhatAThreadDoesAfterTheAnswerIsAPartOfTheTime) {
  if (AllowedCpus().size() < 2) GTEST_SKIP() << "needs two processors";
  problem_.policy.threads = 2;
  const auto build = Compile(
      "#include <time.h>\n#include <thread>\n"
      "void Work() {\n"
      "  timespec used{};\n"
      "  while (used.tv_nsec < 20'000'000) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);\n}\n" +
      Kernel("out[0] = x[0]; std::thread(Work).detach();"));
  ASSERT_TRUE(build && build->artefact) << (build ? build->reason + build->output : "no build");
  LoadOrder load{problem_, build->artefact};
  load.arena_bytes = 1 << 20;
  load.cpus = AllowedCpus();
  auto loaded = backend_->Load(load);
  ASSERT_TRUE(loaded && loaded->runner);
  const Tensors inputs{Tensor::Zeros({"x", DType::kF32, {64}})};
  const std::vector<TensorSpec> outputs{{"out", DType::kF32, {64}}};
  const std::vector<std::int64_t> sizes{64};
  CallOrder order;
  order.inputs = inputs;
  order.outputs = outputs;
  order.sizes = sizes;
  const auto report = loaded->runner->Call(order);
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_FALSE(report->fault) << report->fault->reason;
  EXPECT_GE(report->time, std::chrono::milliseconds{20});
  EXPECT_LT(report->claimed, report->time);
}

// Calls a kernel whose arrays lie against guards.
class CppGuardTest : public CppBackendTest {
 protected:
  static constexpr std::int64_t kWhole = 1024;  // Ends a page: of 64 bytes, and of 4096.
  static constexpr std::int64_t kRagged = 1000;

  void Load(const std::string& body) {
    const auto build = Compile("#include <csignal>\n" + Kernel(body));
    ASSERT_TRUE(build && build->artefact) << (build ? build->reason + build->output : "no build");
    LoadOrder load{problem_, build->artefact};
    load.arena_bytes = 1 << 20;
    auto loaded = backend_->Load(load);
    ASSERT_TRUE(loaded && loaded->runner);
    runner_ = std::move(loaded->runner);
  }

  CallReport Call(std::int64_t count, bool has_guards = true) {
    const Tensors inputs{Tensor::Zeros({"x", DType::kF32, {count}})};
    const std::vector<TensorSpec> outputs{{"out", DType::kF32, {count}}};
    const std::vector<std::int64_t> sizes{count};
    CallOrder order;
    order.inputs = inputs;
    order.outputs = outputs;
    order.sizes = sizes;
    order.secret = ++calls_;
    order.has_guards = has_guards;
    return runner_->Call(order).value();
  }

  // Why it crashed; what else came of it if it did not.
  std::string DeathOf(const std::string& body, std::int64_t count) {
    Load(body);
    const CallReport report = Call(count);
    if (!report.fault) return "it lives";
    EXPECT_EQ(report.fault->kind, RunnerFault::Kind::kCrashed);
    return report.fault->reason;
  }

  std::unique_ptr<Runner> runner_;
  std::uint64_t calls_ = 0;
};

TEST_F(CppGuardTest, OneElementReadBehindAnInputCrashesAndIsTold) {
  EXPECT_EQ(DeathOf("out[0] = x[n];", kWhole),
            "died by SIGSEGV in call 1: it read or wrote 1 bytes behind the end of x");
}

TEST_F(CppGuardTest, OneElementWrittenBehindAnOutputCrashesAndIsTold) {
  EXPECT_EQ(DeathOf("out[n] = x[0];", kWhole),
            "died by SIGSEGV in call 1: it read or wrote 1 bytes behind the end of out");
}

TEST_F(CppGuardTest, OneElementBeforeAnArrayThatFillsItsPageCrashesAndIsTold) {
  if (PageBytes() != kWhole * sizeof(float)) GTEST_SKIP() << "needs pages of 4096 bytes";
  EXPECT_EQ(DeathOf("out[0] = x[-1];", kWhole),
            "died by SIGSEGV in call 1: it read or wrote 4 bytes before x");
}

TEST_F(CppGuardTest, WhatIsWrittenBetweenAnArrayAndItsGuardIsFound) {
  Load("out[n] = x[0];");
  const CallReport report = Call(kRagged);
  ASSERT_FALSE(report.fault) << report.fault->reason;
  ASSERT_TRUE(report.overrun);
  EXPECT_EQ(report.overrun->array, "out");
  EXPECT_EQ(report.overrun->distance, 0);
  EXPECT_THAT(DeathOf("out[n + 15] = x[0];", kRagged), HasSubstr("behind the end of out"));
}

TEST_F(CppGuardTest, ACrashElsewhereIsNotLaidToAnArray) {
  EXPECT_EQ(DeathOf("*(volatile int*)64 = 1;", kWhole), "died by SIGSEGV in call 1");
  EXPECT_EQ(DeathOf("__builtin_trap();", kWhole).find("read or wrote"), std::string::npos);
}

// Who writes control words is accused of it; an index that is wrong by much does not reach them.
TEST_F(CppGuardTest, WhatIsWrittenFarBeforeAnArrayCrashesAndTouchesNoControlWord) {
  Load("for (long i = 0; i < 1 << 20; ++i) ((volatile float*)out)[-i] = 1;");
  const CallReport report = Call(kWhole, false);
  ASSERT_TRUE(report.fault);
  EXPECT_EQ(report.fault->kind, RunnerFault::Kind::kCrashed) << report.fault->reason;
  EXPECT_EQ(report.fault->reason, "died by SIGSEGV in call 1");
}

TEST_F(CppGuardTest, ASignalThatIsSentEndsTheProcessAsEver) {
  EXPECT_EQ(DeathOf("std::raise(SIGSEGV); out[0] = x[0];", kWhole), "died by SIGSEGV in call 1");
}

TEST_F(CppGuardTest, GuardsAreGoneInTheNextCallWithoutThemAndArraysStayAligned) {
  Load(R"(out[0] = (unsigned long)x % 64 == 0 && (unsigned long)out % 64 == 0 ? 1.f : 0.f;
          if (n == 1000) for (long i = -4096; i < 4096; ++i) (void)*(const volatile char*)((const char*)x + i);)");
  for (int round = 0; round < 4; ++round) {
    const CallReport guarded = Call(kWhole);
    ASSERT_FALSE(guarded.fault) << guarded.fault->reason;
    EXPECT_EQ(ElementAt(guarded.outputs.at(0), 0), 1);
    const CallReport open = Call(kRagged, false);
    ASSERT_FALSE(open.fault) << open.fault->reason;
    EXPECT_EQ(ElementAt(open.outputs.at(0), 0), 1);
  }
}

TEST_F(CppBackendTest, AnArrayMayHaveTheNameOfAFunctionOfTheSystem) {
  const auto build = Compile("float times[64];\n" + Kernel("out[0] = times[n % 64];"));
  ASSERT_TRUE(build) << build.error().message;
  EXPECT_EQ(build->outcome, Outcome::kAccepted) << build->reason;
}

TEST_F(CppBackendTest, SymbolsOfALibraryAreRead) {
  const auto build = Compile("#include <math.h>\n" + Kernel("out[0] = lgammaf(x[n - 1]);"));
  ASSERT_TRUE(build && build->artefact);
  const auto symbols = ReadLibrarySymbols(build->artefact->bytes);
  ASSERT_TRUE(symbols) << symbols.error().message;
  EXPECT_TRUE(symbols->imports.contains("lgammaf"));
  EXPECT_TRUE(symbols->exports.contains("kernel"));
  EXPECT_EQ(BreachOf({}, *symbols), std::nullopt);
}

TEST(LibrarySymbolsTest, CutAndScrambledFilesAreErrorsOrHarmless) {
  const std::string file = ReadFile("/proc/self/exe", 1 << 30).value();
  for (std::size_t bytes = 0; bytes < file.size(); bytes += file.size() / 50 + 1) {
    (void)ReadLibrarySymbols(std::string_view(file).substr(0, bytes)).has_value();
  }
  std::string scrambled = file.substr(0, 1 << 16);
  for (std::size_t i = 40; i < scrambled.size(); i += 3) scrambled[i] = static_cast<char>(i * 31);
  (void)ReadLibrarySymbols(scrambled).has_value();
  EXPECT_FALSE(ReadLibrarySymbols("not ELF"));
}

TEST(BuildCacheTest, BuildSurvivesTheProcess) {
  const TempDir folder = TempDir::Make().value();
  BuildCache(folder.path()).Keep("key", {true, "a warning", "library"});
  const auto found = BuildCache(folder.path()).Find("key");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->output, "a warning");
  EXPECT_EQ(found->library, "library");
  EXPECT_EQ(BuildCache(folder.path()).Find("other"), nullptr);
}

TEST(BuildCacheTest, DamagedFileCountsAsAbsent) {
  const TempDir folder = TempDir::Make().value();
  BuildCache first(folder.path());
  first.Keep("key", {true, "", std::string(1000, 'x')});
  const std::string whole = ReadFile(first.FileOf("key")).value();
  for (const std::size_t at : {std::size_t{3}, whole.size() / 2, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] ^= 1;
    std::ofstream(first.FileOf("key")) << damaged;
    EXPECT_EQ(BuildCache(folder.path()).Find("key"), nullptr) << at;
  }
  std::ofstream(first.FileOf("key")) << whole.substr(0, whole.size() / 2);
  EXPECT_EQ(BuildCache(folder.path()).Find("key"), nullptr);
}

// FNV-1a, which other digests of ours are, is the same of these two.
TEST(BuildCacheTest, WhoFindsAnotherKeyOfAShortHashReplacesNoBuild) {
  const TempDir folder = TempDir::Make().value();
  BuildCache(folder.path()).Keep("8yn0iYCKYHlIj4-BwPqk", {true, "", "library"});
  BuildCache(folder.path()).Keep("GReLUrM4wMqfg9yzV3KQ", {true, "", "other"});
  EXPECT_NE(BuildCache(folder.path()).Find("8yn0iYCKYHlIj4-BwPqk"), nullptr);
}

TEST(BuildCacheTest, FileOfAnotherKeyIsNotTaken) {
  const TempDir folder = TempDir::Make().value();
  BuildCache cache(folder.path());
  cache.Keep("key", {true, "", "library"});
  std::filesystem::rename(cache.FileOf("key"), cache.FileOf("kex"));
  EXPECT_EQ(BuildCache(folder.path()).Find("kex"), nullptr);
}

TEST(BuildCacheTest, OldestFilesGoWhenThereIsNoRoom) {
  const TempDir folder = TempDir::Make().value();
  BuildCache cache(folder.path(), {20'000, 5'000});
  for (int i = 0; i < 100; ++i) {
    cache.Keep("key " + std::to_string(i), {true, "", std::string(1000, 'x')});
  }
  std::uintmax_t files = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(folder.path())) {
    ++files;
  }
  EXPECT_LT(files, 60U);
}

TEST(PolicyCheckTest, WhatThePolicyForbidsIsNamed) {
  LibrarySymbols symbols;
  symbols.imports = {"memcpy", "expf"};
  symbols.libraries = {"libc.so.6", "libm.so.6"};
  EXPECT_EQ(BreachOf({}, symbols), std::nullopt);
  symbols.imports.insert(
      "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_"
      "deleteIS1_EEPFvvE");
  EXPECT_THAT(BreachOf({}, symbols).value_or(""), HasSubstr("std::thread::_M_start_thread;"));
  symbols.imports = {"pthread_create"};
  EXPECT_THAT(BreachOf({}, symbols).value_or(""), HasSubstr("pthread_create"));
  Policy threads;
  threads.threads = 2;
  EXPECT_EQ(BreachOf(threads, symbols), std::nullopt);
  symbols.libraries.insert("libopenblas.so.0");
  EXPECT_THAT(BreachOf(threads, symbols).value_or(""), HasSubstr("libopenblas"));
  threads.libraries = true;
  EXPECT_EQ(BreachOf(threads, symbols), std::nullopt);
}

}  // namespace
}  // namespace hone::compute

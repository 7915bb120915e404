// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/backends/torch_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "hone/base/json/json.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/compute/backends/python_torch.h"
#include "hone/domains/compute/judged_for_test.h"
#include "hone/sandbox/protections.h"

namespace hone::compute {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kReference = R"(
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, 8)

    def forward(self, x, scale):
        return torch.relu(self.linear(x)) * scale

def get_inputs():
    return [torch.randn(16, 32), 1.5]

def get_init_inputs():
    return [32]
)";

constexpr const char* kRight = R"(
import torch
import torch.nn as nn

class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, 8)

    def forward(self, x, scale):
        out = torch.addmm(self.linear.bias, x, self.linear.weight.t())
        return out.clamp_(min=0).mul_(scale)
)";

// A candidate whose forward is this.
std::string Candidate(const std::string& body) {
  return std::string("import torch\nimport torch.nn as nn\n\nclass ModelNew(nn.Module):\n") +
         "    def __init__(self, features):\n        super().__init__()\n" +
         "        self.linear = nn.Linear(features, 8)\n\n" + "    def forward(self, x, scale):\n" +
         "        " + body + "\n";
}

class TorchBackendTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto python = FindPythonTorch();
    if (!python) GTEST_SKIP() << python.error().message;
  }

  static RunResult JudgeAgainst(const std::string& reference, const std::string& source,
                                std::chrono::milliseconds limit = kRunLimit) {
    const Json problem = {{"name", "linear_relu"},
                          {"backend", "torch"},
                          {"entry_point", "Model"},
                          {"reference", reference}};
    JudgeOrder order{"", source};
    order.options = {{"problem_text", Dump(problem)}, {"samples", "20"}};
    order.limit = limit;
    return Judged(order);
  }
  static RunResult Judge(const std::string& source) { return JudgeAgainst(kReference, source); }
};

TEST_F(TorchBackendTest, RightModelIsAcceptedWithItsTimes) {
  const RunResult result = Judge(kRight);
  ASSERT_EQ(result.outcome, Outcome::kAccepted) << Told(result);
  EXPECT_GT(result.sample.metrics.at("time").value, 0);
  EXPECT_GT(result.sample.metrics.at("reference_time").value, 0);
  EXPECT_THAT(TextOf(result, "correctness"), HasSubstr("\"passed\":5"));
}

TEST_F(TorchBackendTest, WrongModelIsToldTheFirstDifference) {
  const RunResult result = Judge(Candidate("return torch.relu(self.linear(x))"));
  EXPECT_EQ(result.outcome, Outcome::kWrong) << Told(result);
  EXPECT_THAT(TextOf(result, "difference"), HasSubstr("expected"));
}

TEST_F(TorchBackendTest, WrongShapeAndWrongTypeAreWrong) {
  const RunResult shape = Judge(Candidate("return (torch.relu(self.linear(x)) * scale)[:8]"));
  EXPECT_EQ(shape.outcome, Outcome::kWrong) << Told(shape);
  EXPECT_THAT(shape.reason, HasSubstr("expected f32 of shape [16, 8], found f32 of shape [8, 8]"));
  const RunResult type = Judge(Candidate("return (torch.relu(self.linear(x)) * scale).double()"));
  EXPECT_EQ(type.outcome, Outcome::kWrong) << Told(type);
  EXPECT_THAT(type.reason, HasSubstr("expected f32 of shape [16, 8], found f64 of shape [16, 8]"));
  EXPECT_THAT(TextOf(type, "phases"), HasSubstr("\"failed_in\":\"correctness\""));
}

TEST_F(TorchBackendTest, OutputsThatClaimMoreThanTheyMayHaveAreNotCopied) {
  const RunResult result = Judge(std::string(R"(import __main__

def give(self, tensors):
    block = self.block
    for i in range(40):
        entry = block.tensors[block.inputs + i]
        entry.offset, entry.bytes = tensors[0].data_ptr(), block.free_bytes
        entry.dtype, entry.rank = 6, 1
        entry.shape[0] = block.free_bytes
    block.outputs = 40

__main__.SharedMemory.give = give
)") + Candidate("return x"));
  EXPECT_EQ(result.outcome, Outcome::kCheated) << Told(result);
  EXPECT_THAT(Told(result), HasSubstr("together larger than they may be"));
}

TEST_F(TorchBackendTest, OutputsWhereNothingCanBeReadAreForged) {
  const RunResult result = Judge(std::string(R"(import __main__
usual = __main__.SharedMemory.give

def give(self, tensors):
    usual(self, tensors)
    self.block.tensors[self.block.inputs].offset = 4096

__main__.SharedMemory.give = give
)") + Candidate("return torch.relu(self.linear(x)) * scale"));
  EXPECT_EQ(result.outcome, Outcome::kCheated) << Told(result);
  EXPECT_THAT(Told(result), HasSubstr("nothing can be read where they are said to be"));
}

TEST_F(TorchBackendTest, AProcessThatMakesItselfUnreadableIsReadAllTheSame) {
  const RunResult result =
      Judge(std::string("import ctypes\n") +
            "prctl = ctypes.CDLL(None).prctl\n"
            "assert prctl(4, 0, 0, 0, 0) == 0 and prctl(3, 0, 0, 0, 0) == 0\n" +
            Candidate("return torch.relu(self.linear(x)) * scale"));
  EXPECT_EQ(result.outcome, Outcome::kAccepted) << Told(result);
}

TEST_F(TorchBackendTest, ViewsComeOutAsTheirValues) {
  const auto model = [](const std::string& name, const std::string& outputs) {
    return "import torch\nclass " + name + "(torch.nn.Module):\n    def forward(self, x):\n" +
           "        return " + outputs + "\n";
  };
  const std::string reference =
      model("Model",
            "(x.t().contiguous(), x[:, 1::2].clone(), x[0].repeat(4, 1), -x, x[:0].clone(), "
            "x.clone(), x.bool(), x.shape[1])") +
      "def get_inputs():\n    return [torch.randn(6, 8)]\n";
  const RunResult result = JudgeAgainst(
      reference, model("ModelNew",
                       "[x.t(), x[:, 1::2], x[0].expand(4, 8), torch._neg_view(x), x[:0], x, "
                       "x.t().bool().t(), 8]"));
  EXPECT_EQ(result.outcome, Outcome::kAccepted) << Told(result);
}

TEST_F(TorchBackendTest, AnOutputThatIsNoMemoryHereIsAnException) {
  const RunResult result = Judge(Candidate("return torch.empty(16, 8, device='meta')"));
  EXPECT_EQ(result.outcome, Outcome::kCrashed) << Told(result);
  EXPECT_THAT(Told(result), HasSubstr("on the device meta cannot be compared"));
}

TEST_F(TorchBackendTest, LargeOutputOfAnotherShapeIsToldWithoutItsValues) {
  const RunResult result = Judge(Candidate("return torch.zeros(256 << 20, dtype=torch.uint8)"));
  EXPECT_EQ(result.outcome, Outcome::kWrong) << Told(result);
  EXPECT_THAT(result.reason, HasSubstr("expected f32 of shape [16, 8], found u8 of shape "
                                       "[268435456]"));
}

// A reference that draws in every call, as a layer of dropout does.
constexpr const char* kDropout = R"(
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.dropout(x, 0.5)
def get_inputs():
    return [torch.rand(64, 64) + 1]
)";

// A candidate for it, whose forward is this.
std::string Dropping(const std::string& body) {
  return "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n        " +
         body + "\n";
}

Result<std::unique_ptr<Runner>> LoadDropout(Backend& backend, const Problem& problem) {
  const auto build = backend.Compile(
      {problem, Dropping("return torch.nn.functional.dropout(x, 0.5)"), TensorRole::kCandidate});
  if (!build) return build.error();
  LoadOrder order{problem, build->artefact};
  order.arena_bytes = 8 << 20;
  auto loaded = backend.Load(order);
  if (!loaded) return loaded.error();
  return std::move(loaded->runner);
}

TEST_F(TorchBackendTest, WhatIsDrawnFollowsFromTheSeedOfTheCallAndFromNothingElse) {
  const auto cache = TempDir::Make("hone-torch-test").value();
  const auto backend = TorchBackendEntry().make(cache.path()).value();
  const Json text = {
      {"name", "dropout"}, {"backend", "torch"}, {"entry_point", "Model"}, {"reference", kDropout}};
  const Problem problem = ParseProblem(Dump(text), "dropout").value();
  const auto one = LoadDropout(*backend, problem);
  const auto other = LoadDropout(*backend, problem);
  ASSERT_TRUE(one && *one && other && *other);
  Tensors inputs{Tensor::Zeros({"x", DType::kF32, {64, 64}})};
  std::ranges::fill(inputs[0].As<float>(), 1.0F);
  const auto call = [&](Runner& runner, std::uint64_t seed) {
    CallOrder order;
    order.inputs = inputs;
    order.seed = seed;
    return runner.Call(order).value().outputs.at(0).bytes;
  };
  const auto drawn = call(**one, 1);
  EXPECT_EQ(call(**other, 1), drawn);
  EXPECT_NE(call(**one, 2), drawn);
  EXPECT_EQ(call(**one, 1), drawn);
}

// The judge, which copies the outputs by nobody's clock, would do the repeating.
TEST_F(TorchBackendTest, AnOutputThatIsOnePieceOfMemoryManyTimesIsNoAnswer) {
  const std::string reference =
      "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n"
      "        return x.relu().repeat(8)\n\n\ndef get_inputs():\n"
      "    return [torch.randn(1 << 12)]\n\n\ndef get_init_inputs():\n    return []\n";
  const std::string aliased = R"(import ctypes
import os
import torch

BYTES, TIMES = 4 << 12, 8
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int,
                      ctypes.c_long]


def tensor_at(address, count):
    buffer = (ctypes.c_char * (4 * count)).from_address(address)
    return torch.frombuffer(buffer, dtype=torch.float32, count=count)


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        file = os.open("once", os.O_RDWR | os.O_CREAT)
        os.ftruncate(file, BYTES)
        base = libc.mmap(None, TIMES * BYTES, 0, 0x22, -1, 0)
        for i in range(TIMES):
            libc.mmap(base + i * BYTES, BYTES, 3, 0x11, file, 0)
        self.once = tensor_at(base, BYTES // 4)
        self.whole = tensor_at(base, TIMES * BYTES // 4)

    def forward(self, x):
        torch.clamp(x, min=0, out=self.once)
        return self.whole
)";
  const RunResult result = JudgeAgainst(reference, aliased);
  EXPECT_EQ(result.outcome, Outcome::kCheated) << Told(result);
  EXPECT_THAT(result.reason, HasSubstr("mapped several times"));
}

TEST_F(TorchBackendTest, AMaskThatIsKeptFromCallToCallIsWrong) {
  const RunResult honest =
      JudgeAgainst(kDropout, Dropping("return torch.nn.functional.dropout(x, 0.5)"));
  EXPECT_EQ(honest.outcome, Outcome::kAccepted) << Told(honest);
  const RunResult keeper = JudgeAgainst(
      kDropout,
      Dropping("self.mask = getattr(self, 'mask', None)\n"
               "        if self.mask is None:\n"
               "            self.mask = torch.nn.functional.dropout(torch.ones_like(x), 0.5)\n"
               "        return x * self.mask"));
  EXPECT_EQ(keeper.outcome, Outcome::kWrong) << Told(keeper);
}

// KernelGYM's cases_code.
constexpr const char* kCases = R"(
import torch

def get_cases():
    x = torch.randn(4, 8)
    return [{'inputs': [x, 2.0], 'outputs': [x * 2.0]},
            {'input': [x + 1, 3.0], 'output': x * 3.0 + 3.0, 'rtol': 1e-3}]
)";

RunResult JudgeWithCases(const std::string& cases, const std::string& body) {
  const Json problem = {{"name", "scale"},
                        {"backend", "torch"},
                        {"workflow", "kernel_simple"},
                        {"entry_point", "ModelNew"},
                        {"reference", cases}};
  JudgeOrder order{"", "import torch\nclass ModelNew(torch.nn.Module):\n" +
                           std::string("    def forward(self, x, scale):\n        ") + body + "\n"};
  order.options = {{"problem_text", Dump(problem)}, {"samples", "5"}};
  return Judged(order);
}

TEST_F(TorchBackendTest, CasesAreMadeByTheProblemsOwnCode) {
  const RunResult right = JudgeWithCases(kCases, "return x * scale");
  ASSERT_EQ(right.outcome, Outcome::kAccepted) << Told(right);
  EXPECT_THAT(TextOf(right, "correctness"), HasSubstr("\"passed\":2"));
  const RunResult wrong = JudgeWithCases(kCases, "return x * 2.0");
  EXPECT_EQ(wrong.outcome, Outcome::kWrong) << Told(wrong);
  EXPECT_THAT(TextOf(wrong, "difference"), HasSubstr("case 1"));
}

TEST_F(TorchBackendTest, ACandidateDoesNotSeeTheCases) {
  const RunResult peek =
      JudgeWithCases(kCases, "import sys; return sys.modules['hone_reference'].get_cases()");
  EXPECT_EQ(peek.outcome, Outcome::kCrashed) << Told(peek);
  EXPECT_THAT(Told(peek), HasSubstr("KeyError"));
}

TEST_F(TorchBackendTest, CasesThatCannotBeMadeAreTheProblemsFault) {
  const RunResult none = JudgeWithCases("def get_cases():\n    return []\n", "return x");
  EXPECT_EQ(none.outcome, Outcome::kRejected) << Told(none);
  EXPECT_THAT(none.reason, HasSubstr("gives no case"));
}

TEST_F(TorchBackendTest, SyntaxErrorComesBackWithItsLine) {
  const RunResult result = Judge("class ModelNew(:\n  pass\n");
  EXPECT_EQ(result.outcome, Outcome::kBuildFailed);
  EXPECT_THAT(TextOf(result, "compiler output"), HasSubstr("line 1"));
}

TEST_F(TorchBackendTest, MissingClassIsNamed) {
  const RunResult result = Judge("import torch\nclass Other(torch.nn.Module):\n    pass\n");
  EXPECT_EQ(result.outcome, Outcome::kBuildFailed);
  EXPECT_THAT(result.reason, HasSubstr("defines no class ModelNew"));
}

TEST_F(TorchBackendTest, ModuleThatDoesNotLoadHasNotBeenBuilt) {
  const RunResult result = Judge("import no_such_module\nclass ModelNew:\n    pass\n");
  EXPECT_EQ(result.outcome, Outcome::kBuildFailed) << Told(result);
  EXPECT_THAT(Told(result), HasSubstr("No module named 'no_such_module'"));
}

TEST_F(TorchBackendTest, ExceptionIsToldWithItsTraceback) {
  const RunResult result = Judge(Candidate("return torch.nonsense(x)"));
  EXPECT_EQ(result.outcome, Outcome::kCrashed) << Told(result);
  EXPECT_THAT(TextOf(result, "exception"), HasSubstr("has no attribute 'nonsense'"));
  EXPECT_THAT(TextOf(result, "exception"), HasSubstr("hone_candidate.py"));
  EXPECT_THAT(TextOf(result, "exception"), Not(HasSubstr("torch_runner.py")));
  EXPECT_THAT(result.reason, HasSubstr("threw an exception: AttributeError: module 'torch'"));
  EXPECT_THAT(result.reason, Not(HasSubstr("\n")));
}

TEST_F(TorchBackendTest, OwnFramesComeBeforeThoseOfLibrariesAndRepeatedOnesAreToldOnce) {
  const RunResult wide = Judge(Candidate("return self.linear(x[:, :8])"));
  const std::string told = TextOf(wide, "exception");
  EXPECT_LT(told.find("hone_candidate.py"), told.find("In libraries:")) << told;
  EXPECT_THAT(told, HasSubstr("return self.linear(x[:, :8])"));
  const RunResult deep = Judge(Candidate("return self.forward(x, scale)"));
  EXPECT_THAT(deep.reason, HasSubstr("RecursionError"));
  EXPECT_THAT(TextOf(deep, "exception"), HasSubstr("[Previous line repeated"));
  EXPECT_LT(TextOf(deep, "exception").size(), 4000U);
}

TEST_F(TorchBackendTest, LongMessageLeavesRoomForItsPlace) {
  const RunResult result = Judge(Candidate("raise ValueError('x' * 1000000)"));
  EXPECT_THAT(TextOf(result, "exception"), HasSubstr("hone_candidate.py"));
}

TEST_F(TorchBackendTest, ExceededMemoryIsNamed) {
  const RunResult result =
      Judge(Candidate("k = []\n        while True: k.append(torch.ones(1 << 24))"));
  EXPECT_EQ(result.outcome, Outcome::kCrashed) << Told(result);
  EXPECT_THAT(Told(result), ::testing::AnyOf(HasSubstr("policy.memory_mib is 1024"),
                                             HasSubstr("not enough memory")));
}

TEST_F(TorchBackendTest, ExitOfThePythonIsACrash) {
  EXPECT_EQ(Judge(Candidate("import os; os._exit(0)")).outcome, Outcome::kCrashed);
}

TEST_F(TorchBackendTest, EndlessLoopTimesOut) {
  const RunResult result =
      JudgeAgainst(kReference, Candidate("while True: pass"), std::chrono::seconds{20});
  EXPECT_EQ(result.outcome, Outcome::kTimedOut) << Told(result);
}

TEST_F(TorchBackendTest, NestedOutputsAreComparedOneByOne) {
  const std::string reference = R"(
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1, {"max": x.max(), "parts": [x * 2, x.argmax()]}
def get_inputs():
    return [torch.randn(8, 8)]
def get_init_inputs():
    return []
)";
  std::string right = reference;
  right.replace(right.find("class Model("), 12, "class ModelNew(");
  const RunResult result = JudgeAgainst(reference, right);
  EXPECT_EQ(result.outcome, Outcome::kAccepted) << Told(result);
  std::string wrong = right;
  wrong.replace(wrong.find("x * 2"), 5, "x * 3");
  EXPECT_EQ(JudgeAgainst(reference, wrong).outcome, Outcome::kWrong);
}

TEST_F(TorchBackendTest, ArraysMayBeLarge) {
  const std::string reference =
      "import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n"
      "        return x.view(-1, 1000)[:, 7].clone()\n"
      "def get_inputs():\n    return [torch.randint(0, 9, (1,)) + torch.arange(36_000_000)]\n";
  const std::string candidate =
      "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n"
      "        return x[7::1000].clone()\n";
  const Json problem = {
      {"name", "large"}, {"backend", "torch"}, {"entry_point", "Model"}, {"reference", reference}};
  JudgeOrder order{"", candidate};
  order.options = {{"problem_text", Dump(problem)}, {"samples", "0"}, {"trials", "1"}};
  const RunResult result = Judged(order);
  EXPECT_EQ(result.outcome, Outcome::kAccepted) << result.reason;
}

TEST_F(TorchBackendTest, BrokenReferenceIsNotChargedToTheCandidate) {
  const RunResult result = JudgeAgainst(
      "import torch\nclass Model(torch.nn.Module):\n    def forward(self, x): return x.nonsense()\n"
      "def get_inputs(): return [torch.ones(4)]\ndef get_init_inputs(): return []\n",
      "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x): return x\n");
  EXPECT_EQ(result.outcome, Outcome::kRejected) << Told(result);
  EXPECT_THAT(result.reason, HasSubstr("reference"));
}

TEST_F(TorchBackendTest, WhatAReferenceMakesOnItsWayFitsItsHigherPrecision) {
  std::string reference = kReference;
  const std::string plain = "self.linear(x)) * scale";
  reference.replace(
      reference.find(plain), plain.size(),
      "self.linear(x) + torch.matmul(torch.ones(16, 32), self.linear.weight.t())) * scale");
  const RunResult result = JudgeAgainst(
      reference,
      Candidate("return torch.relu(self.linear(x) + self.linear.weight.sum(1)) * scale"));
  EXPECT_EQ(result.outcome, Outcome::kAccepted) << result.reason;
}

TEST_F(TorchBackendTest, ThreadsThatASourceSetsHoldForNoCall) {
  const RunResult result = Judge(
      "import torch\ntorch.set_num_threads(4)\n" +
      Candidate(
          "one = torch.get_num_threads() == 1 and torch.get_num_interop_threads() == 1\n"
          "        torch.set_num_threads(1)\n"
          "        return torch.relu(self.linear(x)) * scale if one else torch.zeros(16, 8)"));
  EXPECT_EQ(result.outcome, Outcome::kAccepted) << Told(result);
}

TEST_F(TorchBackendTest, MoreThreadsThanThePolicyAllowsAreCounted) {
  if (!ProbeProtections().Has(Protection::kProcessLimit)) {
    GTEST_SKIP() << "this machine does not count processes";
  }
  const RunResult result =
      Judge(Candidate("torch.set_num_threads(4)\n"
                      "        torch.randn(1 << 20).exp_().sum()\n"
                      "        return torch.relu(self.linear(x)) * scale"));
  EXPECT_EQ(result.outcome, Outcome::kCheated) << Told(result);
}

TEST_F(TorchBackendTest, InputThatWasChangedIsSeen) {
  const RunResult result =
      Judge(Candidate("x.mul_(2); return torch.relu(self.linear(x / 2)) * scale"));
  EXPECT_NE(result.outcome, Outcome::kAccepted) << Told(result);
}

TEST_F(TorchBackendTest, PatchedClocksAndCheckersGainNothing) {
  const RunResult result = Judge(std::string("import time, torch\n") +
                                 "time.monotonic_ns = lambda: 0\n"
                                 "time.perf_counter = lambda: 0.0\n"
                                 "torch.allclose = lambda *a, **k: True\n" +
                                 Candidate("return torch.zeros(16, 8)"));
  EXPECT_EQ(result.outcome, Outcome::kWrong) << Told(result);
}

}  // namespace
}  // namespace hone::compute

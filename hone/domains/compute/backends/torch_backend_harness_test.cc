// SPDX-License-Identifier: Apache-2.0
// The harness of PyTorch sources with a stand-in for PyTorch, so that these hold where there is
// none.
#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "hone/base/process/subprocess.h"
#include "hone/base/temp_dir.h"

namespace hone::compute {
namespace {

using ::testing::HasSubstr;

// Loads a candidate beside its reference as the runner does, with three threads, and lets the body
// go on with `source` and `torch`, which says what was set last.
constexpr const char* kBegin = R"(
import importlib.util, os, sys, types
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("torch_runner", sys.argv[1])
runner = importlib.util.module_from_spec(spec)
spec.loader.exec_module(runner)
os.chdir(sys.argv[2])  # Sources become files there.

torch = types.ModuleType("torch")
torch.threads = torch.interop = None
def set_num_threads(count):
    torch.threads = count
def set_num_interop_threads(count):
    if torch.interop is not None:
        raise RuntimeError("the number of inter-op threads is set already")
    torch.interop = count
torch.set_num_threads, torch.set_num_interop_threads = set_num_threads, set_num_interop_threads
torch.manual_seed = lambda seed: None
sys.modules["torch"] = torch

def load(candidate, role="candidate"):
    return runner.Source({"reference": "class Model:\n    pass\n", "source": candidate, "role": role,
                          "precision": "declared", "threads": 3,
                          "model": "ModelNew" if role == "candidate" else "Model"}, torch)
)";

std::string Said(const std::string& body) {
  const TempDir folder = TempDir::Make("hone-harness").value();
  Command command;
  const std::string harness = HONE_SOURCE_DIR "/harness/torch_runner.py";
  command.arguments = {"/usr/bin/python3", "-c", kBegin + body, harness, folder.path()};
  command.limit = std::chrono::minutes(1);
  const auto result = RunProcess(command);
  EXPECT_TRUE(result) << result.error().message;
  return result ? result->output + result->errors : "";
}

class TorchHarnessTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::access("/usr/bin/python3", X_OK) != 0) GTEST_SKIP() << "needs /usr/bin/python3";
  }
};

TEST_F(TorchHarnessTest, BothSidesHaveTheThreadsOfThePolicy) {
  EXPECT_EQ(Said(R"(
load("class ModelNew:\n    pass\n")
print(torch.threads, torch.interop)
torch.threads = torch.interop = None
load("", "reference").arm()
print(torch.threads, torch.interop)
)"),
            "3 3\n3 3\n");
}

TEST_F(TorchHarnessTest, WhatASourceSetsWhenItIsLoadedOrCalledHoldsForNoLaterCall) {
  EXPECT_EQ(Said(R"(
source = load("""
import torch
torch.set_num_threads(7)
class ModelNew:
    def __init__(self):
        torch.set_num_threads(8)
    def __call__(self):
        torch.set_num_threads(9)
""")
source.arm()
print(torch.threads)
source.model()
source.arm()
print(torch.threads)
)"),
            "3\n3\n");
}

TEST_F(TorchHarnessTest, InterOpThreadsCannotBeSetAgain) {
  EXPECT_THAT(Said(R"(load("import torch\ntorch.set_num_interop_threads(8)\n"))"),
              HasSubstr("is set already"));
}

}  // namespace
}  // namespace hone::compute

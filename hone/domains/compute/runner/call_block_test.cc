// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/runner/call_block.h"

#include <gmock/gmock.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "hone/base/json/json.h"
#include "hone/base/process/subprocess.h"
#include "hone/domains/compute/runner/load_message.h"

namespace hone::compute {
namespace {

namespace attacker {
#include "tests/cheats/kernels/find_block.inc"
}  // namespace attacker

using Place = std::pair<std::size_t, std::size_t>;  // Offset and size.
using Layout = std::map<std::string, Place>;

#define HONE_PLACE(type, field) \
  Layout::value_type(#field, Place(offsetof(type, field), sizeof(type::field)))

Layout BlockLayout() {
  // Does not compile when a field is added that the list below lacks.
  [[maybe_unused]] const auto count = [](const CallBlock& block) {
    [[maybe_unused]] const auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15,
                                  f16, f17, f18, f19, f20, f21, f22] = block;
  };
  return {HONE_PLACE(CallBlock, magic),        HONE_PLACE(CallBlock, version),
          HONE_PLACE(CallBlock, turn),         HONE_PLACE(CallBlock, answer),
          HONE_PLACE(CallBlock, judge_sleeps), HONE_PLACE(CallBlock, what),
          HONE_PLACE(CallBlock, inputs),       HONE_PLACE(CallBlock, outputs),
          HONE_PLACE(CallBlock, sizes),        HONE_PLACE(CallBlock, size),
          HONE_PLACE(CallBlock, stack_shift),  HONE_PLACE(CallBlock, seed),
          HONE_PLACE(CallBlock, free_bytes),   HONE_PLACE(CallBlock, began_ns),
          HONE_PLACE(CallBlock, ended_ns),     HONE_PLACE(CallBlock, error_bytes),
          HONE_PLACE(CallBlock, error),        HONE_PLACE(CallBlock, tensors),
          HONE_PLACE(CallBlock, guards),       HONE_PLACE(CallBlock, guard_bytes),
          HONE_PLACE(CallBlock, guard),        HONE_PLACE(CallBlock, fault_offset)};
}

Layout TensorLayout() {
  [[maybe_unused]] const auto count = [](const BlockTensor& tensor) {
    [[maybe_unused]] const auto& [f1, f2, f3, f4, f5] = tensor;
  };
  return {HONE_PLACE(BlockTensor, offset), HONE_PLACE(BlockTensor, bytes),
          HONE_PLACE(BlockTensor, dtype), HONE_PLACE(BlockTensor, rank),
          HONE_PLACE(BlockTensor, shape)};
}

// Loads the harness as a module, which imports no PyTorch, and prints what it takes the layout for.
constexpr const char* kPrintLayout = R"(
import ctypes, importlib.util, json, sys
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("torch_runner", sys.argv[1])
runner = importlib.util.module_from_spec(spec)
spec.loader.exec_module(runner)
told = {name: value for name, value in vars(runner).items() if isinstance(value, int)}
told["LOAD_MESSAGE"] = runner.LOAD_MESSAGE.size
for kind in (runner.BlockTensor, runner.CallBlock):
    told[kind.__name__] = {
        "size": ctypes.sizeof(kind),
        "fields": {name: [getattr(kind, name).offset, getattr(kind, name).size]
                   for name, _ in kind._fields_ if not name.startswith("_")}}
print(json.dumps(told))
)";

Layout LayoutOf(const Json& fields) {
  Layout layout;
  for (const auto& [name, place] : fields.items()) layout[name] = place.get<Place>();
  return layout;
}

TEST(CallBlockTest, HarnessInPythonHasTheSameLayout) {
  if (::access("/usr/bin/python3", X_OK) != 0) GTEST_SKIP() << "needs /usr/bin/python3";
  Command command;
  command.arguments = {"/usr/bin/python3", "-c", kPrintLayout,
                       HONE_SOURCE_DIR "/harness/torch_runner.py"};
  command.limit = std::chrono::minutes(1);
  const auto result = RunProcess(command);
  ASSERT_TRUE(result) << result.error().message;
  const auto told = ParseJson(result->output, "layout");
  ASSERT_TRUE(told) << told.error().message << "\n" << result->errors;

  EXPECT_EQ(LayoutOf(told->at("CallBlock").at("fields")), BlockLayout());
  EXPECT_EQ(LayoutOf(told->at("BlockTensor").at("fields")), TensorLayout());
  EXPECT_EQ(told->at("CallBlock").at("size"), sizeof(CallBlock));
  EXPECT_EQ(told->at("BlockTensor").at("size"), sizeof(BlockTensor));
  const std::map<std::string, std::uint64_t> numbers = {{"BLOCK_VERSION", kBlockVersion},
                                                        {"TURN_REST", kTurnRest},
                                                        {"TURN_ARM", kTurnArm},
                                                        {"TURN_CALL", kTurnCall},
                                                        {"TURN_END", kTurnEnd},
                                                        {"ANSWER_NONE", kAnswerNone},
                                                        {"ANSWER_READY", kAnswerReady},
                                                        {"ANSWER_DONE", kAnswerDone},
                                                        {"ANSWER_FAILED", kAnswerFailed},
                                                        {"CALL_KERNEL", kCallKernel},
                                                        {"CALL_NOTHING", kCallNothing},
                                                        {"MOST_TENSORS", kMaxTensors},
                                                        {"MOST_GUARDS", kMaxGuards},
                                                        {"MOST_DIMENSIONS", kMaxDimensions},
                                                        {"SPARSE_BYTES", kSparseBytes},
                                                        {"CALL_MAKE_INPUTS", kCallMakeInputs},
                                                        {"LOAD_MAGIC", kLoadMagic},
                                                        {"LOAD_MESSAGE", sizeof(LoadMessage)},
                                                        {"ERROR_BYTES", sizeof(CallBlock::error)}};
  for (const auto& [name, value] : numbers) EXPECT_EQ(told->value(name, Json()), value) << name;
}

// Else the attacks would write elsewhere, and be harmless without being caught.
TEST(CallBlockTest, AttacksKnowTheLayout) {
  EXPECT_EQ(attacker::kTurn, offsetof(CallBlock, turn));
  EXPECT_EQ(attacker::kAnswer, offsetof(CallBlock, answer));
  EXPECT_EQ(attacker::kSleeps, offsetof(CallBlock, judge_sleeps));
  EXPECT_EQ(attacker::kWhat, offsetof(CallBlock, what));
  EXPECT_EQ(attacker::kSize, offsetof(CallBlock, size));
  EXPECT_EQ(attacker::kClocks, offsetof(CallBlock, began_ns));
  EXPECT_EQ(attacker::kTensors, offsetof(CallBlock, tensors));
  EXPECT_EQ(attacker::kEntry, sizeof(BlockTensor));
}

}  // namespace
}  // namespace hone::compute

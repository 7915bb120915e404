// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/task_for_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "hone/base/temp_dir.h"
#include "hone/domains/compute/compute_options.h"

namespace hone::compute {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kDocument = R"({"name": "own", "reference_file": "reference.cc",
  "sizes": ["n"], "shapes": [{"n": 4}],
  "inputs": [{"name": "x", "dtype": "f32", "shape": ["n"]}],
  "outputs": [{"name": "out", "dtype": "f32", "shape": ["n"]}]})";

class TaskForKernelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Write("kernel.cc", "// A kernel.");
    Write("reference.cc", "// A secret of this folder.");
    Write("problem.json", kDocument);
  }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() / name) << text;
  }
  fs::path At(const std::string& name) const { return folder_.path() / name; }

  Result<Task> TaskOf(const std::string& problem) {
    KernelOrder order;
    order.file = At("kernel.cc");
    order.problem = problem;
    return TaskForKernel(order);
  }
  std::string Complaint() {
    const auto task = TaskOf(folder_.path());
    return task ? "" : task.error().message;
  }

  const TempDir folder_ = TempDir::Make("hone-task-for-kernel").value();
};

TEST_F(TaskForKernelTest, FolderWithAReferenceFileTravelsAsText) {
  const auto task = TaskOf(folder_.path());
  ASSERT_TRUE(task) << task.error().message;
  EXPECT_FALSE(task->options.contains("problem"));
  const auto read = ReadComputeOptions(task->options);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->problem.reference, "// A secret of this folder.");
}

TEST_F(TaskForKernelTest, PathInATaskIsNoProblem) {
  const auto read = ReadComputeOptions({{"problem", folder_.path().string()}});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Errc::kNotFound);
  EXPECT_THAT(read.error().message, HasSubstr("there is none of this name"));
}

TEST_F(TaskForKernelTest, ReferenceFileOfATextIsNotRead) {
  fs::current_path(folder_.path());
  const auto read = ReadComputeOptions({{"problem_text", kDocument}});
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("reference_file"));
}

TEST_F(TaskForKernelTest, LinkedReferenceFileIsNotFollowed) {
  fs::remove(At("reference.cc"));
  fs::create_symlink("/etc/passwd", At("reference.cc"));
  EXPECT_THAT(Complaint(), HasSubstr("reference.cc: not a regular file; links are not followed"));
}

TEST_F(TaskForKernelTest, LinkedProblemIsNotFollowed) {
  fs::rename(At("problem.json"), At("other.json"));
  fs::create_symlink("other.json", At("problem.json"));
  EXPECT_THAT(Complaint(), HasSubstr("problem.json: not a regular file"));
}

TEST_F(TaskForKernelTest, PipeInsteadOfAProblemKeepsNobodyWaiting) {
  fs::remove(At("problem.json"));
  ASSERT_EQ(::mkfifo(At("problem.json").c_str(), 0600), 0);
  EXPECT_THAT(Complaint(), HasSubstr("problem.json: not a regular file"));
}

TEST_F(TaskForKernelTest, FolderAboveIsNoReference) {
  std::string document = kDocument;
  document.replace(document.find("reference.cc"), 12, "..");
  Write("problem.json", document);
  EXPECT_THAT(Complaint(), HasSubstr("Is a directory"));
}

TEST_F(TaskForKernelTest, LargeReferenceIsRefusedWithTheLimit) {
  Write("reference.cc", std::string((1 << 20) + 1, ' '));
  EXPECT_THAT(Complaint(), HasSubstr("larger than the 1048576 bytes allowed"));
}

TEST_F(TaskForKernelTest, TheIdIsThatOfAllThatIsAskedFor) {
  SourceOrder order;
  order.source = "// A kernel.";
  order.options = {{"problem", "softmax"}};
  order.seed = 1;
  const auto id_of = [](const SourceOrder& of) { return TaskForSource(of).value().id; };
  const std::string id = id_of(order);
  EXPECT_EQ(id_of(order), id);
  SourceOrder other = order;
  other.seed = 2;
  EXPECT_NE(id_of(other), id);
  other = order;
  other.source += " ";
  EXPECT_NE(id_of(other), id);
  other = order;
  other.run_timeout += std::chrono::milliseconds{1};
  EXPECT_NE(id_of(other), id);
  other = order;
  other.options["problem"] = "layernorm";
  EXPECT_NE(id_of(other), id);
}

}  // namespace
}  // namespace hone::compute

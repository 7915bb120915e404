// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/problem/imported_problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "hone/base/file.h"
#include "hone/base/json/json.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/compute/problem/problem.h"

namespace hone::compute {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kSource = "class Model: pass\n";

class ImportedProblemTest : public testing::Test {
 protected:
  fs::path Into() const { return temporary_->path() / "problems"; }

  Written Write(const std::string& name, const std::string& source = kSource) const {
    const CheckoutFile file{1, name, "Relu (KernelBench, level 1)", "KernelBench/" + name + ".py"};
    KernelBenchCheckout checkout;
    checkout.commit = "abc";
    const auto written = WriteImported(Into(), checkout, file, source);
    EXPECT_TRUE(written) << written.error().message;
    return written.value_or(Written::kUnchanged);
  }

 private:
  const Result<TempDir> temporary_ = TempDir::Make();
};

TEST_F(ImportedProblemTest, FolderIsAProblemWithItsOrigin) {
  EXPECT_EQ(Write("level1/1_Relu"), Written::kNew);
  const fs::path folder = FolderOfImported(Into(), "level1/1_Relu");
  const auto problem = ReadProblemFolder(folder);
  ASSERT_TRUE(problem) << problem.error().message;
  EXPECT_EQ(problem->name, "level1/1_Relu");
  EXPECT_EQ(problem->backend, "torch");
  EXPECT_EQ(problem->entry_point, "Model");
  EXPECT_EQ(problem->reference, kSource);
  const auto origin = ParseJson(ReadFile(folder / "origin.json").value_or(""), "origin");
  ASSERT_TRUE(origin);
  EXPECT_EQ((*origin)["commit"], "abc");
  EXPECT_EQ((*origin)["file"], "KernelBench/level1/1_Relu.py");
  EXPECT_EQ((*origin)["level"], 1);
  EXPECT_EQ((*origin)["digest"], SourceDigest(kSource));
}

TEST_F(ImportedProblemTest, EqualSourceLeavesTheFolderWithWhatIsInIt) {
  Write("level1/1_Relu");
  const fs::path file = FolderOfImported(Into(), "level1/1_Relu") / "screening.json";
  ASSERT_TRUE(WriteFileAtomically(file, "{}"));
  EXPECT_EQ(Write("level1/1_Relu"), Written::kUnchanged);
  EXPECT_TRUE(fs::exists(file));
}

TEST_F(ImportedProblemTest, OtherSourceReplacesTheFolder) {
  Write("level1/1_Relu");
  const fs::path folder = FolderOfImported(Into(), "level1/1_Relu");
  ASSERT_TRUE(WriteFileAtomically(folder / "screening.json", "{}"));
  EXPECT_EQ(Write("level1/1_Relu", "class Model: x = 1\n"), Written::kUpdated);
  EXPECT_EQ(ReadProblemFolder(folder)->reference, "class Model: x = 1\n");
  EXPECT_FALSE(fs::exists(folder / "screening.json")) << "it was about the other one";
}

TEST_F(ImportedProblemTest, SpoiltFolderIsMadeAnew) {
  Write("level1/1_Relu");
  const fs::path folder = FolderOfImported(Into(), "level1/1_Relu");
  ASSERT_TRUE(WriteFileAtomically(folder / "problem.json", "{"));
  EXPECT_EQ(Write("level1/1_Relu"), Written::kUpdated);
  EXPECT_TRUE(ReadProblemFolder(folder));
}

TEST_F(ImportedProblemTest, EmptySourceIsRefusedAndLeavesNoProblem) {
  const CheckoutFile file{1, "level1/1_Empty", "", "level1/1_Empty.py"};
  EXPECT_FALSE(WriteImported(Into(), {}, file, ""));
  EXPECT_THAT(ImportedNames(Into()), IsEmpty());
}

TEST_F(ImportedProblemTest, NamesAreInTheOrderOfPeopleWithoutWhatIsUnfinished) {
  EXPECT_THAT(ImportedNames(Into()), IsEmpty());
  Write("level1/10_Sum");
  Write("level1/2_Relu");
  ASSERT_TRUE(MakeFolder(Into() / ".unfinished/coming/level1/3_Half"));
  ASSERT_TRUE(WriteFileAtomically(Into() / ".unfinished/coming/level1/3_Half/problem.json", "{"));
  fs::create_directory_symlink(Into() / "level1/2_Relu", Into() / "level1/4_Link");
  EXPECT_THAT(ImportedNames(Into()), ElementsAre("level1/2_Relu", "level1/10_Sum"));
  ClearUnfinished(Into());
  EXPECT_FALSE(fs::exists(Into() / ".unfinished"));
}

}  // namespace
}  // namespace hone::compute

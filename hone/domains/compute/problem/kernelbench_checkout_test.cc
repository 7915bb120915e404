// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/problem/kernelbench_checkout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "hone/base/file.h"
#include "hone/base/temp_dir.h"

namespace hone::compute {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kCommit(40, 'a');

class KernelBenchCheckoutTest : public testing::Test {
 protected:
  fs::path Folder() const { return temporary_->path(); }

  void Put(const std::string& name, const std::string& text = "class Model: pass\n") const {
    ASSERT_TRUE(MakeFolder((Folder() / name).parent_path()));
    ASSERT_TRUE(WriteFileAtomically(Folder() / name, text));
  }

  KernelBenchCheckout Opened() const {
    auto checkout = OpenKernelBenchCheckout(Folder());
    EXPECT_TRUE(checkout) << checkout.error().message;
    return checkout ? *checkout : KernelBenchCheckout{};
  }

 private:
  const Result<TempDir> temporary_ = TempDir::Make();
};

TEST_F(KernelBenchCheckoutTest, ProblemsComeByLevelAndNumber) {
  Put("KernelBench/level2/1_Gemm_Add.py");
  Put("KernelBench/level1/10_Sum_of_rows_.py");
  Put("KernelBench/level1/2_Relu.py");
  Put("KernelBench/level1/notes.txt");
  const KernelBenchCheckout checkout = Opened();
  ASSERT_EQ(checkout.files.size(), 3U);
  EXPECT_EQ(checkout.files[0].name, "level1/2_Relu");
  EXPECT_EQ(checkout.files[1].name, "level1/10_Sum_of_rows_");
  EXPECT_EQ(checkout.files[1].summary, "Sum of rows (KernelBench, level 1)");
  EXPECT_EQ(checkout.files[1].path, "KernelBench/level1/10_Sum_of_rows_.py");
  EXPECT_EQ(checkout.files[2].level, 2);
}

TEST_F(KernelBenchCheckoutTest, FolderOfTheLevelsItselfIsTakenToo) {
  Put("level3/1_Net.py");
  ASSERT_EQ(Opened().files.size(), 1U);
  EXPECT_EQ(Opened().files[0].path, "level3/1_Net.py");
}

TEST_F(KernelBenchCheckoutTest, LevelWithWeightsIsCountedAndNotRead) {
  Put("KernelBench/level1/1_Relu.py");
  Put("KernelBench/level4/1_gpt2.py");
  Put("KernelBench/level4/2_opt.py");
  EXPECT_EQ(Opened().files.size(), 1U);
  EXPECT_EQ(Opened().with_weights, 2U);
}

TEST_F(KernelBenchCheckoutTest, AnotherFolderIsRefusedWithWhatToDo) {
  Put("src/main.py");
  const auto checkout = OpenKernelBenchCheckout(Folder());
  ASSERT_FALSE(checkout);
  EXPECT_EQ(checkout.error().code, Errc::kNotFound);
  EXPECT_THAT(checkout.error().message, HasSubstr("not a checkout of KernelBench"));
  EXPECT_THAT(checkout.error().message, HasSubstr("git clone"));
}

TEST_F(KernelBenchCheckoutTest, LinksAreNotFollowed) {
  Put("KernelBench/level1/1_Relu.py");
  Put("elsewhere/2_Secret.py");
  fs::create_symlink(Folder() / "elsewhere/2_Secret.py",
                     Folder() / "KernelBench/level1/2_Secret.py");
  fs::create_directory_symlink(Folder() / "elsewhere", Folder() / "KernelBench/level2");
  const KernelBenchCheckout checkout = Opened();
  ASSERT_EQ(checkout.files.size(), 2U) << "the level that is a link is none";
  EXPECT_TRUE(ReadCheckoutFile(checkout, checkout.files[0]));
  const auto secret = ReadCheckoutFile(checkout, checkout.files[1]);
  ASSERT_FALSE(secret);
  EXPECT_THAT(secret.error().message, HasSubstr("links are not followed"));
}

TEST_F(KernelBenchCheckoutTest, LargeFileIsNotRead) {
  Put("KernelBench/level1/1_Large.py", std::string((256 << 10) + 1, '#'));
  const KernelBenchCheckout checkout = Opened();
  const auto text = ReadCheckoutFile(checkout, checkout.files.at(0));
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message, HasSubstr("larger than"));
}

TEST_F(KernelBenchCheckoutTest, NameThatIsNoPlainOneIsRefused) {
  Put("KernelBench/level1/1_Relu.py");
  Put("KernelBench/level1/2_a b.py");
  Put("KernelBench/level1/.hidden.py");
  EXPECT_EQ(Opened().files.size(), 1U);
  EXPECT_THAT(Opened().refused, ElementsAre(HasSubstr(".hidden.py"), HasSubstr("2_a b.py")));
}

TEST_F(KernelBenchCheckoutTest, CommitIsReadWithoutGit) {
  Put("KernelBench/level1/1_Relu.py");
  EXPECT_EQ(Opened().commit, "");
  Put(".git/HEAD", kCommit + "\n");
  EXPECT_EQ(Opened().commit, kCommit) << "detached";
  Put(".git/HEAD", "ref: refs/heads/main\n");
  EXPECT_EQ(Opened().commit, "");
  Put(".git/packed-refs", "# pack-refs\n" + kCommit + " refs/heads/main\n");
  EXPECT_EQ(Opened().commit, kCommit);
  const std::string loose(40, 'b');
  Put(".git/refs/heads/main", loose + "\n");
  EXPECT_EQ(Opened().commit, loose) << "as git has it: a loose one comes first";
}

TEST_F(KernelBenchCheckoutTest, CommitOfARefOutsideIsNotRead) {
  Put("KernelBench/level1/1_Relu.py");
  Put("outside", kCommit + "\n");
  Put(".git/HEAD", "ref: refs/../../outside\n");
  EXPECT_EQ(Opened().commit, "");
}

}  // namespace
}  // namespace hone::compute

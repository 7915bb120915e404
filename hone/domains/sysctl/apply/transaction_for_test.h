// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "hone/base/temp_dir.h"
#include "hone/domains/sysctl/apply/transaction.h"
#include "hone/domains/sysctl/kernel/fake_kernel.h"
#include "hone/domains/sysctl/kernel/snapshot.h"

namespace hone::sysctl {

inline const std::string kA = "/proc/sys/vm/a";
inline const std::string kB = "/proc/sys/vm/b";
inline const std::string kRatio = "/proc/sys/vm/dirty_ratio";
inline const std::string kBytes = "/proc/sys/vm/dirty_bytes";
inline const std::string kControl = "/proc/sys/net/ipv4/tcp_congestion_control";
inline const std::string kAllowed = "/proc/sys/net/ipv4/tcp_allowed_congestion_control";
inline const std::string kScheduler = "/sys/block/x/queue/scheduler";
inline const std::string kBatch = "/sys/block/x/queue/iosched/fifo_batch";

// A made-up kernel with every awkward kind of parameter, and a folder for journals.
class TransactionOnFakeKernel : public testing::Test {
 protected:
  TransactionOnFakeKernel() {
    kernel_.Add(kA, "10");
    kernel_.Add(kB, "20");
    kernel_.Add(kRatio, "20");
    kernel_.Add(kBytes, "0");
    kernel_.Couple(kRatio, kBytes);
    kernel_.Add(kControl, "bbr");
    kernel_.Add(kAllowed, "reno bbr");
    kernel_.AfterWrite(kControl, [this](const std::string& text) {
      const std::string allowed = kernel_.Read(kAllowed).value();
      if (allowed.find(text) == std::string::npos) kernel_.Set(kAllowed, allowed + " " + text);
    });
    kernel_.AddChoice(kScheduler, {"none", "mq-deadline", "bfq"}, "mq-deadline");
    kernel_.Add(kBatch, "32");
    kernel_.AfterWrite(kScheduler, [this](const std::string& text) {
      kernel_.Remove(kBatch);
      if (text == "mq-deadline") kernel_.Add(kBatch, "16");
    });
    start_ = All();
  }

  std::map<std::string, std::string> All() { return Snapshot::Take(kernel_, {"/sys"}).texts(); }

  TransactionSettings Settings() const {
    TransactionSettings settings;
    settings.paths = {kA, kB, kBytes, kControl, kScheduler};
    settings.couplings.twins = {{kRatio, kBytes}};
    settings.couplings.effects = {{kControl, kAllowed, true}};
    settings.folder = folder_->path() / "hold";
    settings.has_guardian = false;
    settings.reason = "a test";
    return settings;
  }

  std::unique_ptr<ParameterTransaction> Take() { return Take(Settings()); }
  std::unique_ptr<ParameterTransaction> Take(TransactionSettings settings) {
    auto transaction = ParameterTransaction::Take(kernel_, std::move(settings));
    EXPECT_TRUE(transaction) << transaction.error().message;
    return transaction ? std::move(*transaction) : nullptr;
  }

  std::string Text(const std::string& path) { return kernel_.Read(path).value_or("(none)"); }

  Result<TempDir> folder_ = TempDir::Make("hold");
  FakeKernel kernel_;
  std::map<std::string, std::string> start_;
};

}  // namespace hone::sysctl

// SPDX-License-Identifier: Apache-2.0
// A tuner that is there to be killed:
//
//   sysctl_holder loop FOLDER SEED    takes a hold, applies, waits, restores, lets go, again
//   sysctl_holder hold FOLDER SEED    applies once, then waits
//   sysctl_holder again FOLDER SEED   applies once, and again at each SIGUSR1
//   sysctl_holder leave FOLDER MS     applies, and leaves it to be confirmed within so many ms
//
// Each line on standard output names what it is about to do.
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>

#include "hone/core/rng.h"
#include "hone/domains/sysctl/apply/transaction.h"
#include "tests/crash/sysctl_parameters.h"

namespace hone::sysctl {
namespace {

constexpr int kAppliesOfAHold = 6;

void Say(const std::string& word) {
  const std::string line = word + "\n";
  if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) std::exit(3);
}

template <typename T>
void Demand(const Result<T>& done) {
  if (done) return;
  std::cerr << done.error().message << "\n";
  Say("failed");
  std::exit(3);
}

class Holder {
 public:
  Holder(const std::string& folder, std::uint64_t seed)
      : rng_(seed), settings_(TransactionOnHost(*files_, folder)) {}

  void Loop() {
    while (true) {
      Take();
      for (int i = 0; i < kAppliesOfAHold; ++i) {
        Apply();
        Say("trial");
        ::usleep(static_cast<useconds_t>(rng_.Below(80'000)));
        if (rng_.Below(3) != 0) continue;
        Say("restore");
        Demand(transaction_->Restore());
      }
      Say("release");
      transaction_.reset();
    }
  }

  void TransactionOn() {
    Take();
    Apply();
    Say("trial");
    ::pause();
  }

  void Again() {
    Take();
    Apply();
    Say("trial");
    sigset_t wake;
    sigemptyset(&wake);
    sigaddset(&wake, SIGUSR1);
    sigprocmask(SIG_BLOCK, &wake, nullptr);
    Say("ready");
    for (int number = 0; sigwait(&wake, &number) == 0;) {
      Apply();
      Say("trial");
    }
  }

  void Leave(std::uint64_t milliseconds) {
    Take();
    Apply();
    Demand(transaction_->LeaveToConfirm(std::chrono::milliseconds(milliseconds)));
    Say("left");
  }

 private:
  void Take() {
    Say("take");
    auto transaction = ParameterTransaction::Take(*files_, settings_);
    Demand(transaction);
    transaction_ = std::move(*transaction);
  }

  void Apply() {
    Say("apply");
    std::vector<Setting> settings = RandomSettings(HarmlessParameters(*files_), rng_);
    AddRandomFiles(settings_, rng_, settings);
    Demand(transaction_->Apply(settings));
  }

  Rng rng_;
  std::unique_ptr<KernelFiles> files_ = MakeHostFiles();
  TransactionSettings settings_;
  std::unique_ptr<ParameterTransaction> transaction_;
};

int Main(int count, char** arguments) {
  if (count != 4) return 2;
  const std::string verb = arguments[1];
  const std::uint64_t number = std::stoull(arguments[3]);
  // A test that is killed must not leave a tuner behind. One that is left goes on by itself.
  if (verb != "leave") ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  Holder holder(arguments[2], number);
  if (verb == "loop") holder.Loop();
  if (verb == "hold") holder.TransactionOn();
  if (verb == "again") holder.Again();
  if (verb == "leave") holder.Leave(number);
  return 0;
}

}  // namespace
}  // namespace hone::sysctl

int main(int count, char** arguments) { return hone::sysctl::Main(count, arguments); }

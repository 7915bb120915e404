// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>

namespace hone {

// Control groups of version 2 with every controller, which few machines have: Debian's kernel in a
// guest, with the real binary and a service that is made up, system.slice/made.service, beside
// another that takes as much of the only processor as it gets. The disk is loop0, its scheduler
// bfq.
class ControlGroupTest : public testing::Test {
 protected:
  // What a shell script printed in the guest, by the headings that it gave with `say NAME`. It also
  // has `controls`, which prints those of the service, `hone`, which ends with the exit status, and
  // `await != TEXT`, `await = TEXT`, which wait up to 20 seconds until the controls differ from a
  // text, or are it. `files` lie there under their paths. A guest that cannot be had skips the
  // test.
  std::map<std::string, std::string> InGuest(const std::string& script,
                                             const std::map<std::string, std::string>& files,
                                             std::chrono::minutes limit);

  static constexpr char kControlsAtStart[] =
      "cpu.weight 100\nmemory.high max\nmemory.low 0\nio.weight default 100\n"
      "io.bfq.weight default 100\n";
};

}  // namespace hone

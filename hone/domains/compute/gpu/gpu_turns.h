// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

namespace hone::compute {

// Who may do what on one GPU, among all processes that keep their files in one folder. One
// evaluation has the GPU at a time. While it times, nobody makes a context: that would take the GPU
// away from it for a millisecond now and then. Whoever dies gives everything back. Where the folder
// cannot be written to, nobody waits.
class GpuTurns {
 public:
  GpuTurns(const std::filesystem::path& folder, const std::string& gpu);

  // What was asked for is held as long as the result lives.
  [[nodiscard]] std::shared_ptr<void> Evaluate() const;
  // Several at once may, while nobody evaluates. Who waits for a turn goes first, for a while: so
  // those that share come together, and not one by one between two turns.
  [[nodiscard]] std::shared_ptr<void> Share(const std::stop_token& stop) const;
  [[nodiscard]] std::shared_ptr<void> Time() const;
  // Several at once may. Null if it was stopped first.
  [[nodiscard]] std::shared_ptr<void> MakeContext(const std::stop_token& stop) const;

 private:
  std::filesystem::path turn_;
  std::filesystem::path waiting_;  // Held, with others, by who has a turn or waits for one.
  std::filesystem::path still_;
  std::filesystem::path gate_;  // Who wants to time goes before those who come later.
};

}  // namespace hone::compute

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "hone/base/file.h"
#include "hone/domains/compute/backends/python_torch.h"
#include "tests/e2e/hone_process.h"

namespace hone {

// `hone problems` on a checkout in KernelBench's form, made by the test.
class SmallCheckoutTest : public HoneTest {
 protected:
  std::string Checkout() const { return (Folder() / "checkout").string(); }
  std::filesystem::path Problem(const std::string& name) const {
    return Folder() / "problems" / name;
  }

  // A module with this forward, called with 8 by 8 numbers.
  void Put(const std::string& name, const std::string& forward) const {
    PutText(name,
            "import torch\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        " +
                forward +
                "\n\ndef get_inputs():\n    return [torch.randn(8, 8)]\n\n"
                "def get_init_inputs():\n    return []\n");
  }

  void PutText(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = Folder() / "checkout/KernelBench" / (name + ".py");
    ASSERT_TRUE(MakeFolder(file.parent_path()));
    ASSERT_TRUE(WriteFileAtomically(file, text));
  }

  // Why nothing can be screened here; empty if it can.
  static std::string NoTorch() {
    const auto torch = compute::FindPythonTorch();
    return torch ? "" : torch.error().message;
  }
};

}  // namespace hone

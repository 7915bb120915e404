// SPDX-License-Identifier: Apache-2.0
// Launches one candidate's GPU kernels once, under a sanitizer of NVIDIA's (check_task.h). There is
// no judge's memory here and nothing is timed: every array is an allocation of its own, so that the
// sanitizer knows where it ends, and outputs are written by nobody before.
#include <stdio.h>
#include <stdlib.h>

#include "hone/domains/compute/gpu/check_task.h"
#include "hone/domains/compute/gpu/step_maker.h"

namespace hone::compute {
namespace {

using gpu::CuAddress;

class GpuChecker {
 public:
  bool Check(int ordinal) {
    if (const char* missing = maker_.Open(); missing != nullptr) return maker_.Complain(missing);
    return ReadTask() && maker_.FindDevice(ordinal) && maker_.MakeContext() && MakeArrays() &&
           maker_.MakeStreams(task_.streams, task_.marks) &&
           (task_.multiplies == 0 || maker_.OpenCublas()) &&
           (task_.functions == 0 || LoadFunctions()) && Run();
  }

  const char* complaint() const { return maker_.complaint(); }

 private:
  bool ReadTask() {
    FILE* const file = ::fopen("task", "rb");
    const bool is_read = file != nullptr && ::fread(&task_, sizeof(task_), 1, file) == 1;
    const bool is_whole = is_read && task_.magic == kCheckMagic && task_.inputs <= kMaxTensors &&
                          task_.outputs <= kMaxTensors - task_.inputs;
    return is_whole || maker_.Complain("there is no task");
  }

  bool MakeArrays() {
    FILE* const file = ::fopen("inputs", "rb");
    for (uint32_t i = 0; i < task_.inputs + task_.outputs; ++i) {
      const size_t bytes = task_.bytes[i];
      if (!maker_.Did("memory", maker_.cuda().allocate(&array_[i], bytes))) return false;
      if (i < task_.inputs && !(file != nullptr && Fill(array_[i], bytes, file))) {
        return maker_.Complain("the inputs cannot be read");
      }
    }
    return task_.scratch_bytes == 0 ||
           maker_.Did("scratch memory", maker_.cuda().allocate(&scratch_, task_.scratch_bytes));
  }

  bool Fill(CuAddress to, size_t bytes, FILE* file) {
    void* const from = ::malloc(bytes);
    const bool is_filled =
        from != nullptr && ::fread(from, 1, bytes, file) == bytes &&
        maker_.Did("an input", maker_.cuda().copy_to_device(to, from, bytes, maker_.stream())) &&
        maker_.Did("an input", maker_.cuda().await_stream(maker_.stream()));
    ::free(from);
    return is_filled;
  }

  bool LoadFunctions() {
    FILE* const file = ::fopen("cubin", "rb");
    if (file == nullptr || ::fseek(file, 0, SEEK_END) != 0) return maker_.Complain("no cubin");
    const auto bytes = static_cast<size_t>(::ftell(file));
    void* const image = ::malloc(bytes);
    ::rewind(file);
    if (image == nullptr || ::fread(image, 1, bytes, file) != bytes) {
      return maker_.Complain("the cubin cannot be read");
    }
    return maker_.LoadFunctions(image, task_.function, task_.functions);
  }

  bool Run() {
    maker_.Prepare(task_.launches, [this](const StepAddress& address) {
      const CuAddress begin = address.kind == kAddressScratch ? scratch_
                              : address.which < kMaxTensors   ? array_[address.which]
                                                              : 0;
      return begin + static_cast<CuAddress>(address.offset);
    });
    return maker_.MakeAll();
  }

  StepMaker maker_;
  CheckTask task_{};
  CuAddress array_[kMaxTensors] = {};
  CuAddress scratch_ = 0;
};

int Main(int ordinal) {
  static GpuChecker checker;
  if (!checker.Check(ordinal)) {
    ::fprintf(stderr, "%s\n", checker.complaint());
    return 1;
  }
  FILE* const checked = ::fopen(kChecked, "w");
  return checked != nullptr && ::fclose(checked) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace hone::compute

int main(int count, char** words) { return hone::compute::Main(count > 1 ? ::atoi(words[1]) : 0); }

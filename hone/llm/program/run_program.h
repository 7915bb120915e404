// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hone::llm {

// hone-llm: what `hone llm` starts. Exit status 0 done, 1 the answer is no, 2 usage, 3 failed.
int RunProgram(int argc, char** argv);

}  // namespace hone::llm

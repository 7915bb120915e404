// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/program/run_program.h"

int main(int argc, char** argv) { return hone::llm::RunProgram(argc, argv); }

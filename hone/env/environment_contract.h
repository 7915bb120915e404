// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "hone/env/environment_exam.h"

// The exam that every environment passes, as a test suite. In the environment's own test:
//
//   INSTANTIATE_TEST_SUITE_P(Toy, EnvironmentContract,
//                            EnvironmentContractCases({{"Smooth", exam}, …}),
//                            NameOfEnvironmentCase);
//
// and link hone_environment_exam. Include this in one source of a test program only.
namespace hone::env {

struct EnvironmentCase {
  std::string name;  // Letters and digits.
  EnvironmentExam exam;
};

class EnvironmentContract
    : public ::testing::TestWithParam<std::tuple<EnvironmentCase, EnvironmentQuestion>> {};

TEST_P(EnvironmentContract, Holds) {
  const auto& [subject, question] = GetParam();
  EXPECT_THAT(question.complaints(subject.exam), ::testing::IsEmpty());
}

inline auto EnvironmentContractCases(const std::vector<EnvironmentCase>& cases) {
  return ::testing::Combine(::testing::ValuesIn(cases),
                            ::testing::ValuesIn(EnvironmentQuestions()));
}

inline std::string NameOfEnvironmentCase(
    const ::testing::TestParamInfo<EnvironmentContract::ParamType>& info) {
  return std::get<0>(info.param).name + "_" + std::get<1>(info.param).name;
}

}  // namespace hone::env

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "hone/domains/compute/backends/backend_exam.h"

// The exam that every backend passes. In the backend's own test:
//
//   INSTANTIATE_TEST_SUITE_P(Cpp, BackendContract, BackendContractCases({{"Cpp", exam}}),
//                            NameOfBackendCase);
//
// and link hone_backend_exam. Include this in one source of a test program only.
namespace hone::compute {

struct BackendCase {
  std::string name;  // Letters and digits.
  BackendExam exam;
};

class BackendContract : public ::testing::TestWithParam<std::tuple<BackendCase, BackendQuestion>> {
};

TEST_P(BackendContract, Holds) {
  const auto& [subject, question] = GetParam();
  EXPECT_THAT(question.complaints(subject.exam), ::testing::IsEmpty());
}

inline auto BackendContractCases(const std::vector<BackendCase>& cases) {
  return ::testing::Combine(::testing::ValuesIn(cases), ::testing::ValuesIn(BackendQuestions()));
}

inline std::string NameOfBackendCase(
    const ::testing::TestParamInfo<BackendContract::ParamType>& info) {
  return std::get<0>(info.param).name + "_" + std::get<1>(info.param).name;
}

}  // namespace hone::compute

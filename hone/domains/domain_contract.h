// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "hone/domains/domain_exam.h"

// The exam that every domain passes, as a test suite. In the domain's own test:
//
//   INSTANTIATE_TEST_SUITE_P(Toy, DomainContract, DomainContractCases({{"Smooth", exam}, …}),
//                            NameOfDomainCase);
//
// and link hone_domain_exam. Include this in one source of a test program only.
namespace hone {

struct DomainCase {
  std::string name;  // Letters and digits.
  DomainExam exam;
};

class DomainContract : public ::testing::TestWithParam<std::tuple<DomainCase, DomainQuestion>> {};

TEST_P(DomainContract, Holds) {
  const auto& [subject, question] = GetParam();
  EXPECT_THAT(question.complaints(subject.exam), ::testing::IsEmpty());
}

inline auto DomainContractCases(const std::vector<DomainCase>& cases) {
  return ::testing::Combine(::testing::ValuesIn(cases), ::testing::ValuesIn(DomainQuestions()));
}

inline std::string NameOfDomainCase(
    const ::testing::TestParamInfo<DomainContract::ParamType>& info) {
  return std::get<0>(info.param).name + "_" + std::get<1>(info.param).name;
}

}  // namespace hone

// SPDX-License-Identifier: Apache-2.0
#include "hone/measure/distributions.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/policies/policy.hpp>

namespace hone {
namespace {

namespace bm = boost::math;

// No exceptions, and no detour through long double: results are infinities where others throw.
using Quiet = bm::policies::policy<bm::policies::domain_error<bm::policies::ignore_error>,
                                   bm::policies::pole_error<bm::policies::ignore_error>,
                                   bm::policies::overflow_error<bm::policies::ignore_error>,
                                   bm::policies::underflow_error<bm::policies::ignore_error>,
                                   bm::policies::rounding_error<bm::policies::ignore_error>,
                                   bm::policies::evaluation_error<bm::policies::ignore_error>,
                                   bm::policies::promote_double<false>>;
using Normal = bm::normal_distribution<double, Quiet>;
using Student = bm::students_t_distribution<double, Quiet>;
using NoncentralStudent = bm::non_central_t_distribution<double, Quiet>;
using ChiSquared = bm::chi_squared_distribution<double, Quiet>;
using Binomial = bm::binomial_distribution<double, Quiet>;

}  // namespace

double NormalCdf(double x) { return bm::cdf(Normal(), x); }

double NormalQuantile(double probability) { return bm::quantile(Normal(), probability); }

double StudentQuantile(double probability, double degrees) {
  return bm::quantile(Student(degrees), probability);
}

double NoncentralStudentCdf(double t, double degrees, double noncentrality) {
  return bm::cdf(NoncentralStudent(degrees, noncentrality), t);
}

double ChiSquaredTail(double x, double degrees) {
  return bm::cdf(bm::complement(ChiSquared(degrees), x));
}

double FairCoinCdf(std::int64_t heads, std::int64_t tosses) {
  if (heads >= tosses) return 1;
  return bm::cdf(Binomial(static_cast<double>(tosses), 0.5), static_cast<double>(heads));
}

}  // namespace hone

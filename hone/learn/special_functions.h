// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hone::learn {

double LogGamma(double x);  // Safe for concurrent use, unlike std::lgamma. x > 0, as below.
double Digamma(double x);   // Its first derivative,
double Trigamma(double x);  // and its second.

double Softplus(double x);  // log(1 + exp(x)), without overflow.
double Sigmoid(double x);   // Its derivative.

}  // namespace hone::learn

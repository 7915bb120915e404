// SPDX-License-Identifier: Apache-2.0
#include "bench/power_spaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "hone/core/check.h"
#include "hone/core/rng.h"

namespace hone {
namespace {

constexpr double kNeedleVolume = 0.05;
constexpr int kNeedleParameters = 3;

std::string NameAt(int index) { return fmt::format("p{:02}", index); }

Parameter RealAt(int index, double default_value) {
  return {NameAt(index), RealRange{0, 1}, default_value, "", "", {}, {}};
}

// One hill in some parameters: where each stands by default, where it should, what it weighs.
struct Hill {
  struct Slope {
    std::string name;
    double from = 0;
    double to = 0;
    double weight = 1;
  };
  std::vector<Slope> slopes;

  void Add(Rng& rng, const Parameter& parameter) {
    const double from = std::get<double>(parameter.default_value);
    const double away = rng.Uniform(0.15, 0.45);
    const bool is_down = from + away > 0.95 || (from - away >= 0.05 && rng.Coin());
    slopes.push_back(
        {parameter.name, from, is_down ? from - away : from + away, rng.Uniform(0.5, 1)});
  }

  // 0 at the defaults, 1 on top.
  double At(const Assignment& assignment) const {
    double left = 0;
    double all = 0;
    for (const Slope& slope : slopes) {
      const double at = std::get<double>(assignment.at(slope.name));
      left += slope.weight * std::pow(at - slope.to, 2);
      all += slope.weight * std::pow(slope.from - slope.to, 2);
    }
    return 1 - left / all;
  }
};

Space MakeSpace(std::vector<Parameter> parameters) {
  auto space = Space::Make(std::move(parameters));
  HONE_CHECK(space.has_value());
  return *std::move(space);
}

std::vector<Parameter> Reals(int size, Rng& rng) {
  std::vector<Parameter> parameters;
  parameters.reserve(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) parameters.push_back(RealAt(i, rng.Uniform(0.25, 0.75)));
  return parameters;
}

// The first `matter` of them make a hill.
PowerSpace Smooth(int size, int matter, Rng& rng) {
  auto parameters = Reals(size, rng);
  Hill hill;
  for (int i = 0; i < matter; ++i) hill.Add(rng, parameters[static_cast<std::size_t>(i)]);
  return {MakeSpace(std::move(parameters)),
          [hill](const Assignment& assignment) { return hill.At(assignment); }};
}

// A ridge along one parameter that another must follow in a bow: from where the one stands by
// default to where it should, straight on leaves the ridge.
struct Bow {
  std::string along;
  std::string across;
  double from = 0;
  double to = 0;
  double across_to = 0;
  double bend = 0;

  // As in the toy's valley: 0 on top, and never above kDepth.
  double Lost(const Assignment& assignment) const {
    constexpr double kNarrow = 20;
    constexpr double kSteep = 3;
    constexpr double kDepth = 4;
    const double at = std::get<double>(assignment.at(along));
    const double ridge = across_to + bend * (at - from) * (at - to);
    const double beside = std::get<double>(assignment.at(across)) - ridge;
    const double lost = kSteep * std::pow(at - to, 2) + kNarrow * std::pow(beside, 2);
    return kDepth * lost / (kDepth + lost);
  }
};

// Parameters two by two, each pair with a curved ridge; one that is left over does nothing.
PowerSpace Valley(int size, Rng& rng) {
  const auto space = MakeSpace(Reals(size, rng));
  Hill ends;
  for (const Parameter& parameter : space.parameters()) ends.Add(rng, parameter);
  std::vector<Bow> bows;
  for (std::size_t i = 0; i + 1 < ends.slopes.size(); i += 2) {
    const auto& along = ends.slopes[i];
    const auto& across = ends.slopes[i + 1];
    const double bow = across.to > 0.5 ? -rng.Uniform(0.15, 0.3) : rng.Uniform(0.15, 0.3);
    // Halfway the ridge lies `bow` beside the straight line.
    const double bend = -4 * bow / std::pow(along.to - along.from, 2);
    bows.push_back({along.name, across.name, along.from, along.to, across.to, bend});
  }
  const auto lost = [bows](const Assignment& assignment) {
    double sum = 0;
    for (const Bow& bow : bows) sum += bow.Lost(assignment);
    return sum;
  };
  const double all = lost(space.Defaults());
  return {space, [lost, all](const Assignment& assignment) { return 1 - lost(assignment) / all; }};
}

// Hills of unequal height and steepness, as in Hartmann's function: most of the space is flat.
class Hills {
 public:
  Hills(std::vector<std::string> names, Rng& rng) : names_(std::move(names)) {
    for (const double height : {1.0, 1.2, 3.0, 3.2}) {
      OneHill hill{height, {}, {}};
      for (std::size_t i = 0; i < names_.size(); ++i) {
        hill.centre.push_back(rng.Uniform());
        hill.steepness.push_back(rng.Uniform(0, kSteepest));
      }
      hills_.push_back(std::move(hill));
    }
  }

  double At(const Assignment& assignment) const {
    std::vector<double> point;
    for (const auto& name : names_) point.push_back(std::get<double>(assignment.at(name)));
    return At(point);
  }

  // Up from the centre of each, in ever smaller steps.
  double Top() const {
    double top = 0;
    for (const OneHill& hill : hills_) {
      std::vector<double> here = hill.centre;
      for (double step = 0.25; step > 1e-4; step /= 2) {
        while (Climb(here, step)) {
        }
      }
      top = std::max(top, At(here));
    }
    return top;
  }

 private:
  static constexpr double kSteepest = 17;

  struct OneHill {
    double height = 0;
    std::vector<double> centre;
    std::vector<double> steepness;
  };

  double At(const std::vector<double>& point) const {
    double sum = 0;
    for (const OneHill& hill : hills_) {
      double away = 0;
      for (std::size_t i = 0; i < point.size(); ++i) {
        away += hill.steepness[i] * std::pow(point[i] - hill.centre[i], 2);
      }
      sum += hill.height * std::exp(-away);
    }
    return sum;
  }

  bool Climb(std::vector<double>& here, double step) const {
    for (std::size_t i = 0; i < here.size(); ++i) {
      for (const double by : {-step, step}) {
        std::vector<double> there = here;
        there[i] = std::clamp(there[i] + by, 0.0, 1.0);
        if (At(there) <= At(here)) continue;
        here = std::move(there);
        return true;
      }
    }
    return false;
  }

  std::vector<std::string> names_;
  std::vector<OneHill> hills_;
};

// Up to six parameters with hills; the default stands low.
PowerSpace Hidden(int size, Rng& rng) {
  constexpr std::size_t kMatter = 6;
  constexpr double kLow = 0.3;  // Of the highest top.
  const auto space = MakeSpace(Reals(size, rng));
  std::vector<std::string> names;
  for (const Parameter& parameter : space.parameters()) {
    if (names.size() < kMatter) names.push_back(parameter.name);
  }
  while (true) {
    const Hills hills(names, rng);
    const double low = hills.At(space.Defaults());
    const double top = hills.Top();
    if (low > kLow * top) continue;
    return {space, [hills, low, top](const Assignment& assignment) {
              return (hills.At(assignment) - low) / (top - low);
            }};
  }
}

// Of three choices one is better than the default and one worse; the first two parameters pay only
// together.
PowerSpace Categorical(int size, Rng& rng) {
  const std::vector<std::string> choices = {"now", "other", "third"};
  std::vector<Parameter> parameters;
  std::vector<double> worth;
  std::vector<double> harm;
  double all = 0;
  for (int i = 0; i < size; ++i) {
    parameters.push_back({NameAt(i), Category{choices}, choices[0], "", "", {}, {}});
    worth.push_back(rng.Uniform(0.2, 1));
    harm.push_back(rng.Uniform(0, 1));
    all += worth.back();
  }
  const auto score = [worth, harm, all](const Assignment& assignment) {
    double sum = 0;
    bool is_pair = true;
    for (std::size_t i = 0; i < worth.size(); ++i) {
      const auto& choice = std::get<std::string>(assignment.at(NameAt(static_cast<int>(i))));
      if (choice == "third") sum -= harm[i];
      if (i < 2) {
        is_pair = is_pair && choice == "other";
      } else if (choice == "other") {
        sum += worth[i];
      }
    }
    return (sum + (is_pair ? worth[0] + worth[1] : 0)) / all;
  };
  return {MakeSpace(std::move(parameters)), score};
}

// A switch between two branches of parameters: the one in force is flat, the other is worse as it
// stands and better where its hill is.
PowerSpace Conditional(int size, Rng& rng) {
  std::vector<Parameter> parameters = {
      {"branch", Category{{"now", "other"}}, std::string("now"), "", "", {}, {}}};
  Hill hill;
  for (int i = 1; i < size; ++i) {
    Parameter parameter = RealAt(i, rng.Uniform(0.25, 0.75));
    const bool is_other = i % 2 == 1;
    parameter.condition = Condition{"branch", {std::string(is_other ? "other" : "now")}};
    if (is_other) hill.Add(rng, parameter);
    parameters.push_back(std::move(parameter));
  }
  const auto score = [hill](const Assignment& assignment) {
    if (std::get<std::string>(assignment.at("branch")) == "now") return 0.0;
    return 1.5 * hill.At(assignment) - 0.5;
  };
  return {MakeSpace(std::move(parameters)), score};
}

// Up to three parameters must all be in the right place, and nothing else shows the way.
PowerSpace Needle(int size, Rng& rng) {
  auto parameters = Reals(size, rng);
  const int matter = std::min(size, kNeedleParameters);
  const double side = std::pow(kNeedleVolume, 1.0 / matter);
  std::vector<std::pair<std::string, double>> places;
  for (int i = 0; i < matter; ++i) {
    const Parameter& parameter = parameters[static_cast<std::size_t>(i)];
    const double from = std::get<double>(parameter.default_value);
    const double low = from > 0.5 ? rng.Uniform(0, from - side) : rng.Uniform(from, 1 - side);
    places.emplace_back(parameter.name, low);
  }
  const auto score = [places, side](const Assignment& assignment) {
    return std::ranges::all_of(places,
                               [&](const auto& place) {
                                 const double at = std::get<double>(assignment.at(place.first));
                                 return at > place.second && at < place.second + side;
                               })
               ? 1.0
               : 0.0;
  };
  return {MakeSpace(std::move(parameters)), score};
}

}  // namespace

const std::vector<std::string>& PowerClasses() {
  static const std::vector<std::string> classes = {"smooth", "sparse", "categorical", "conditional",
                                                   "needle", "valley", "hidden"};
  return classes;
}

PowerSpace MakePowerSpace(const std::string& kind, int size, std::uint64_t seed) {
  HONE_CHECK(size >= 2);
  Rng rng = Rng(seed).Split(kind);
  if (kind == "smooth") return Smooth(size, size, rng);
  if (kind == "sparse") return Smooth(size, std::max(1, size / 6), rng);
  if (kind == "categorical") return Categorical(size, rng);
  if (kind == "conditional") return Conditional(size, rng);
  if (kind == "needle") return Needle(size, rng);
  if (kind == "valley") return Valley(size, rng);
  HONE_CHECK(kind == "hidden");
  return Hidden(size, rng);
}

}  // namespace hone

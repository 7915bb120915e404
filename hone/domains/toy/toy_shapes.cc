// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/toy/toy_shapes.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

namespace hone::toy {
namespace {

using Int = std::int64_t;
using Tuple = std::vector<std::int64_t>;

Parameter Knob(std::string name, Kind kind, Value default_value, std::string unit,
               std::string description) {
  return {std::move(name),
          std::move(kind),
          std::move(default_value),
          std::move(unit),
          std::move(description),
          {},
          {}};
}

Parameter Under(std::string parent, std::vector<Value> values, Parameter child) {
  child.condition = Condition{std::move(parent), std::move(values)};
  return child;
}

double Square(double x) { return x * x; }

// Falls like -x near 0 and never below -depth.
double Saturated(double x, double depth) { return -depth * x / (depth + x); }

Shape Flat() {
  Shape shape;
  shape.name = "flat";
  shape.summary = "no parameter matters";
  shape.parameters = {
      Knob("threads", IntegerRange{1, 64}, Int{8}, "", "Worker threads."),
      Knob("batch", IntegerRange{1, 1024, 1, true}, Int{32}, "requests", "Requests taken at once."),
      Knob("spin", RealRange{0, 1}, 0.5, "", "Share of the waiting that is spent spinning."),
      Knob("pin", Boolean{}, false, "", "Whether threads keep their core."),
  };
  shape.optimum = {{"threads", Int{8}}, {"batch", Int{32}}, {"spin", 0.5}, {"pin", false}};
  shape.score = [](const Point&) { return 0.0; };
  return shape;
}

Shape Smooth() {
  Shape shape;
  shape.name = "smooth";
  shape.summary = "one wide hill in four parameters";
  shape.parameters = {
      Knob("threads", IntegerRange{1, 64}, Int{24}, "", "Worker threads."),
      Knob("batch", IntegerRange{1, 1024, 1, true}, Int{40}, "requests", "Requests taken at once."),
      Knob("spin", RealRange{0, 1}, 0.35, "", "Share of the waiting that is spent spinning."),
      Knob("decay", RealRange{0.001, 1, 0, true}, 0.08, "", "How fast old load is forgotten."),
  };
  shape.optimum = {{"threads", Int{40}}, {"batch", Int{128}}, {"spin", 0.6}, {"decay", 0.02}};
  shape.score = [](const Point& at) {
    return -(Square(at.Away("threads")) + 0.8 * Square(at.Away("batch")) +
             0.6 * Square(at.Away("spin")) + 0.5 * Square(at.Away("decay")));
  };
  return shape;
}

Shape Rugged() {
  Shape shape;
  shape.name = "rugged";
  shape.summary = "a hill covered with bumps: many local optima";
  shape.parameters = {
      Knob("prefetch", IntegerRange{0, 240}, Int{110}, "lines", "Lines fetched ahead."),
      Knob("stride", RealRange{0, 8}, 4.5, "", "Distance between fetches."),
      Knob("tile", IntegerRange{8, 512, 4}, Int{212}, "", "Side of a tile."),
  };
  shape.optimum = {{"prefetch", Int{150}}, {"stride", 2.5}, {"tile", Int{336}}};
  shape.score = [](const Point& at) {
    constexpr double kBumps = 6;
    double score = 0;
    for (const char* name : {"prefetch", "stride", "tile"}) {
      const double away = at.Away(name);
      score -= Square(away) + 0.06 * (1 - std::cos(2 * std::numbers::pi * kBumps * away));
    }
    return score;
  };
  return shape;
}

Shape Sparse() {
  Shape shape;
  shape.name = "sparse";
  shape.summary = "twenty parameters of which knob_03, knob_08 and knob_15 matter";
  const std::vector<std::pair<Kind, Value>> kinds = {
      {IntegerRange{0, 100}, Int{50}},
      {IntegerRange{1, 1'000'000, 1, true}, Int{1000}},
      {RealRange{0, 1}, 0.25},
      {RealRange{0.0001, 10, 0, true}, 0.1},
      {Boolean{}, false},
  };
  for (int i = 0; i < 20; ++i) {
    const auto& [kind, default_value] = kinds[static_cast<std::size_t>(i) % kinds.size()];
    auto knob = Knob(fmt::format("knob_{:02}", i), kind, default_value, "", "One of many.");
    shape.optimum[knob.name] = default_value;
    shape.parameters.push_back(std::move(knob));
  }
  shape.optimum["knob_03"] = 2.0;
  shape.optimum["knob_08"] = 0.005;
  shape.optimum["knob_15"] = Int{85};
  shape.score = [](const Point& at) {
    return -(2 * Square(at.Away("knob_03")) + 2 * Square(at.Away("knob_08")) +
             1.5 * Square(at.Away("knob_15")));
  };
  return shape;
}

Shape Categorical() {
  Shape shape;
  shape.name = "categorical";
  shape.summary = "choices only, and two of them pay only together";
  shape.parameters = {
      Knob("allocator", Category{{"system", "pool", "slab", "arena"}}, "pool", "",
           "Where memory comes from."),
      Knob("governor", Category{{"lazy", "eager", "adaptive"}}, "eager", "", "When to wake up."),
      Knob("table", Category{{"linear", "cuckoo", "robin"}}, "linear", "", "How keys are found."),
      Knob("pin", Boolean{}, false, "", "Whether threads keep their core."),
      Knob("huge_pages", Boolean{}, false, "", "Whether memory comes in large pages."),
  };
  shape.optimum = {{"allocator", "slab"},
                   {"governor", "adaptive"},
                   {"table", "cuckoo"},
                   {"pin", true},
                   {"huge_pages", true}};
  shape.score = [](const Point& at) {
    const bool is_pinned = at.Is("pin", true);
    const bool is_huge = at.Is("huge_pages", true);
    double score = 0;
    if (at.Is("allocator", "pool")) score += 0.3;
    if (at.Is("allocator", "slab")) score += 0.5;
    if (at.Is("allocator", "arena")) score += 0.2;
    if (at.Is("governor", "eager")) score += 0.1;
    if (at.Is("governor", "adaptive")) score += is_pinned ? 0.5 : -0.3;
    if (is_pinned && !at.Is("governor", "adaptive")) score -= 0.2;
    if (at.Is("table", "robin")) score += 0.1;
    if (at.Is("table", "cuckoo")) score += is_huge ? 0.3 : -0.1;
    if (is_huge) score -= 0.05;
    return score;
  };
  return shape;
}

Shape Constrained() {
  Shape shape;
  shape.name = "constrained";
  shape.summary = "low_mark < high_mark and a budget of threads; the optimum lies on both edges";
  shape.parameters = {
      Knob("readers", IntegerRange{1, 64}, Int{24}, "threads", "Threads that read."),
      Knob("writers", IntegerRange{1, 64}, Int{16}, "threads", "Threads that write."),
      Knob("low_mark", IntegerRange{1, 100}, Int{40}, "%", "Fill at which writing stops."),
      Knob("high_mark", IntegerRange{1, 100}, Int{80}, "%", "Fill at which writing starts."),
  };
  shape.constraints = {{{{"readers", 1}, {"writers", 1}}, false, 64},
                       {{{"low_mark", 1}, {"high_mark", -1}}, true, 0}};
  shape.optimum = {
      {"readers", Int{42}}, {"writers", Int{22}}, {"low_mark", Int{65}}, {"high_mark", Int{66}}};
  // What each parameter would like alone breaks the constraints; the optimum is the nearest
  // allowed point.
  shape.score = [](const Point& at) {
    const double threads =
        Square((at.Number("readers") - 60) / 64) + Square((at.Number("writers") - 40) / 64);
    const double marks =
        Square((at.Number("low_mark") - 71) / 100) + Square((at.Number("high_mark") - 60) / 100);
    return -threads - marks;
  };
  return shape;
}

Shape Interacting() {
  Shape shape;
  shape.name = "interacting";
  shape.summary = "narrow ridges: changing one parameter alone loses";
  shape.parameters = {
      Knob("depth", IntegerRange{1, 1024, 1, true}, Int{256}, "requests", "Length of the queue."),
      Knob("workers", IntegerRange{1, 64}, Int{12}, "", "Who serves the queue."),
      Knob("slice", IntegerRange{10, 100'000, 1, true}, Int{20'000}, "us", "Time before a switch."),
      Knob("bias", RealRange{0, 1}, 0.15, "", "Preference for the running thread."),
      Knob("inline_io", Boolean{}, false, "", "Whether workers do their own I/O."),
  };
  shape.optimum = {{"depth", Int{32}},
                   {"workers", Int{32}},
                   {"slice", Int{1000}},
                   {"bias", 0.5},
                   {"inline_io", true}};
  shape.score = [](const Point& at) {
    constexpr double kNarrow = 12;
    const double a = at.Away("depth");
    const double b = at.Away("workers");
    const double c = at.Away("slice");
    const double d = at.Away("bias");
    const double queue = at.Is("inline_io", true) ? kNarrow * Square(a - b) + Square(a + b)
                                                  : kNarrow * Square(a + b) + Square(a - b) + 0.3;
    const double switching = kNarrow * Square(c + d) + Square(c - d);
    return Saturated(queue + switching, 4);
  };
  return shape;
}

Shape Cliff() {
  Shape shape;
  shape.name = "cliff";
  shape.summary = "the best points stand at the edge of a very bad region, then of a crash";
  shape.parameters = {
      Knob("batch", IntegerRange{1, 4096, 1, true}, Int{32}, "requests", "Requests taken at once."),
      Knob("depth", IntegerRange{1, 128}, Int{24}, "batches", "Batches in flight."),
      Knob("pace", RealRange{0, 1}, 0.2, "", "How evenly batches are sent."),
  };
  shape.optimum = {{"batch", Int{256}}, {"depth", Int{48}}, {"pace", 0.7}};
  shape.score = [](const Point& at) {
    const double load = at.Away("batch") + at.Away("depth");
    if (load > 0) return -5.0;
    return -(2 * Square(load) + Square(at.Away("batch") - at.Away("depth")) +
             0.5 * Square(at.Away("pace")));
  };
  shape.is_crash = [](const Point& at) { return at.Away("batch") + at.Away("depth") > 0.3; };
  return shape;
}

Shape Conditional() {
  Shape shape;
  shape.name = "conditional";
  shape.summary = "each scheduler has parameters of its own, and one of those has another";
  shape.parameters = {
      Knob("tick", IntegerRange{100, 10'000, 100}, Int{1000}, "us", "Time between decisions."),
      Knob("scheduler", Category{{"fifo", "deadline", "lottery"}}, "fifo", "", "Who is next."),
      Under("scheduler", {"deadline"},
            Knob("horizon", IntegerRange{10, 100'000, 1, true}, Int{100}, "us",
                 "How far ahead deadlines lie.")),
      Under("scheduler", {"deadline"},
            Knob("window", IntegerRange{1, 32}, Int{4}, "requests", "Requests compared.")),
      Under("scheduler", {"lottery"},
            Knob("tickets", IntegerRange{1, 100}, Int{80}, "", "Tickets of a new request.")),
      Under("scheduler", {"lottery"},
            Knob("boost", Boolean{}, false, "", "Whether waiting wins tickets.")),
      Under("boost", {true}, Knob("boost_share", RealRange{0, 1}, 0.9, "", "How many it wins.")),
  };
  shape.optimum = {
      {"tick", Int{4000}}, {"scheduler", "deadline"}, {"horizon", Int{5000}}, {"window", Int{20}}};
  shape.score = [](const Point& at) {
    double score = -0.5 * Square(at.Away("tick"));
    if (at.Is("scheduler", "fifo")) score += 0.4;
    if (at.Is("scheduler", "deadline")) {
      score += 1 - 5 * Square(at.Away("horizon")) - 2.5 * Square(at.Away("window"));
    }
    if (at.Is("scheduler", "lottery")) score += 0.7 - 2 * Square(at.Number("tickets") / 100 - 0.3);
    if (at.Is("boost", true)) score += 0.1 - Square(at.Number("boost_share") - 0.5);
    return score;
  };
  return shape;
}

double Waste(const Point& at) { return Square(at.Away("workers")) + 0.8 * Square(at.Away("pace")); }

Shape Tradeoff() {
  Shape shape;
  shape.name = "tradeoff";
  shape.summary = "larger batches give throughput and cost latency; the rest helps both";
  shape.parameters = {
      Knob("batch", IntegerRange{1, 64, 1, true}, Int{12}, "requests", "Requests taken at once."),
      Knob("workers", IntegerRange{1, 64}, Int{20}, "", "Worker threads."),
      Knob("pace", RealRange{0, 1}, 0.4, "", "How evenly batches are sent."),
  };
  shape.optimum = {{"batch", Int{64}}, {"workers", Int{36}}, {"pace", 0.75}};
  shape.score = [](const Point& at) { return -Square(at.Away("batch")) - Waste(at); };
  shape.latency_score = [](const Point& at) { return -Square(1 + at.Away("batch")) - Waste(at); };
  shape.front_parameter = "batch";
  return shape;
}

Shape Mixed() {
  Shape shape;
  shape.name = "mixed";
  shape.summary = "every kind of parameter at once";
  shape.parameters = {
      Knob("threads", IntegerRange{1, 64}, Int{20}, "", "Worker threads."),
      Knob("buffer", IntegerRange{4, 65'536, 1, true}, Int{256}, "KiB", "Size of a buffer."),
      Knob("cache", IntegerRange{64, 4096, 64}, Int{1024}, "MiB", "Memory for what was read."),
      Knob("share", RealRange{0, 1, 0.125}, 0.375, "", "Share of the cache for writes."),
      Knob("nodelay", Boolean{}, false, "", "Whether small packets go at once."),
      Knob("congestion", Category{{"reno", "cubic", "bbr"}}, "cubic", "", "Who slows down when."),
      Knob("memory", OrderedTuple{3, IntegerRange{4, 16'384, 1, true}}, Tuple{8, 64, 1024}, "KiB",
           "Least, usual and most memory of a connection."),
      Knob("coalesce", IntegerRange{1, 500}, Int{30}, "us", "Wait for further packets."),
  };
  shape.parameters.back().specials = {{Int{0}, "off"}};
  shape.optimum = {{"threads", Int{40}},
                   {"buffer", Int{2048}},
                   {"cache", Int{2048}},
                   {"share", 0.625},
                   {"nodelay", true},
                   {"congestion", "bbr"},
                   {"memory", Tuple{16, 256, 4096}},
                   {"coalesce", Int{0}}};
  shape.score = [](const Point& at) {
    double score = -(0.8 * Square(at.Away("threads")) + Square(at.Away("buffer")) +
                     0.5 * Square(at.Away("cache")) + 0.6 * Square(at.Away("share")) +
                     Square(at.Away("memory")));
    if (at.Is("nodelay", true)) score += 0.15;
    if (at.Is("congestion", "cubic")) score += 0.1;
    if (at.Is("congestion", "bbr")) score += 0.25;
    score += at.Is("coalesce", Int{0}) ? 0.2 : -0.2 * at.Number("coalesce") / 500;
    return score;
  };
  return shape;
}

// A box in three parameters that holds a twentieth of the space.
Shape Needle() {
  Shape shape;
  shape.name = "needle";
  shape.summary = "nothing matters but one small box, where all of the gain is";
  shape.parameters = {
      Knob("depth", RealRange{0, 1}, 0.15, "", "How many requests wait in a row."),
      Knob("width", RealRange{0, 1}, 0.85, "", "How many rows there are."),
      Knob("slack", RealRange{0, 1}, 0.5, "", "How long a row may be idle."),
  };
  shape.optimum = {{"depth", 0.7}, {"width", 0.35}, {"slack", 0.6}};
  shape.score = [](const Point& at) {
    const double half_width = std::cbrt(0.05) / 2;
    const bool is_inside = std::abs(at.Away("depth")) < half_width &&
                           std::abs(at.Away("width")) < half_width &&
                           std::abs(at.Away("slack")) < half_width;
    return is_inside ? 1.0 : 0.0;
  };
  return shape;
}

// The Hartmann function in six dimensions (Dixon, Szego, "Towards Global Optimisation", 1978).
Shape Hartmann() {
  Shape shape;
  shape.name = "hartmann";
  shape.summary = "six parameters of unequal weight, six hills of which one is the highest";
  shape.parameters = {
      Knob("u", RealRange{0, 1}, 0.5, "", "The first of six."),
      Knob("v", RealRange{0, 1}, 0.5, "", "The second."),
      Knob("w", RealRange{0, 1}, 0.5, "", "The third."),
      Knob("x", RealRange{0, 1}, 0.5, "", "The fourth."),
      Knob("y", RealRange{0, 1}, 0.5, "", "The fifth."),
      Knob("z", RealRange{0, 1}, 0.5, "", "The sixth."),
  };
  shape.optimum = {{"u", 0.20169},  {"v", 0.150011}, {"w", 0.476874},
                   {"x", 0.275332}, {"y", 0.311652}, {"z", 0.6573}};
  shape.score = [](const Point& at) {
    constexpr std::array<double, 4> kWeight{1.0, 1.2, 3.0, 3.2};
    constexpr double kSteepness[4][6] = {{10, 3, 17, 3.5, 1.7, 8},
                                         {0.05, 10, 17, 0.1, 8, 14},
                                         {3, 3.5, 1.7, 10, 17, 8},
                                         {17, 8, 0.05, 10, 0.1, 14}};
    constexpr double kCentre[4][6] = {{0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886},
                                      {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
                                      {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650},
                                      {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381}};
    const std::array<double, 6> point{at.Number("u"), at.Number("v"), at.Number("w"),
                                      at.Number("x"), at.Number("y"), at.Number("z")};
    double score = 0;
    for (std::size_t hill = 0; hill < kWeight.size(); ++hill) {
      double distance = 0;
      for (std::size_t k = 0; k < point.size(); ++k) {
        distance += kSteepness[hill][k] * Square(point[k] - kCentre[hill][k]);
      }
      score += kWeight[hill] * std::exp(-distance);
    }
    return score;
  };
  return shape;
}

// As in Rosenbrock's function, but bounded below: each parameter should follow a parabola of the
// one before, and only along that curve does the score rise gently.
Shape Valley() {
  Shape shape;
  shape.name = "valley";
  shape.summary = "a narrow ridge that bends twice: no straight way leads along it";
  shape.parameters = {
      Knob("reach", RealRange{0, 1}, 0.15, "", "How far requests are looked ahead."),
      Knob("bend", RealRange{0, 1}, 0.6, "", "What that asks of the queue."),
      Knob("turn", RealRange{0, 1}, 0.4, "", "What the queue asks of the cache."),
  };
  shape.optimum = {{"reach", 0.8}, {"bend", 0.47}, {"turn", 0.6}};
  shape.score = [](const Point& at) {
    constexpr double kNarrow = 20;
    const double along = at.Away("reach");
    const double bend = at.Away("bend");
    const double beside = bend - 2.2 * along * (along + 0.7);
    const double above = at.Away("turn") - 1.5 * bend * (0.6 - bend);
    return Saturated(3 * Square(along) + kNarrow * (Square(beside) + Square(above)), 4);
  };
  return shape;
}

}  // namespace

const std::vector<Shape>& AllShapes() {
  static const std::vector<Shape> shapes = {
      Flat(),  Smooth(),      Rugged(),   Sparse(), Categorical(), Constrained(), Interacting(),
      Cliff(), Conditional(), Tradeoff(), Mixed(),  Needle(),      Hartmann(),    Valley()};
  return shapes;
}

}  // namespace hone::toy

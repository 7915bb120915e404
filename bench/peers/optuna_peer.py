#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Optuna's samplers on the surfaces of bench/proposers.

Reads jobs, one JSON document a line, on standard input: {"surface": …, "seed": …, "sampler":
"tpe" | "multivariate" | "cmaes" | "random", "budgets": [30, 60, 120]}; answers each with one line per budget on
standard output. Evaluations come from `proposers_benchmark serve`, so the surface and its noise
are the ones that our proposers see.

Fairness: parameters get Optuna's natural types (int and float with their logarithmic scale and
step, categorical for choices and booleans, a categorical switch for special values, define-by-run
for conditional parameters). The baseline is in the study as a finished trial with value 0, at no
cost: ours knows it too. Constraints are repaired by the server exactly as ours are. A crash is
told as a reward of -1. The answer is study.best_params, as its users take it.
"""
import json
import subprocess
import sys

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

SPECIAL = "{}: special"
REGULAR = "regular"


class Server:
    """Our driver in `serve` mode."""

    def __init__(self, path):
        self.process = subprocess.Popen(
            [path, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        reply = self.process.stdout.readline()
        if not reply:
            raise RuntimeError("proposers_benchmark serve ended early")
        return json.loads(reply)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def distribution(parameter):
    """The Optuna distribution of one number."""
    low, high, step, log = (parameter[k] for k in ("low", "high", "step", "log"))
    if parameter["kind"] == "real":
        return FloatDistribution(low, high, log=log, step=step if step > 0 and not log else None)
    return IntDistribution(low, high, log=log, step=1 if log else step)


def parts(parameter):
    """(name in Optuna, distribution) of each number that the parameter consists of."""
    name = parameter["name"]
    if parameter["kind"] == "boolean":
        return [(name, CategoricalDistribution([False, True]))]
    if parameter["kind"] == "category":
        return [(name, CategoricalDistribution(parameter["choices"]))]
    if parameter["kind"] == "tuple":
        return [(f"{name}.{k}", distribution(parameter)) for k in range(parameter["arity"])]
    return [(name, distribution(parameter))]


def switch(parameter):
    """The categorical that says which special value holds, if any."""
    choices = [REGULAR] + [str(value) for value in parameter["specials"]]
    return SPECIAL.format(parameter["name"]), CategoricalDistribution(choices)


def walk(parameters, suggest):
    """Builds an assignment; `suggest(name, distribution, default)` gives each part."""
    assignment = {}
    for parameter in parameters:
        condition = parameter.get("condition")
        if condition and assignment.get(condition["parent"]) not in condition["values"]:
            continue
        name, default = parameter["name"], parameter["default"]
        if parameter["specials"]:
            held = suggest(*switch(parameter), REGULAR)
            if held != REGULAR:
                assignment[name] = type(parameter["specials"][0])(held)
                continue
        defaults = default if parameter["kind"] == "tuple" else [default]
        values = [suggest(*part, d) for part, d in zip(parts(parameter), defaults)]
        assignment[name] = values if parameter["kind"] == "tuple" else values[0]
    return assignment


def baseline_trial(parameters):
    """The baseline as a trial that is finished."""
    values, distributions = {}, {}

    def take_default(name, kind, default):
        values[name], distributions[name] = default, kind
        return default

    walk(parameters, take_default)
    return optuna.trial.create_trial(params=values, distributions=distributions, value=0.0)


def make_sampler(name, seed):
    return {"tpe": lambda: optuna.samplers.TPESampler(seed=seed),
            "multivariate": lambda: optuna.samplers.TPESampler(
                seed=seed, multivariate=True, group=True, warn_independent_sampling=False),
            "cmaes": lambda: optuna.samplers.CmaEsSampler(seed=seed, warn_independent_sampling=False),
            "random": lambda: optuna.samplers.RandomSampler(seed=seed)}[name]()


def run(server, job):
    """Yields the score of the recommended point at each budget, smallest first."""
    parameters = server.ask(start={"surface": job["surface"], "seed": job["seed"]})["parameters"]
    study = optuna.create_study(direction="maximize",
                                sampler=make_sampler(job["sampler"], job["seed"]))
    study.add_trial(baseline_trial(parameters))
    for number in range(1, max(job["budgets"]) + 1):
        trial = study.ask()
        assignment = walk(parameters, lambda name, kind, _: trial._suggest(name, kind))
        study.tell(trial, server.ask(evaluate=assignment)["reward"])
        if number in job["budgets"]:
            best = walk(parameters, lambda name, kind, _: study.best_params[name])
            yield number, server.ask(judge=best)["score"]


def main():
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    server = Server(sys.argv[1])
    for line in sys.stdin:
        job = json.loads(line)
        for budget, score in run(server, job):
            print(json.dumps({"surface": job["surface"], "seed": job["seed"], "budget": budget,
                              "proposer": "optuna-" + job["sampler"], "score": score}), flush=True)
    server.close()


if __name__ == "__main__":
    main()

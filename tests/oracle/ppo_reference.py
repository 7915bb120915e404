#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""ppo_reference.py [--check FILE]: what PyTorch says about PPO, in double precision, as JSON.

Made once into tests/oracle/data/ppo.json, so that the test needs no PyTorch:
    /usr/bin/python3 tests/oracle/ppo_reference.py > tests/oracle/data/ppo.json
With --check it compares with that file instead: exit 0 equal, 1 not, 77 without PyTorch.
The mathematics is written here a second time, from the papers, and differentiated by autograd.
"""
import json
import math
import sys

try:
    import numpy as np
    import torch
except ImportError:
    print("needs the Debian package python3-torch", file=sys.stderr)
    sys.exit(77)

torch.set_default_dtype(torch.float64)
D = torch.distributions


def listed(tensor):
    return tensor.detach().reshape(-1).tolist()


def advantages_case(rng, steps, envs):
    """GAE by its definition, a sum over what follows, not by the recursion."""
    gamma, lam = 0.97, 0.9
    rewards = rng.normal(size=(steps, envs))
    values = rng.normal(size=(steps, envs))
    ends = rng.random((steps, envs)) < 0.2
    last = rng.normal(size=envs)
    advantages = np.zeros((steps, envs))
    for e in range(envs):
        for t in range(steps):
            weight = 1.0
            for k in range(t, steps):
                after = last[e] if k == steps - 1 else values[k + 1, e]
                delta = rewards[k, e] + (0 if ends[k, e] else gamma * after) - values[k, e]
                advantages[t, e] += weight * delta
                if ends[k, e]:
                    break
                weight *= gamma * lam
    return {"environments": envs, "gamma": gamma, "lambda": lam,
            "rewards": rewards.ravel().tolist(), "values": values.ravel().tolist(),
            "ends": [int(x) for x in ends.ravel()], "last_values": last.tolist(),
            "advantages": advantages.ravel().tolist(),
            "returns": (advantages + values).ravel().tolist()}


def part_terms(kind, outputs, free, features, action):
    """Log-probability and entropy of one coordinate."""
    if kind == "gaussian":
        normal = D.Normal(outputs[0], free[0].exp())
        return normal.log_prob(action), normal.entropy()
    if kind == "squashed":
        log_prob = D.Normal(outputs[0], free[0].exp()).log_prob(action)
        log_prob = log_prob - torch.log1p(-torch.tanh(action) ** 2)
        return log_prob, -log_prob
    if kind in ("sde", "squashed_sde"):
        variance = (features ** 2 * (2 * free).exp()).sum() + 1e-6
        normal = D.Normal(outputs[0], variance.sqrt())
        log_prob = normal.log_prob(action)
        if kind == "sde":
            return log_prob, normal.entropy()
        log_prob = log_prob - torch.log1p(-torch.tanh(action) ** 2)
        return log_prob, -log_prob
    if kind == "beta":
        beta = D.Beta(*(1 + torch.nn.functional.softplus(outputs)))
        return beta.log_prob(action), beta.entropy()
    category = D.Categorical(logits=outputs)
    return category.log_prob(action), category.entropy()


def part_case(rng, kind):
    counts = {"gaussian": (1, 1), "squashed": (1, 1), "sde": (1, 5), "squashed_sde": (1, 5),
              "beta": (2, 0), "category": (4, 0)}
    output_count, free_count = counts[kind]
    outputs = torch.tensor(rng.normal(size=output_count), requires_grad=True)
    free = torch.tensor(rng.normal(size=free_count) * 0.5 - 0.5, requires_grad=True)
    features = torch.tensor(np.tanh(rng.normal(size=5)))
    action = torch.tensor(rng.random() if kind == "beta" else
                          float(rng.integers(4)) if kind == "category" else rng.normal())
    log_prob, entropy = part_terms(kind, outputs, free, features, action)
    loss = 0.7 * log_prob + 0.3 * entropy
    by_outputs, by_free = torch.autograd.grad(loss, [outputs, free], allow_unused=True)
    return {"kind": kind, "outputs": listed(outputs), "free": listed(free),
            "features": listed(features), "action": action.item(), "log_prob": log_prob.item(),
            "entropy": entropy.item(), "by_outputs": listed(by_outputs),
            "by_free": [] if by_free is None else listed(by_free)}


def mlp(inputs, hidden, outputs, act):
    layers = []
    for width in hidden:
        layers += [torch.nn.Linear(inputs, width), act()]
        inputs = width
    return torch.nn.Sequential(*layers, torch.nn.Linear(inputs, outputs))


class Agent(torch.nn.Module):
    def __init__(self, case):
        super().__init__()
        act = torch.nn.Tanh if case["activation_fn"] == "tanh" else torch.nn.ReLU
        self.kinds = case["kinds"]
        outputs = sum({"category": 3, "beta": 2}.get(k, 1) for k in self.kinds)
        self.policy = mlp(3, case["hidden"], outputs, act)
        self.value = mlp(3, case["hidden"], 1, act)
        free = sum({"gaussian": 1, "squashed": 1, "sde": case["hidden"][-1]}.get(k, 0)
                   for k in self.kinds)
        self.free = torch.nn.Parameter(torch.full((free,), -0.3))

    def listed(self, what=lambda p: p):
        """Numbers of all parameters, in the order of ActorCritic::Listed."""
        ordered = [*self.policy.parameters(), *self.value.parameters(), self.free]
        return listed(torch.cat([what(p).reshape(-1) for p in ordered]))

    def terms(self, observations, actions):
        features = self.policy[:-1](observations).detach()
        outputs = self.policy(observations)
        log_probs, entropies = [], []
        for row in range(len(observations)):
            at = free_at = 0
            sums = [0, 0]
            for i, kind in enumerate(self.kinds):
                width = {"category": 3, "beta": 2}.get(kind, 1)
                free = {"gaussian": 1, "squashed": 1, "sde": features.shape[1]}.get(kind, 0)
                terms = part_terms(kind, outputs[row, at:at + width],
                                   self.free[free_at:free_at + free], features[row],
                                   actions[row, i])
                sums = [a + b for a, b in zip(sums, terms)]
                at, free_at = at + width, free_at + free
            log_probs.append(sums[0])
            entropies.append(sums[1])
        return torch.stack(log_probs), torch.stack(entropies), self.value(observations)[:, 0]


def update_case(rng, case):
    """One full update: every epoch is one minibatch of all rows, so that no order matters."""
    torch.manual_seed(int(rng.integers(1 << 30)))
    agent = Agent(case)
    rows = case["rows"]
    observations = torch.tensor(rng.normal(size=(rows, 3)))
    columns = [rng.random(rows) if k == "beta" else rng.integers(3, size=rows).astype(float)
               if k == "category" else rng.normal(size=rows) for k in case["kinds"]]
    actions = torch.tensor(np.stack(columns, axis=1))
    with torch.no_grad():
        log_probs, _, values = agent.terms(observations, actions)
    old_log_probs = log_probs + torch.tensor(rng.normal(size=rows) * 0.2)
    advantages = torch.tensor(rng.normal(size=rows) + 0.3)
    returns = values + advantages
    start = agent.listed()
    optimiser = torch.optim.Adam(agent.parameters(), lr=case["learning_rate"], eps=1e-5)
    losses, first_gradient, norms = [], None, []
    for _ in range(case["n_epochs"]):
        log_prob, entropy, value = agent.terms(observations, actions)
        a = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        ratio = (log_prob - old_log_probs).exp()
        clip = case["clip_range"]
        policy_loss = -torch.min(a * ratio, a * ratio.clamp(1 - clip, 1 + clip)).mean()
        if case["clip_range_vf"] is not None:
            limit = case["clip_range_vf"]
            value = values + (value - values).clamp(-limit, limit)
        value_loss = ((returns - value) ** 2).mean()
        loss = policy_loss + case["vf_coef"] * value_loss - case["ent_coef"] * entropy.mean()
        kl = ((ratio - 1) - (log_prob - old_log_probs)).mean().item()
        clipped = ((ratio - 1).abs() > clip).double().mean().item()
        losses.append([policy_loss.item(), value_loss.item(), -entropy.mean().item(), kl, clipped])
        if case["target_kl"] is not None and kl > 1.5 * case["target_kl"]:
            break
        optimiser.zero_grad()
        loss.backward()
        if first_gradient is None:
            first_gradient = agent.listed(lambda p: torch.zeros_like(p) if p.grad is None
                                          else p.grad)
        norms.append(torch.nn.utils.clip_grad_norm_(
            [p for p in agent.parameters() if p.grad is not None], case["max_grad_norm"]).item())
        optimiser.step()
    return {**case, "observations": listed(observations), "actions": listed(actions),
            "old_log_probs": listed(old_log_probs), "values": listed(values),
            "advantages": listed(advantages), "returns": listed(returns),
            "start": start, "end": agent.listed(), "first_gradient": first_gradient or [],
            "losses": np.mean(losses, axis=0).tolist(), "minibatches": len(losses),
            "norms": norms}


UPDATES = [
    {"kinds": ["gaussian", "gaussian"], "hidden": [5, 4], "rows": 8, "n_epochs": 4,
     "learning_rate": 3e-3, "clip_range": 0.2, "clip_range_vf": None, "vf_coef": 0.5,
     "ent_coef": 0.01, "max_grad_norm": 0.5, "target_kl": None, "activation_fn": "tanh"},
    {"kinds": ["category"], "hidden": [6, 6], "rows": 10, "n_epochs": 5, "learning_rate": 1e-2,
     "clip_range": 0.1, "clip_range_vf": 0.3, "vf_coef": 0.7, "ent_coef": 0.05,
     "max_grad_norm": 100.0, "target_kl": None, "activation_fn": "tanh"},
    {"kinds": ["beta", "category", "squashed"], "hidden": [7], "rows": 9, "n_epochs": 3,
     "learning_rate": 5e-3, "clip_range": 0.2, "clip_range_vf": None, "vf_coef": 0.5,
     "ent_coef": 0.02, "max_grad_norm": 0.2, "target_kl": None, "activation_fn": "relu"},
    {"kinds": ["sde", "sde"], "hidden": [6, 5], "rows": 12, "n_epochs": 4, "learning_rate": 2e-3,
     "clip_range": 0.2, "clip_range_vf": None, "vf_coef": 0.2, "ent_coef": 0.005,
     "max_grad_norm": 5.0, "target_kl": None, "activation_fn": "tanh"},
    {"kinds": ["gaussian"], "hidden": [8, 8], "rows": 16, "n_epochs": 30, "learning_rate": 3e-2,
     "clip_range": 0.2, "clip_range_vf": None, "vf_coef": 0.5, "ent_coef": 0.0,
     "max_grad_norm": 0.5, "target_kl": 0.03, "activation_fn": "tanh"},
]

# What Reset(1) shows; the test notices if it ever shows something else.
STARTS = {
    "Acrobot-v1": [0.99807649798215481, 0.061994388259564964, 0.9970371124249513,
                   -0.076922015361761367, -0.014132367404826374, -0.062869982630566826],
    "CartPole-v1": [-0.012898721586180849, -0.019898343232571804, -0.0034158839546291619,
                    -0.0099914154118257645],
    "MountainCar-v0": [-0.55763544309645419, 0],
    "MountainCarContinuous-v0": [-0.47737396271553478, 0],
    "Pendulum-v1": [-0.87192688335371971, 0.48963609965470156, 0.101052549869459],
}


def cart_pole(s, a):
    x, v, th, w = s
    force = 10.0 if a == 1 else -10.0
    temp = (force + 0.05 * w ** 2 * math.sin(th)) / 1.1
    wacc = (9.8 * math.sin(th) - math.cos(th) * temp) / (
        0.5 * (4.0 / 3.0 - 0.1 * math.cos(th) ** 2 / 1.1))
    vacc = temp - 0.05 * wacc * math.cos(th) / 1.1
    s = [x + 0.02 * v, v + 0.02 * vacc, th + 0.02 * w, w + 0.02 * wacc]
    return s, 1.0, abs(s[0]) > 2.4 or abs(s[2]) > 12 * 2 * math.pi / 360


def mountain_car(s, a):
    x, v = s
    v = min(max(v + (a - 1) * 0.001 - 0.0025 * math.cos(3 * x), -0.07), 0.07)
    x = min(max(x + v, -1.2), 0.6)
    if x == -1.2 and v < 0:
        v = 0.0
    return [x, v], -1.0, x >= 0.5 and v >= 0


def mountain_car_continuous(s, a):
    x, v = s
    v = min(max(v + a * 0.0015 - 0.0025 * math.cos(3 * x), -0.07), 0.07)
    x = min(max(x + v, -1.2), 0.6)
    if x == -1.2 and v < 0:
        v = 0.0
    done = x >= 0.45 and v >= 0
    return [x, v], (100.0 if done else 0.0) - 0.1 * a * a, done


def pendulum(s, u):
    th, w = math.atan2(s[1], s[0]), s[2]
    cost = th ** 2 + 0.1 * w ** 2 + 0.001 * u ** 2
    w = min(max(w + (3 * 10 / 2 * math.sin(th) + 3.0 * u) * 0.05, -8.0), 8.0)
    th += w * 0.05
    return [math.cos(th), math.sin(th), w], -cost, False


def acrobot(s, a):
    def dsdt(y):
        t1, t2, d1, d2 = y
        m1 = m2 = l1 = i1 = i2 = 1.0
        lc1 = lc2 = 0.5
        g = 9.8
        e1 = m1 * lc1 ** 2 + m2 * (l1 ** 2 + lc2 ** 2 + 2 * l1 * lc2 * math.cos(t2)) + i1 + i2
        e2 = m2 * (lc2 ** 2 + l1 * lc2 * math.cos(t2)) + i2
        p2 = m2 * lc2 * g * math.cos(t1 + t2 - math.pi / 2)
        p1 = (-m2 * l1 * lc2 * d2 ** 2 * math.sin(t2) - 2 * m2 * l1 * lc2 * d2 * d1 * math.sin(t2)
              + (m1 * lc1 + m2 * l1) * g * math.cos(t1 - math.pi / 2) + p2)
        dd2 = ((a - 1) + e2 / e1 * p1 - m2 * l1 * lc2 * d1 ** 2 * math.sin(t2) - p2) / (
            m2 * lc2 ** 2 + i2 - e2 ** 2 / e1)
        return np.array([d1, d2, -(e2 * dd2 + p1) / e1, dd2])

    y = np.array([math.atan2(s[1], s[0]), math.atan2(s[3], s[2]), s[4], s[5]])
    h = 0.2
    k1 = dsdt(y)
    k2 = dsdt(y + h / 2 * k1)
    k3 = dsdt(y + h / 2 * k2)
    k4 = dsdt(y + h * k3)
    y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    y[2] = min(max(y[2], -4 * math.pi), 4 * math.pi)
    y[3] = min(max(y[3], -9 * math.pi), 9 * math.pi)
    done = -math.cos(y[0]) - math.cos(y[0] + y[1]) > 1
    state = [math.cos(y[0]), math.sin(y[0]), math.cos(y[1]), math.sin(y[1]), y[2], y[3]]
    return state, 0.0 if done else -1.0, done


def motion_case(rng, name):
    step, low, high, choices, limit = {
        "Acrobot-v1": (acrobot, 0, 1, 3, 500), "CartPole-v1": (cart_pole, 0, 1, 2, 500),
        "MountainCar-v0": (mountain_car, 0, 1, 3, 200),
        "MountainCarContinuous-v0": (mountain_car_continuous, -1, 1, 0, 999),
        "Pendulum-v1": (pendulum, -2, 2, 0, 200)}[name]
    state, rows = STARTS[name], []
    for count in range(min(limit, 120)):
        unit = float(rng.random())
        action = min(int(unit * choices), choices - 1) if choices else low + unit * (high - low)
        state, reward, done = step(state, action)
        rows.append({"unit": unit, "observation": [float(x) for x in state], "reward": reward,
                     "is_terminated": bool(done)})
        if done or count + 1 == limit:
            break
    return {"name": name, "start": STARTS[name], "steps": rows}


def make():
    rng = np.random.default_rng(20240607)
    return {"made_by": "tests/oracle/ppo_reference.py", "torch": torch.__version__,
            "advantages": [advantages_case(rng, 12, 3), advantages_case(rng, 7, 1)],
            "parts": [part_case(rng, kind) for kind in
                      ("gaussian", "squashed", "sde", "squashed_sde", "beta", "category")
                      for _ in range(3)],
            "updates": [update_case(rng, case) for case in UPDATES],
            "motions": [motion_case(rng, name) for name in STARTS]}


def same(a, b):
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, (int, float)):
        return abs(a - b) <= 1e-9 * max(1.0, abs(a))
    return a == b


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        with open(sys.argv[2], encoding="utf-8") as file:
            stored = json.load(file)
        fresh = json.loads(json.dumps(make()))
        stored.pop("torch"), fresh.pop("torch")
        print("equal" if same(fresh, stored) else "PyTorch says something else now")
        return 0 if same(fresh, stored) else 1
    print(json.dumps(make(), separators=(",", ":")))
    return 0


if __name__ == "__main__":
    sys.exit(main())

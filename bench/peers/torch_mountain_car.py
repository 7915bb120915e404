#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""torch_mountain_car.py [--runs N] [--seed S] [--device D]: PPO on MountainCarContinuous-v0.

How often does the algorithm itself fail, whoever wrote it? The update of Stable-Baselines3 with the
settings of rl-baselines3-zoo (gSDE, both normalisations, rollouts of 8 steps), in PyTorch with
autograd, and none of our C++. All runs are made side by side: a run is one slice of every tensor,
with networks, noise, statistics, Adam and gradient norm of its own, so that one pass of a few
minutes gives many independent runs. Each is then judged as the zoo does, by the last policy without
exploration. Prints one JSON document a run.
"""
import argparse
import json
import math

import torch

STEPS, ROLLOUT, EPOCHS, HIDDEN = 20_000, 8, 10, 64
GAMMA, LAMBDA, CLIP, RATE = 0.9999, 0.9, 0.1, 7.77e-5
ENTROPY, VALUE, MOST_NORM, LOG_STD = 0.00429, 0.19, 5.0, -3.29
MOST_STEPS, EPISODES = 999, 100
DEVICE = "cpu"


def uniform(*shape, low, high, dtype=torch.float32):
    return torch.empty(*shape, dtype=dtype, device=DEVICE).uniform_(low, high)


def zeros(*shape, dtype=torch.float64):
    return torch.zeros(*shape, dtype=dtype, device=DEVICE)


class Cars:
    """Gymnasium's MountainCarContinuous-v0, one a row."""

    def __init__(self, count):
        self.x = uniform(count, low=-0.6, high=-0.4, dtype=torch.float64)
        self.speed = zeros(count)
        self.length = zeros(count, dtype=torch.long)

    def observe(self):
        return torch.stack([self.x, self.speed], 1)

    def step(self, action):
        force = action.double().clamp(-1, 1)
        self.speed = (self.speed + force * 0.0015 - 0.0025 * torch.cos(3 * self.x)).clamp(-.07, .07)
        self.x = (self.x + self.speed).clamp(-1.2, 0.6)
        self.speed = torch.where((self.x == -1.2) & (self.speed < 0), 0.0, self.speed)
        self.length += 1
        terminated = (self.x >= 0.45) & (self.speed >= 0)
        truncated = ~terminated & (self.length >= MOST_STEPS)
        return 100.0 * terminated - 0.1 * force * force, terminated, truncated

    def restart(self, which):
        start = uniform(len(self.x), low=-0.6, high=-0.4, dtype=torch.float64)
        self.x = torch.where(which, start, self.x)
        self.speed = self.speed * ~which
        self.length = self.length * ~which


class Running:
    """Mean and variance over all rows so far, of each run on its own."""

    def __init__(self, *shape):
        self.mean, self.variance, self.count = zeros(*shape), zeros(*shape) + 1, 1e-4

    def update(self, row):
        total, delta = self.count + 1, row - self.mean
        self.mean = self.mean + delta / total
        self.variance = (self.variance * self.count + delta ** 2 * self.count / total) / total
        self.count = total

    def normalise(self, row, centre=True):
        shift = self.mean if centre else 0
        return ((row - shift) / torch.sqrt(self.variance + 1e-8)).clamp(-10, 10).float()


def linear(runs, inputs, outputs):
    """PyTorch's own initial weights (ortho_init is off)."""
    bound = 1 / math.sqrt(inputs)
    return [uniform(runs, inputs, outputs, low=-bound, high=bound).requires_grad_(),
            uniform(runs, 1, outputs, low=-bound, high=bound).requires_grad_()]


def hidden(net, rows):
    for weights, biases in (net[0:2], net[2:4]):
        rows = torch.tanh(torch.baddbmm(biases, rows, weights))
    return rows


def head(net, features):
    return torch.baddbmm(net[5], features, net[4])[..., 0]


class Adam:
    def __init__(self, parameters):
        self.parameters, self.steps = parameters, 0
        self.first = [torch.zeros_like(p) for p in parameters]
        self.second = [torch.zeros_like(p) for p in parameters]

    def step(self):
        self.steps += 1
        squares = sum((p.grad ** 2).flatten(1).sum(1) for p in self.parameters)
        scale = (MOST_NORM / (squares.sqrt() + 1e-6)).clamp(max=1)
        rate, root = RATE / (1 - 0.9 ** self.steps), math.sqrt(1 - 0.999 ** self.steps)
        with torch.no_grad():
            for p, m, v in zip(self.parameters, self.first, self.second):
                g = p.grad * scale.view(-1, *[1] * (p.dim() - 1))
                m.mul_(0.9).add_(g, alpha=0.1)
                v.mul_(0.999).addcmul_(g, g, value=0.001)
                p.addcdiv_(m, v.sqrt() / root + 1e-5, value=-rate)
                p.grad = None


def log_prob_and_entropy(features, means, log_std, actions):
    given = features.detach()
    variance = torch.bmm(given ** 2, (2 * log_std).exp())[..., 0] + 1e-6
    half_log = 0.5 * variance.log()
    constant = 0.5 * math.log(2 * math.pi)
    return (-0.5 * (actions - means) ** 2 / variance - half_log - constant,
            0.5 + constant + half_log)


class Training:
    def __init__(self, runs, bootstraps):
        self.runs, self.bootstraps = runs, bootstraps
        self.policy = linear(runs, 2, HIDDEN) + linear(runs, HIDDEN, HIDDEN) + linear(
            runs, HIDDEN, 1)
        self.value = linear(runs, 2, HIDDEN) + linear(runs, HIDDEN, HIDDEN) + linear(
            runs, HIDDEN, 1)
        self.log_std = torch.full((runs, HIDDEN, 1), LOG_STD, device=DEVICE).requires_grad_()
        self.adam = Adam([*self.policy, *self.value, self.log_std])
        self.cars, self.seen, self.returned = Cars(runs), Running(runs, 2), Running(runs)
        self.discounted = zeros(runs)
        self.seen.update(self.cars.observe())
        self.now = self.seen.normalise(self.cars.observe())
        self.goals = zeros(runs, dtype=torch.long)

    def values(self, rows):
        return head(self.value, hidden(self.value, rows[:, None]))[:, 0]

    def take_step(self, noise):
        features = hidden(self.policy, self.now[:, None])
        mean = head(self.policy, features)
        action = mean + torch.bmm(features, noise)[..., 0]
        log_prob, _ = log_prob_and_entropy(features, mean, self.log_std, action)
        row = [self.now, action[:, 0], log_prob[:, 0], self.values(self.now)]
        reward, terminated, truncated = self.cars.step(action[:, 0])
        self.goals += terminated
        ended, last = terminated | truncated, self.cars.observe()
        self.cars.restart(ended)
        self.seen.update(self.cars.observe())
        self.now = self.seen.normalise(self.cars.observe())
        self.discounted = self.discounted * GAMMA + reward
        self.returned.update(self.discounted)
        reward = self.returned.normalise(reward, centre=False)
        self.discounted = self.discounted * ~ended
        if self.bootstraps:
            rest = self.values(self.seen.normalise(last))
            reward = torch.where(truncated, reward + GAMMA * rest, reward)
        return row + [reward, (~ended).float()]

    def collect(self):
        with torch.no_grad():
            noise = torch.randn(self.runs, HIDDEN, 1, device=DEVICE) * self.log_std.exp()
            rows = [self.take_step(noise) for _ in range(ROLLOUT)]
            after, carry, advantages = self.values(self.now), torch.zeros_like(rows[0][1]), []
            for *_, value, reward, goes_on in reversed(rows):
                delta = reward + GAMMA * goes_on * after - value
                carry = delta + GAMMA * LAMBDA * goes_on * carry
                advantages.insert(0, carry)
                after = value
        observations, actions, log_probs, values = (
            torch.stack([row[i] for row in rows], 1) for i in range(4))
        advantages = torch.stack(advantages, 1)
        returns = advantages + values
        advantages = advantages - advantages.mean(1, keepdim=True)
        advantages = advantages / (advantages.std(1, keepdim=True) + 1e-8)
        return observations, actions, log_probs, advantages, returns

    def improve(self):
        observations, actions, old, advantages, returns = self.collect()
        for _ in range(EPOCHS):  # A rollout is one minibatch, so its order does not matter.
            features = hidden(self.policy, observations)
            log_prob, entropy = log_prob_and_entropy(features, head(self.policy, features),
                                                     self.log_std, actions)
            ratio = (log_prob - old).exp()
            gain = torch.min(advantages * ratio, advantages * ratio.clamp(1 - CLIP, 1 + CLIP))
            values = head(self.value, hidden(self.value, observations))
            loss = -gain + VALUE * (values - returns) ** 2 - ENTROPY * entropy
            loss.mean(1).sum().backward()
            self.adam.step()

    def judge(self):
        """The mean return of every run's policy, without exploration."""
        with torch.no_grad():
            cars = Cars(self.runs * EPISODES)
            total = zeros(self.runs * EPISODES)
            going = torch.ones_like(total, dtype=torch.bool)
            while going.any():
                rows = cars.observe().view(self.runs, EPISODES, 2)
                seen = self.seen
                rows = ((rows - seen.mean[:, None]) / torch.sqrt(seen.variance[:, None] + 1e-8))
                rows = rows.clamp(-10, 10).float()
                means = head(self.policy, hidden(self.policy, rows)).reshape(-1)
                reward, terminated, truncated = cars.step(means)
                total += torch.where(going, reward, 0.0)
                going &= ~(terminated | truncated)
            return total.view(self.runs, EPISODES)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=100, help="side by side")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--time-limit-ends", action="store_true",
                        help="as before Stable-Baselines3 1.4: no value after the time limit")
    args = parser.parse_args()
    global DEVICE
    DEVICE = args.device
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    training = Training(args.runs, not args.time_limit_ends)
    for _ in range(args.steps // ROLLOUT):
        training.improve()
    totals = training.judge().cpu()
    for i in range(args.runs):
        print(json.dumps({"run": i, "mean": float(totals[i].mean()),
                          "deviation": float(totals[i].std(unbiased=False)),
                          "arrivals_in_training": int(training.goals[i])}))


if __name__ == "__main__":
    main()

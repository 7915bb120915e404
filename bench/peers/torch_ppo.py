#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""torch_ppo.py --steps N --envs E --n-steps S --batch B --epochs K …: PPO on CartPole in PyTorch.

The peer of bench/ppo, written by us to be as fast as plain PyTorch reasonably gets: the update is
that of Stable-Baselines3 (same networks, losses, Adam, clipping), the environments are one
vectorised NumPy function instead of one Python object each, nothing is logged, sampling avoids the
checks of torch.distributions. Prints one JSON document with the steps, the seconds and the mean
reward of the last 100 episodes.
"""
import argparse
import collections
import json
import resource
import time

import numpy as np
import torch


class CartPoles:
    """Gymnasium's CartPole-v1, all copies at once."""

    def __init__(self, count, rng):
        self.rng, self.count = rng, count
        self.state = rng.uniform(-0.05, 0.05, (count, 4))
        self.length = np.zeros(count, dtype=int)

    def step(self, actions):
        x, v, th, w = self.state.T
        force = np.where(actions == 1, 10.0, -10.0)
        sine, cosine = np.sin(th), np.cos(th)
        temp = (force + 0.05 * w * w * sine) / 1.1
        wacc = (9.8 * sine - cosine * temp) / (0.5 * (4.0 / 3.0 - 0.1 * cosine * cosine / 1.1))
        vacc = temp - 0.05 * wacc * cosine / 1.1
        self.state = np.stack([x + 0.02 * v, v + 0.02 * vacc, th + 0.02 * w, w + 0.02 * wacc], 1)
        self.length += 1
        terminated = (np.abs(self.state[:, 0]) > 2.4) | (np.abs(self.state[:, 2]) > 0.20943951)
        truncated = ~terminated & (self.length >= 500)
        last = self.state
        ended = terminated | truncated
        lengths = self.length[ended]
        if ended.any():
            self.state = self.state.copy()
            self.state[ended] = self.rng.uniform(-0.05, 0.05, (int(ended.sum()), 4))
            self.length[ended] = 0
        return ended, truncated, last, lengths


def network(outputs, gain):
    layers = [torch.nn.Linear(4, 64), torch.nn.Tanh(), torch.nn.Linear(64, 64), torch.nn.Tanh(),
              torch.nn.Linear(64, outputs)]
    for layer, g in ((layers[0], 2 ** 0.5), (layers[2], 2 ** 0.5), (layers[4], gain)):
        torch.nn.init.orthogonal_(layer.weight, g)
        torch.nn.init.zeros_(layer.bias)
    return torch.nn.Sequential(*layers)


def collect(args, policy, value, poles, rewards_seen):
    shape = (args.n_steps, args.envs)
    observations = torch.zeros(*shape, 4)
    actions, log_probs = torch.zeros(shape, dtype=torch.long), torch.zeros(shape)
    values, rewards, goes_on = np.zeros(shape), np.ones(shape), np.ones(shape)
    with torch.no_grad():
        for t in range(args.n_steps):
            seen = torch.as_tensor(poles.state, dtype=torch.float32)
            logits = torch.log_softmax(policy(seen), 1)
            taken = torch.multinomial(logits.exp(), 1)
            observations[t], actions[t] = seen, taken[:, 0]
            log_probs[t], values[t] = logits.gather(1, taken)[:, 0], value(seen)[:, 0].numpy()
            ended, truncated, last, lengths = poles.step(taken[:, 0].numpy())
            goes_on[t] = ~ended
            rewards_seen.extend(lengths.tolist())
            if truncated.any():
                rest = value(torch.as_tensor(last[truncated], dtype=torch.float32))
                rewards[t, truncated] += args.gamma * rest[:, 0].numpy()
        after = value(torch.as_tensor(poles.state, dtype=torch.float32))[:, 0].numpy()
    advantages, carry = np.zeros(shape), np.zeros(args.envs)
    for t in reversed(range(args.n_steps)):
        delta = rewards[t] + args.gamma * goes_on[t] * after - values[t]
        carry = delta + args.gamma * args.gae_lambda * goes_on[t] * carry
        advantages[t], after = carry, values[t]
    return (observations.reshape(-1, 4), actions.reshape(-1), log_probs.reshape(-1),
            torch.as_tensor(advantages.ravel(), dtype=torch.float32),
            torch.as_tensor((advantages + values).ravel(), dtype=torch.float32))


def improve(args, policy, value, parameters, optimiser, rollout, clip):
    observations, actions, old, advantages, returns = rollout
    for _ in range(args.epochs):
        order = torch.randperm(len(actions))
        for at in range(0, len(actions), args.batch):
            rows = order[at:at + args.batch]
            seen = observations[rows]
            logits = torch.log_softmax(policy(seen), 1)
            log_prob = logits.gather(1, actions[rows, None])[:, 0]
            a = advantages[rows]
            if len(a) > 1:
                a = (a - a.mean()) / (a.std() + 1e-8)
            ratio = (log_prob - old[rows]).exp()
            loss = -torch.min(a * ratio, a * ratio.clamp(1 - clip, 1 + clip)).mean()
            loss = loss + 0.5 * torch.nn.functional.mse_loss(value(seen)[:, 0], returns[rows])
            entropy = -(logits.exp() * logits).sum(1).mean()
            loss = loss - args.ent_coef * entropy
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 0.5)
            optimiser.step()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=20000)
    parser.add_argument("--envs", type=int, default=8)
    parser.add_argument("--n-steps", type=int, default=32)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--gamma", type=float, default=0.98)
    parser.add_argument("--gae-lambda", type=float, default=0.8)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--clip", type=float, default=0.2)
    parser.add_argument("--linear", action="store_true", help="rate and clip range fall to 0")
    parser.add_argument("--ent-coef", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    poles = CartPoles(args.envs, np.random.default_rng(args.seed))
    policy, value = network(2, 0.01), network(1, 1.0)
    parameters = [*policy.parameters(), *value.parameters()]
    optimiser = torch.optim.Adam(parameters, lr=args.rate, eps=1e-5)
    rewards_seen = collections.deque(maxlen=100)
    steps, began, used = 0, time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
    while steps < args.steps:
        rollout = collect(args, policy, value, poles, rewards_seen)
        steps += args.envs * args.n_steps
        remaining = max(1 - steps / args.steps, 0) if args.linear else 1
        for group in optimiser.param_groups:
            group["lr"] = args.rate * remaining
        improve(args, policy, value, parameters, optimiser, rollout, args.clip * remaining)
    seconds, now = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({
        "steps": steps, "seconds": seconds, "threads": args.threads, "torch": torch.__version__,
        "processor_seconds": now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime,
        "training_reward": float(np.mean(rewards_seen)) if rewards_seen else 0.0}))


if __name__ == "__main__":
    main()

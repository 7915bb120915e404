// SPDX-License-Identifier: Apache-2.0
// A made-up training that has gone well, and goes on.
const kColumns = [
  "time/total_timesteps",
  "rollout/ep_rew_mean",
  "rollout/ep_len_mean",
  "train/policy_gradient_loss",
  "train/value_loss",
  "train/entropy_loss",
  "train/approx_kl",
  "train/clip_fraction",
  "train/explained_variance",
  "train/learning_rate",
  "train/clip_range",
  "train/n_updates",
];

export const training = (start) => ({
  algorithm: "ppo",
  environment: "CartPole-v1",
  seed: 1,
  steps: 0,
  total_steps: 100000,
  settings: { n_envs: "8", n_steps: "32", batch_size: "256", stats_window_size: "100" },
  columns: kColumns,
  began: new Date(start).toISOString(),
  is_live: true,
  state: "training",
  folder: "runs/cartpole",
  score: null,
  message: "",
});

export function update(at) {
  const share = at / 390;
  const noise = (((at * 7919) % 101) / 101 - 0.5) * 2;
  const reward = at < 2 ? null : 500 / (1 + Math.exp(-12 * (share - 0.35))) + 8 * noise;
  return {
    at_s: at * 0.02,
    values: [
      256 * (at + 1),
      reward,
      reward,
      -0.01 + 0.01 * noise,
      40 * (1 - share) + 3 * noise,
      -0.69 * (1 - 0.6 * share),
      0.008 + 0.004 * noise,
      0.1 + 0.05 * noise,
      Math.min(0.95, share * 2),
      0.001 * (1 - share),
      0.2 * (1 - share),
      20 * (at + 1),
    ],
  };
}

// SPDX-License-Identifier: Apache-2.0
import type { LimitCheck } from "../api/records";
import { limitText } from "../text/format";

// Each limit that a proof was held to. Their metrics are named outside of this page.
export function Limits({ checks, confidence }: { checks: LimitCheck[]; confidence: number }) {
  return checks.map((check) => (
    <p key={limitText(check, confidence)} class={check.holds ? "" : "warn"}>
      Limit <bdi>{limitText(check, confidence)}</bdi>
    </p>
  ));
}

// SPDX-License-Identifier: Apache-2.0
import { ApiError, post } from "../api/client";
import type { Control } from "../api/types";
import type { Session } from "./session";

// Asks for what a button stands for. What to tell the reader; a refusal for want of a token asks
// for one, and tries once more.
export async function sendControl(
  path: string,
  said: Partial<Record<Control, string>>,
  deed: string,
  session: Session,
): Promise<string> {
  for (let attempt = 0; ; ++attempt) {
    try {
      const { control } = await post<{ control: Control }>(path);
      return said[control] ?? control;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!error.needsToken || attempt > 0) return `Refused: ${error.message}`;
      const why = `${deed} needs a token of the role admin: a line of the file "tokens" beside the store.`;
      if (!(await session.askToken(why))) {
        return "Nothing was done: it needs a token of the role admin.";
      }
    }
  }
}

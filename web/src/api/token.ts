// SPDX-License-Identifier: Apache-2.0
// The token lives as long as the tab, and travels in a header only, never in an address.

const kKey = "hone-token";

let fallback = "";

export function token(): string {
  try {
    return sessionStorage.getItem(kKey) ?? fallback;
  } catch {
    return fallback;
  }
}

export function setToken(value: string): void {
  fallback = value;
  try {
    if (value === "") sessionStorage.removeItem(kKey);
    else sessionStorage.setItem(kKey, value);
  } catch {
    // Storage is off: the token is kept until the page is loaded again.
  }
}

export function authorization(): Record<string, string> {
  const value = token();
  return value === "" ? {} : { Authorization: `Bearer ${value}` };
}

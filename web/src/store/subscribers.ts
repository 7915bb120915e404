// SPDX-License-Identifier: Apache-2.0

// A store that parts of the page follow, each on its own.
export class Subscribers {
  private readonly listeners = new Set<() => void>();

  // Called by notify(), which whoever feeds the store calls when there is something to show.
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  notify(): void {
    for (const listener of this.listeners) listener();
  }
}

// SPDX-License-Identifier: Apache-2.0
import { Component, type ComponentChildren } from "preact";
import { forget, renderSoon } from "../store/frames";
import type { Subscribers } from "../store/subscribers";

interface LiveProps {
  store: Subscribers;
  because: unknown[]; // Rendered at once when one of these changes; else when the store says so.
  children: () => ComponentChildren;
}

// A part of the page that follows the store on its own, in a frame of its own, so that no frame
// renders the whole page.
export class Live extends Component<LiveProps> {
  private off: () => void = () => undefined;
  private is_due = true;

  override componentDidMount(): void {
    this.off = this.props.store.subscribe(() =>
      renderSoon(this, () => {
        this.is_due = true;
        this.setState({});
      }),
    );
  }

  override componentWillUnmount(): void {
    this.off();
    forget(this);
  }

  override shouldComponentUpdate(next: LiveProps): boolean {
    return this.is_due || next.because.some((one, at) => one !== this.props.because[at]);
  }

  override render(): ComponentChildren {
    this.is_due = false;
    return this.props.children();
  }
}

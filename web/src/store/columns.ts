// SPDX-License-Identifier: Apache-2.0

// Numbers in a row that only grows; appending costs the same however many there are.
export class Column {
  private room = new Float64Array(256);
  length = 0;

  push(value: number): void {
    if (this.length === this.room.length) {
      const larger = new Float64Array(this.room.length * 2);
      larger.set(this.room);
      this.room = larger;
    }
    this.room[this.length++] = value;
  }

  at(index: number): number {
    return index < this.length ? (this.room[index] as number) : NaN;
  }

  set(index: number, value: number): void {
    while (this.length <= index) this.push(NaN);
    this.room[index] = value;
  }

  // The numbers so far; valid until the next push.
  view(): Float64Array {
    return this.room.subarray(0, this.length);
  }
}

// The points of a cloud.
export class Cloud {
  readonly x = new Column();
  readonly y = new Column();

  push(x: number, y: number): void {
    this.x.push(x);
    this.y.push(y);
  }

  get length(): number {
    return this.x.length;
  }
}

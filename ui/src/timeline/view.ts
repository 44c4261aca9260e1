// What part of time is on screen, and how keys and wheel move it.

export class View {
  /** Time at the left edge, in ns. */
  from = 0;
  nsPerPx = 1;
  width = 1;

  constructor(
    private readonly lowest: number,
    private readonly highest: number,
  ) {}

  get to(): number {
    return this.from + this.nsPerPx * this.width;
  }

  show(from: number, to: number): void {
    this.nsPerPx = Math.max(to - from, 10) / this.width;
    this.from = from;
    this.limit();
  }

  showAll(): void {
    const margin = (this.highest - this.lowest) * 0.01;
    this.show(this.lowest - margin, this.highest + margin);
  }

  /** Keeps the time under the pixel x where it is. */
  zoom(factor: number, x: number): void {
    const fixed = this.from + x * this.nsPerPx;
    const least = 10 / this.width,
      most = (1.1 * (this.highest - this.lowest) + 10) / this.width;
    this.nsPerPx = Math.min(most, Math.max(least, this.nsPerPx * factor));
    this.from = fixed - x * this.nsPerPx;
    this.limit();
  }

  pan(px: number): void {
    this.from += px * this.nsPerPx;
    this.limit();
  }

  resize(width: number): void {
    if (width === this.width) return;
    const to = this.to;
    const fresh = this.width === 1;
    this.width = width;
    if (!fresh) this.nsPerPx = (to - this.from) / width;
  }

  x(time: number): number {
    return (time - this.from) / this.nsPerPx;
  }

  time(x: number): number {
    return this.from + x * this.nsPerPx;
  }

  /** Half of the screen at most may be empty. */
  private limit(): void {
    const half = (this.to - this.from) / 2;
    this.from = Math.max(this.lowest - half, Math.min(this.highest - half, this.from));
  }
}

/** Moves the view while W, A, S or D are held down. */
export class HeldKeys {
  private readonly held = new Set<string>();
  private frame = 0;
  private last = 0;

  constructor(
    private readonly view: () => View | null,
    private readonly pointer: () => number,
    private readonly moved: () => void,
  ) {}

  press(key: string): boolean {
    if (!'wasd'.includes(key) || key.length !== 1) return false;
    this.held.add(key);
    if (!this.frame) {
      this.last = performance.now() - 16;
      this.frame = requestAnimationFrame(this.step);
    }
    return true;
  }

  release(key: string): void {
    this.held.delete(key);
  }

  stop(): void {
    this.held.clear();
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }

  private readonly step = (now: number): void => {
    const view = this.view();
    if (!view || this.held.size === 0) {
      this.frame = 0;
      return;
    }
    const seconds = Math.min(0.1, Math.max(0.001, (now - this.last) / 1000));
    this.last = now;
    const has = (key: string): number => Number(this.held.has(key));
    view.pan((has('d') - has('a')) * seconds * 0.9 * view.width);
    const zoom = has('s') - has('w');
    if (zoom) view.zoom(5 ** (zoom * seconds), this.pointer());
    this.moved();
    this.frame = requestAnimationFrame(this.step);
  };
}

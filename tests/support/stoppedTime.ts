/** Replaces `performance.now`, which limits the time of a parse, with `read`. Returns a function that restores the original. */
export function replaceTime(read: () => number): () => void {
  const earlier = Object.getOwnPropertyDescriptor(performance, 'now');
  Object.defineProperty(performance, 'now', { value: read, configurable: true, writable: true });
  return () => {
    if (earlier) Object.defineProperty(performance, 'now', earlier);
    else Reflect.deleteProperty(performance, 'now');
  };
}

/** Stops `performance.now` during a suite, so that no machine is too slow for the time limit of a parse. */
export function stopTime(): void {
  let restore: () => void;
  before(() => {
    const at = performance.now();
    restore = replaceTime(() => at);
  });
  after(() => restore());
}

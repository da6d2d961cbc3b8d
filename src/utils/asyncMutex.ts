/** Runs async sections one at a time, in call order. */
export class AsyncMutex {
  private tail: Promise<unknown> = Promise.resolve();

  runExclusive<T>(section: () => Promise<T> | T): Promise<T> {
    const run = this.tail.then(section, section);
    this.tail = run.catch(() => undefined);
    return run;
  }
}

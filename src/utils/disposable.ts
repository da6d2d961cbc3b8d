export interface Disposable {
  dispose(): void | Promise<void>;
}

/** Collects disposables and disposes them in reverse order. An item added after disposal is disposed immediately. */
export class DisposableStore implements Disposable {
  private readonly items: Disposable[] = [];
  private isDisposed = false;

  add<T extends Disposable>(item: T): T {
    if (this.isDisposed) void item.dispose();
    else this.items.push(item);
    return item;
  }

  /** Disposes all items one after the other, even if an item throws. Then throws the first error. */
  async dispose(): Promise<void> {
    this.isDisposed = true;
    const failures: unknown[] = [];
    for (let item = this.items.pop(); item !== undefined; item = this.items.pop()) {
      try {
        await item.dispose();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

import type { FileTouch, TouchListener } from '../files/fileChanges';

/** Tells checkpoints of a file before the next keeper hears of it: they take what the agent writes although it is ignored. */
export class StagingKeeper implements TouchListener {
  constructor(
    private readonly checkpoints: { stage(sessionId: string, file: string): Promise<void> },
    private readonly next: TouchListener,
  ) {}

  async beforeTouch(touch: FileTouch): Promise<void> {
    await this.checkpoints.stage(touch.sessionId, touch.path);
    await this.next.beforeTouch(touch);
  }

  afterTouch(touch: Parameters<TouchListener['afterTouch']>[0]): Promise<void> {
    return this.next.afterTouch(touch);
  }

  afterFolders(made: readonly string[]): Promise<void> {
    return this.next.afterFolders(made);
  }
}

import { closeSharedPlace } from './editorPlace';
import { EditorWindow } from './editorWindow';

/** Mocha root hooks: whatever is open when a test fails is recorded in `test-results/`, and nothing outlives the run. */
export const mochaHooks = {
  async afterEach(this: Mocha.Context): Promise<void> {
    if (this.currentTest?.state !== 'failed') return;
    const name = this.currentTest
      .fullTitle()
      .replace(/[^\w]+/g, '-')
      .slice(0, 100);
    for (const [index, window] of EditorWindow.all.entries()) {
      console.log(`      evidence: ${await window.saveEvidence(index === 0 ? name : `${name}-${index}`)}`);
      console.log(await window.shown());
    }
  },
  async afterAll(): Promise<void> {
    for (const window of EditorWindow.all) await window.close();
    // A worker of a parallel run comes here after each of its files.
    if (process.env['MOCHA_WORKER_ID'] === undefined) await closeSharedPlace();
  },
};

import { closeSharedPlace } from './editorPlace';
import { EditorWindow } from './editorWindow';

/** Mocha root hooks. If a test fails, all open windows are recorded in `test-results/`. Nothing stays open after the run. */
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
    // A worker of a parallel run calls this hook after each of its files.
    if (process.env['MOCHA_WORKER_ID'] === undefined) await closeSharedPlace();
  },
};

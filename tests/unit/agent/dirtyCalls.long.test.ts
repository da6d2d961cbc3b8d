import { testDirt } from './support/dirtyCalls';
import { callExamples } from './support/callExamples';

testDirt(callExamples());

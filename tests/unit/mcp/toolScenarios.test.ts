import { testScenarios } from './support/testScenarios';
import { toolScenarios } from './support/toolScenarios';

testScenarios(toolScenarios());

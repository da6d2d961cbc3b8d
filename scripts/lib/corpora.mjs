import { bfcl } from './bfcl.mjs';
import { humanEval } from './humanEval.mjs';
import { injections } from './injections.mjs';
import { toolEvalBench } from './toolEvalBench.mjs';

/** Public data sets by the environment variable that tells the tests where the file is. */
const sources = { HUMAN_EVAL: humanEval, BFCL: bfcl, INJECTIONS: injections, TOOL_EVAL_BENCH: toolEvalBench };

/** Fetches data sets and returns the variables with their files. If a variable is empty, the tests use the examples in the repository. */
export async function corpora(names) {
  const chosen = {};
  for (const name of names) chosen[name] = (await sources[name]()) ?? '';
  return chosen;
}

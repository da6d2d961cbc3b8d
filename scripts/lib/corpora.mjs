import { bfcl } from './bfcl.mjs';
import { humanEval } from './humanEval.mjs';
import { injections } from './injections.mjs';
import { toolEvalBench } from './toolEvalBench.mjs';

/** Public data sets by the variable of the environment that names their file to the tests. */
const sources = { HUMAN_EVAL: humanEval, BFCL: bfcl, INJECTIONS: injections, TOOL_EVAL_BENCH: toolEvalBench };

/** Fetches data sets and returns the variables that name their files; empty ones stand for the examples at hand. */
export async function corpora(names) {
  const chosen = {};
  for (const name of names) chosen[name] = (await sources[name]()) ?? '';
  return chosen;
}

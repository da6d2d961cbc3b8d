import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { heading } from './console.mjs';

/** Most failed files that run again. More of them have one cause, which a second run would only hide. */
const mostFiles = 3;

/**
 * Runs mocha by `runOnce(args, env)`, which resolves to `{code, output}`. With `CI` set, the failed files run once more, alone and from the same
 * seed: a case that only a busy machine broke then passes, and is listed as `flaky` in the record of counts. Elsewhere a failure is final.
 */
export async function withSecondTry(args, env, runOnce) {
  const record = env.OLLAMA_COPILOT_COUNTS;
  if (!process.env.CI || !record) return runOnce(args, env);
  const seeded = { ...env, RUN_SEED: env.RUN_SEED ?? String(Date.now() % 1e9) };
  const first = await recorded((own) => runOnce(args, { ...seeded, OLLAMA_COPILOT_COUNTS: own }));
  const failed = first.files.filter((file) => file.failed > 0);
  const again = failed.length > 0 && failed.length <= mostFiles && failed.every(({ file }) => file !== '');
  if (!again) return addTo(record, first);
  // Where the output is shown only at the end, the reason would be lost.
  if (first.output) console.log(first.output);
  heading(`second try of ${failed.map(({ file }) => path.basename(file)).join(', ')}`);
  const alone = [...optionsOf(args), ...failed.map(({ file }) => file)];
  const second = await recorded((own) => runOnce(alone, { ...seeded, OLLAMA_COPILOT_COUNTS: own }));
  const names = failed.flatMap((file) => file.names);
  const output = [first.output, second.output].filter(Boolean).join('\n');
  // A second run that breaks off before it has counted proves nothing.
  if (second.files.length < failed.length) return addTo(record, { ...first, output });
  const passed = first.files.filter((file) => !failed.includes(file));
  if (second.code === 0) second.files[0].flaky = names;
  return addTo(record, { code: second.code, output, files: [...passed, ...second.files] });
}

async function recorded(run) {
  const folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-try-'));
  const own = path.join(folder, 'counts');
  try {
    const { code, output } = await run(own);
    const lines = existsSync(own) ? readFileSync(own, 'utf8').split('\n').filter(Boolean) : [];
    return { code, output, files: lines.map((line) => JSON.parse(line)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function addTo(record, { code, output, files }) {
  for (const file of files) appendFileSync(record, `${JSON.stringify(file)}\n`);
  return { code, output };
}

/** Returns the arguments of mocha without files, and without what runs them at the same time. */
function optionsOf(args) {
  const withValue = ['--ignore', '--jobs'];
  return args.filter(
    (arg, index) =>
      arg !== '--parallel' && !withValue.includes(arg) && !withValue.includes(args[index - 1]) && !/\.js$/.test(arg),
  );
}

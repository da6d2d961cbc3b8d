import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Problem } from '../lib/console.mjs';

const everyMs = 15_000;
const keptLines = 40;

/** Runs a long command quietly: prints its last line of output every few seconds, and its whole output only if it fails. */
export async function quietly(title, command, args, options = {}) {
  const started = Date.now();
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const endChild = () => child.kill();
  process.once('exit', endChild);
  let lines = [];
  const keep = (text) => {
    lines = [...lines, ...text.split(/[\r\n]+/).filter((line) => line.trim() !== '')].slice(-keptLines);
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  console.log(`• ${title}`);
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - started) / 1000);
    console.log(`  … ${title} (${seconds} s) ${(lines.at(-1) ?? '').trim().slice(0, 100)}`);
  }, everyMs);
  try {
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Problem(`${lines.join('\n')}\n\n${title}: ${command} failed (${code}).`);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(`${title}: ${command} could not be started: ${error.message}`);
  } finally {
    clearInterval(timer);
    process.off('exit', endChild);
  }
}

import { chromium, type Browser } from 'playwright-core';
import { stateLimitMs } from '../until';
import { browserFile } from './location';

const quiet = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];

export function launchBrowser(): Promise<Browser> {
  const isRoot = process.getuid?.() === 0;
  const args = isRoot ? ['--no-sandbox', ...quiet] : quiet;
  return chromium.launch({ executablePath: browserFile(), args, timeout: stateLimitMs });
}

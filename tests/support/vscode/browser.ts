import { chromium, type Browser } from 'playwright-core';
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
  return chromium.launch({ executablePath: browserFile(), args: isRoot ? ['--no-sandbox', ...quiet] : quiet });
}

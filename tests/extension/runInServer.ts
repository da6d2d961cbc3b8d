import { cp } from 'node:fs/promises';
import path from 'node:path';
import { stateLimitMs, stepLimitMs } from '../support/until';
import { launchBrowser } from '../support/vscode/browser';
import { linkBuiltinExtensions } from '../support/vscode/builtinExtensions';
import { EditorServer, ownHome, withoutGallery } from '../support/vscode/editorServer';
import { repository } from '../support/vscode/location';
import { Report } from '../support/vscode/report';
import { removeFolder, temporaryFolder } from '../support/vscode/temporaryFolder';
import { testSettings, writeUserSettings } from '../support/vscode/userData';

/** Time limit, longer than any normal run. A suite that hangs must not hang the whole test run. */
const patience = stepLimitMs;

/** Runs `tests/extension/suite` in a real extension host. A server runs the host, and a browser shows its window. */
async function main(): Promise<number> {
  const temporary = await temporaryFolder();
  const folder = path.join(temporary, 'sample-workspace');
  const userDataDir = path.join(temporary, 'user-data');
  const report = new Report(path.join(temporary, 'report.txt'));
  await cp(path.join(repository, 'resources/sample-workspace'), folder, { recursive: true });
  // By default, an editor in a browser saves automatically after a second, even in the middle of a case on a busy machine.
  await writeUserSettings(userDataDir, { ...testSettings, 'files.autoSave': 'off' });
  const env = {
    ...withoutGallery,
    ...(await ownHome(userDataDir)),
    OLLAMA_COPILOT_REPORT: report.file,
    OLLAMA_COPILOT_ROOT: repository,
  };
  const extensionsDir = path.join(temporary, 'extensions');
  const builtinExtensionsDir = path.join(temporary, 'builtin-extensions');
  await linkBuiltinExtensions(builtinExtensionsDir, ['git', 'git-base', 'typescript-language-features', 'ipynb']);
  const complaints: string[] = [];
  const server = await EditorServer.start({ kind: 'bare', userDataDir, extensionsDir, builtinExtensionsDir, env });
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
    page.setDefaultTimeout(stateLimitMs);
    const exit = new Promise<number>((resolve, reject) => {
      void page.exposeFunction('codeAutomationExit', resolve);
      void page.exposeFunction('codeAutomationLog', (type: string, args: unknown[]) => {
        if (type === 'error') complaints.push(args.join(' '));
      });
      setTimeout(() => reject(new Error(`The suites did not finish within ${patience / 60_000} minutes.`)), patience).unref();
    });
    await page.goto(
      `${server.url}/?folder=${encodeURIComponent(folder)}&payload=${encodeURIComponent(JSON.stringify(payload()))}`,
    );
    const code = await report.follow(exit);
    if (code !== 0) console.error(complaints.join('\n'));
    return code;
  } catch (error) {
    console.error([await server.log(), ...complaints].join('\n'));
    throw error;
  } finally {
    await browser.close();
    await server.close();
    await removeFolder(temporary);
  }
}

function payload(): [string, string][] {
  const remote = (file: string): string => `vscode-remote://remote${file}`;
  return [
    ['extensionDevelopmentPath', remote(process.env.OLLAMA_COPILOT_EXTENSION ?? repository)],
    ['extensionTestsPath', remote(path.join(__dirname, 'suite/index'))],
  ];
}

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);

import { cp } from 'node:fs/promises';
import path from 'node:path';
import { downloadAndUnzipVSCode, runTests } from '@vscode/test-electron';
import { ownHome } from '../support/vscode/editorServer';
import { repository } from '../support/vscode/location';
import { Report } from '../support/vscode/report';
import { removeFolder, temporaryFolder } from '../support/vscode/temporaryFolder';

/** Runs `tests/extension/suite` in a desktop VS Code. The first argument is the version. */
async function main(version: string): Promise<number> {
  const vscodeExecutablePath = await downloadAndUnzipVSCode(version).catch((error: unknown) => {
    console.error(`No desktop VS Code ${version} could be fetched (${String(error)}).`);
    console.error('It needs a network that reaches update.code.visualstudio.com. The same suites run by npm run test:extension.');
    return undefined;
  });
  if (!vscodeExecutablePath) return 1;
  const temporary = await temporaryFolder();
  const folder = path.join(temporary, 'sample-workspace');
  const userDataDir = path.join(temporary, 'user-data');
  const report = new Report(path.join(temporary, 'report.txt'));
  await cp(path.join(repository, 'resources/sample-workspace'), folder, { recursive: true });
  try {
    const run = runTests({
      vscodeExecutablePath,
      extensionDevelopmentPath: repository,
      extensionTestsPath: path.join(__dirname, 'suite/index'),
      // Separate home folder, because a suite writes shell settings.
      extensionTestsEnv: {
        ...(await ownHome(userDataDir)),
        OLLAMA_COPILOT_REPORT: report.file,
        OLLAMA_COPILOT_ROOT: repository,
      },
      launchArgs: [folder, '--disable-workspace-trust', '--user-data-dir', userDataDir],
    });
    return await report.follow(run.catch(() => 1));
  } finally {
    await removeFolder(temporary);
  }
}

main(process.argv[2] ?? 'stable').then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);

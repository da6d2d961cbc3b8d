import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../../support/vscode/browser';
import { linkBuiltinExtensions } from '../../support/vscode/builtinExtensions';
import { EditorServer, installExtension, ownHome, withoutGallery } from '../../support/vscode/editorServer';
import { endExtensionHosts } from '../../support/vscode/extensionHostProcess';
import { removeFolder, temporaryFolder } from '../../support/vscode/temporaryFolder';

interface PlaceOptions {
  /** VSIX files to install. */
  extensions: readonly string[];
  /** Built-in extensions to enable in addition to those that every window needs. */
  builtins?: readonly string[] | undefined;
  isTrustAsked?: boolean;
  /** Environment variables for the server and everything it starts. */
  env?: NodeJS.ProcessEnv;
  /** File for a trace of connections. */
  traceFile?: string | undefined;
}

/** A VS Code server with its user data folder, and a browser. */
export interface EditorPlace {
  readonly userDataDir: string;
  readonly server: EditorServer;
  readonly browser: Browser;
  /** Removes everything that the suite has left behind. */
  release(): Promise<void>;
}

type OpenPlace = EditorPlace & { isEnded: boolean; close(): Promise<void> };

let shared: Promise<OpenPlace> | undefined;

/**
 * Returns the place that the suites of this process share one after another, each with an empty user data folder. Starting a server and a
 * browser and installing the extension takes as long as half a suite.
 */
export async function sharedPlace(extensions: readonly string[]): Promise<EditorPlace> {
  if (shared !== undefined && (await shared).isEnded) await closeSharedPlace();
  shared ??= openPlace({ extensions });
  return shared;
}

/** Returns a place for one suite. `release` closes it. */
export async function ownPlace(options: PlaceOptions): Promise<EditorPlace> {
  const place = await openPlace(options);
  return { ...place, release: () => place.close() };
}

export async function closeSharedPlace(): Promise<void> {
  const place = await shared?.catch(() => undefined);
  shared = undefined;
  await place?.close();
}

async function openPlace({ extensions, builtins, isTrustAsked = false, env, traceFile }: PlaceOptions): Promise<OpenPlace> {
  const temporary = await temporaryFolder();
  // When mocha is terminated, it has no time to await promises. The processes that it started end with it.
  const removeAtExit = (): void => rmSync(temporary, { recursive: true, force: true });
  process.once('exit', removeAtExit);
  const userDataDir = path.join(temporary, 'user-data');
  const builtinExtensionsDir = path.join(temporary, 'builtin-extensions');
  const folders = { userDataDir, builtinExtensionsDir, extensionsDir: path.join(temporary, 'extensions') };
  await linkBuiltinExtensions(builtinExtensionsDir, builtins);
  const install = async (): Promise<void> => {
    for (const vsix of extensions) await installExtension(vsix, folders);
  };
  const [browser] = await Promise.all([launchBrowser(), install()]);
  const server = await EditorServer.start({
    ...folders,
    kind: 'product',
    isTrustAsked,
    traceFile,
    env: { ...withoutGallery, ...(await ownHome(userDataDir)), ...env },
  });
  const place: OpenPlace = {
    userDataDir,
    server,
    browser,
    isEnded: false,
    release: async () => {
      await endExtensionHosts(server.pid);
      for (const name of ['User', 'Machine', 'logs'])
        await rm(path.join(userDataDir, name), { recursive: true, force: true, maxRetries: 5 });
    },
    close: async () => {
      await browser.close();
      await server.close();
      await removeFolder(temporary);
      process.removeListener('exit', removeAtExit);
    },
  };
  const ended = (): void => void (place.isEnded = true);
  browser.once('disconnected', ended);
  void server.ended.then(ended);
  return place;
}

import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../support/vscode/location';
import { themes, viewWidths } from './themes';
import type { Workbench } from './workbench';

/** Takes pictures of the window in every theme and at every view width, in `screenshots/editor/`. */
export async function takePictures(workbench: Workbench, name: string): Promise<void> {
  const folder = path.join(repository, 'screenshots', 'editor');
  await mkdir(folder, { recursive: true });
  for (const theme of themes) {
    await workbench.setTheme(theme);
    for (const width of viewWidths) {
      await workbench.setViewWidth(width);
      const look = theme
        .replace(/^Default /, '')
        .replaceAll(' ', '-')
        .toLowerCase();
      await workbench.page.screenshot({ path: path.join(folder, `${name}-${look}-${width}.png`) });
    }
  }
}

import assert from 'node:assert/strict';
import { ProjectFolders } from './support/projectFolders';
import { projects } from './support/projects';
import { runCommands, type Sequence } from './support/runCommands';

const base = process.env['EVERYDAY_FOLDER'];
if (base === undefined) throw new Error('Start it with `npm run test:sandbox`.');
const folders = new ProjectFolders(base);
const chosen = (process.env['EVERYDAY_PROJECTS'] ?? '').split('\n').filter((name) => name !== '');

describe('Everyday commands do the same in the sandbox as outside:', () => {
  const home = process.env['HOME'];
  before(() => (process.env['HOME'] = folders.home));
  after(() => (process.env['HOME'] = home));

  for (const project of projects.filter(({ name }) => chosen.length === 0 || chosen.some((part) => name.includes(part)))) {
    const missing = folders.missing(project);
    if (missing.length > 0) {
      console.log(`Left out: ${project.name}, ${project.commands.length} commands. Not installed: ${missing.join(', ')}.`);
      continue;
    }
    describe(project.name, () => {
      let outside: Sequence | undefined;
      let inside: Sequence | undefined;
      before(async () => {
        folders.prepare(project);
        outside = await runCommands(project, folders, false);
        inside = await runCommands(project, folders, true);
        console.log(`${project.name}: ${Math.round(outside.ms)} ms outside, ${Math.round(inside.ms)} ms in the sandbox`);
      });
      for (const [index, command] of project.commands.entries()) {
        it(command, () => assert.deepEqual(inside?.outcomes[index], outside?.outcomes[index]));
      }
      it('leave the same files', () => assert.deepEqual(inside?.files, outside?.files));
    });
  }
});

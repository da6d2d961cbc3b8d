import assert from 'node:assert/strict';
import { buildFiles } from '../../../src/utils/sensitivity/buildFiles';
import { FileSensitivity } from '../../../src/utils/sensitivity/fileSensitivity';
import { globMatcher } from '../../../src/utils/text/globs';
import { NameRules } from '../../../src/utils/sensitivity/nameRules';
import { protectedFiles } from '../../../src/utils/sensitivity/protectedFiles';
import { secretFiles } from '../../../src/utils/sensitivity/secretFiles';
import { ordinaryNames, secretNames } from './support/secretNames';

describe('names of files', () => {
  const sensitivity = new FileSensitivity();

  for (const [source, names] of Object.entries(secretNames)) {
    it(`ask before they are read: ${source}`, () => {
      assert.deepEqual(
        names.filter((name) => !sensitivity.isSecret(name)),
        [],
      );
    });
  }

  it('are at least 195 that ask and 200 that do not', () => {
    assert.ok(Object.values(secretNames).flat().length >= 195);
    assert.ok(new Set(ordinaryNames).size >= 200);
  });

  it('do not ask where they are ordinary', () => {
    assert.deepEqual(
      ordinaryNames.filter((name) => sensitivity.isSecret(name)),
      [],
    );
  });

  it('are told alike by a pattern in the list and by a glob of its own', () => {
    const names = [...ordinaryNames, ...Object.values(secretNames).flat()].map((name) => name.replaceAll('\\', '/'));
    const patterns = [
      ...protectedFiles,
      ...[...buildFiles, ...secretFiles].flatMap(({ askPatterns: asks, exemptPatterns: frees = [] }) => [...asks, ...frees]),
    ];
    for (const pattern of patterns) {
      const matches = globMatcher(pattern, { ignoreCase: true });
      const rules = new NameRules([{ pattern, isFree: false, kind: 'one' }]);
      for (const name of names) assert.equal(rules.of(name) !== undefined, matches(name), `${pattern}: ${name}`);
    }
  });

  it('ask in another case, in a folder, and not where a person has freed them', () => {
    assert.deepEqual(
      ['.YARNRC.YML', 'web/.Dev.Vars', 'A\\b\\Server.KEY.pub'].map((name) => sensitivity.isSecret(name)),
      [true, true, true],
    );
    const own = new FileSensitivity({ '.yarnrc.yml': true, '*.env': true });
    assert.deepEqual(
      ['.yarnrc.yml', '.yarnrc.yml.bak', 'prod.env'].map((name) => own.isSecret(name)),
      [false, false, false],
    );
  });
});

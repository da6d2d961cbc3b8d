import assert from 'node:assert/strict';
import { settingProblem } from '../../../src/config/settingProblem';
import { settingDefaults, type SettingKey } from '../../../src/config/settings';

const cases: [SettingKey, unknown, string | null][] = [
  ['baseUrl', 'https://box:1234/ollama', null],
  ['baseUrl', 'http://[::1]:11434', null],
  ['baseUrl', 'localhost:11434', 'Enter an address that begins with http:// or https://.'],
  ['baseUrl', 7, 'Enter a text.'],
  ['baseUrl', 'http://', 'This is not an address. It looks like http://localhost:11434.'],
  ['baseUrl', 'http://a b', 'This is not an address. It looks like http://localhost:11434.'],
  ['baseUrl', 'http://robin:secret@box', 'Leave name and password out of the address. Set a bearer token instead.'],
  ['storagePath', '', null],
  ['storagePath', '/srv/chats', null],
  ['storagePath', 'chats', 'Enter the whole path of a folder, from its root.'],
  ['storagePath', '/srv/\0', 'No path has a NUL character.'],
  ['agent.keepAlive', '1h', null],
  ['agent.keepAlive', 'soon', 'Enter a time such as 30m or 1h, or a number of seconds; -1 means for ever.'],
  ['agent.maxIterations', 0, 'Enter a number greater than 0.'],
  ['agent.maxIterations', 1001, 'Enter a number of at most 1,000.'],
  ['agent.maxIterations', 1.5, 'Enter a whole number.'],
  ['agent.maxIterations', 'many', 'Enter a number.'],
  ['agent.maxIterations', NaN, 'Enter a number.'],
  ['agent.maxContextWindow', 511, 'Enter a number of at least 512.'],
  ['agent.sensitiveFilePatterns', 'all', 'Enter patterns, each with true or false.'],
  ['askMode.model', 3, 'Enter a text.'],
];

describe('settingProblem', () => {
  for (const [key, value, expected] of cases) {
    it(`${key} = ${JSON.stringify(value)}: ${expected === null ? 'fine' : expected}`, () => {
      assert.deepEqual(settingProblem(key, value), expected);
    });
  }

  it('has nothing against any default', () => {
    for (const [key, value] of Object.entries(settingDefaults()))
      assert.equal(settingProblem(key as SettingKey, value), null, key);
  });
});

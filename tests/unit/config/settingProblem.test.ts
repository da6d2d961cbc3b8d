import assert from 'node:assert/strict';
import { settingProblem } from '../../../src/config/settingProblem';
import { settingDefaults, type SettingKey } from '../../../src/config/settings';

const cases: [SettingKey, unknown, string | null][] = [
  ['baseUrl', 'https://box:1234/ollama', null],
  ['baseUrl', 'http://[::1]:11434', null],
  ['baseUrl', 'localhost:11434', 'Enter an address that starts with http:// or https://.'],
  ['baseUrl', 7, 'Enter a string.'],
  ['baseUrl', 'http://', 'Enter an address such as http://localhost:11434.'],
  ['baseUrl', 'http://a b', 'Enter an address such as http://localhost:11434.'],
  ['baseUrl', 'http://robin:secret@box', 'Remove the user name and password from the address. Set an access token instead.'],
  ['storagePath', '', null],
  ['storagePath', '/srv/chats', null],
  ['storagePath', 'chats', 'Enter the absolute path of a folder.'],
  ['storagePath', '/srv/\0', 'Enter a path without NUL characters.'],
  ['agent.keepAlive', '1h', null],
  ['agent.keepAlive', 'soon', 'Enter a duration such as 30m or 1h, or a number of seconds. Use -1 for no limit.'],
  ['agent.maxIterations', 0, 'Enter a number greater than 0.'],
  ['agent.maxIterations', 1001, 'Enter a number of at most 1,000.'],
  ['agent.maxIterations', 99999999999999999999, 'Enter a number of at most 1,000.'],
  ['agent.toolTimeout', 5, 'Enter a number of at least 1,000.'],
  ['agent.toolTimeout', 1000, null],
  ['agent.maxContextWindow', 99999999999999999999, 'Enter a number of at most 10,000,000.'],
  ['contextWindow', 1, 'Enter a number of at least 512.'],
  ['agent.maxIterations', 1.5, 'Enter a whole number.'],
  ['agent.maxIterations', 'many', 'Enter a number.'],
  ['agent.maxIterations', NaN, 'Enter a number.'],
  ['agent.maxContextWindow', 511, 'Enter a number of at least 512.'],
  ['agent.sensitiveFilePatterns', 'all', 'Enter patterns and set each to true or false.'],
  ['askMode.model', 3, 'Enter a string.'],
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

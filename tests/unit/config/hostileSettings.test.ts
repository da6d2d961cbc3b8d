import assert from 'node:assert/strict';
import { Settings, settingDefaults, type SettingKey } from '../../../src/config/settings';
import { parseServerAddress } from '../../../src/services/model/client/serverAddress';
import { OllamaError } from '../../../src/services/model/client/ollamaErrors';
import { hostileValues } from '../../support/hostile';

describe('settings with hostile values', () => {
  const keys = Object.keys(settingDefaults()) as SettingKey[];

  for (const key of keys) {
    it(`${key}: is taken or reported by its name and replaced by its default, and nothing throws`, () => {
      for (const value of hostileValues) {
        const reported: string[] = [];
        const settings = new Settings({ get: (asked) => (asked === key ? value : undefined) }, ({ setting, problem }) => {
          assert.notEqual(problem, '');
          reported.push(setting);
        });
        const config = settings.getConfig();
        const clean = new Settings({ get: () => undefined }, () => undefined).getConfig();
        if (reported.length > 0) {
          assert.deepEqual(reported, [`ollamaCopilot.${key}`]);
          assert.deepEqual(config, clean);
        }
        settings.getConfig();
        assert.ok(reported.length <= 1, 'reported once');
      }
    });
  }

  it('an address that passes as text is taken apart or refused with a code, in no time', () => {
    for (const value of ['http://', 'http://[', 'https://a b', `http://${'/'.repeat(100_000)}x`, 'http://a:99999', 'HTTP://:@']) {
      const { baseUrl } = new Settings({ get: (key) => (key === 'baseUrl' ? value : undefined) }, () => undefined).getConfig();
      try {
        parseServerAddress(baseUrl);
      } catch (error) {
        assert.ok(error instanceof OllamaError && error.code === 'address', value.slice(0, 40));
      }
    }
  });
});

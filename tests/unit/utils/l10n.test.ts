import assert from 'node:assert/strict';
import { phrase, setTexts, t } from '../../../src/utils/l10n';

describe('Texts of the core', () => {
  afterEach(() => setTexts({}));

  it('fill their placeholders, also in another order and more than once; one without a value stays', () => {
    setTexts({ '{0} is in {1}': 'In {1} ist {0}, {0}' });
    assert.equal(t('{0} is in {1}', 'a', 'b'), 'In b ist a, a');
    assert.equal(t('{0} of {2}', 'a', 'b'), 'a of {2}');
  });

  it('take a value as it is, whatever it looks like', () => {
    assert.equal(t('{0} and {1}', '{1} $& $1', '\\'), '{1} $& $1 and \\');
  });

  it('are in English where there is no translation, or nothing but what every object has', () => {
    setTexts({ Send: 'Senden' });
    assert.deepEqual(
      ['Send', 'Stop', '__proto__', 'constructor', 'toString', ''].map((text) => t(text)),
      ['Senden', 'Stop', '__proto__', 'constructor', 'toString', ''],
    );
  });

  it('take no translation from the prototype of a bundle', () => {
    setTexts(JSON.parse('{"__proto__": {"Send": "Stolen"}}') as Record<string, string>);
    assert.equal(t('Send'), 'Send');
  });

  it('group numbers as the language does, and not what is given as words', () => {
    assert.equal(t('{0} of {1}', 12_345, '12345'), '12,345 of 12345');
    setTexts({}, 'de');
    assert.equal(t('{0} of {1}', 12_345, '12345'), '12.345 of 12345');
  });

  for (const language of ['qps-ploc', 'not a language', '']) {
    it(`group numbers as English does in ${JSON.stringify(language)}`, () => {
      setTexts({}, language);
      assert.equal(t('{0}', 12_345), '12,345');
    });
  }

  it('are put in force without looking up languages, which a start would wait for', () => {
    const lookUp = Object.getOwnPropertyDescriptor(Intl.NumberFormat, 'supportedLocalesOf') as PropertyDescriptor;
    Object.defineProperty(Intl.NumberFormat, 'supportedLocalesOf', { ...lookUp, value: () => assert.fail('looked up') });
    try {
      setTexts({ Send: 'Senden' }, 'de');
      assert.equal(t('Send'), 'Senden');
    } finally {
      Object.defineProperty(Intl.NumberFormat, 'supportedLocalesOf', lookUp);
    }
    assert.equal(t('{0}', 12_345), '12.345');
  });

  it('have their English form at hand for the model and the log', () => {
    setTexts({ '{0} lines': '{0} Zeilen' }, 'de');
    assert.deepEqual(phrase('{0} lines', 1000), { local: '1.000 Zeilen', english: '1,000 lines' });
  });
});

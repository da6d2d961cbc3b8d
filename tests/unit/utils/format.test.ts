import assert from 'node:assert/strict';
import {
  clockTime,
  dateAndTime,
  exactTime,
  exactTokenCount,
  fileSize,
  formatInEnglish,
  formatNumber,
  recentDate,
  setDisplayLanguage,
  shortDate,
  tokenCount,
} from '../../../src/types/format';

const noon = new Date(2026, 2, 14, 15, 20).getTime();
const nextDay = noon + 86_400_000;
const nextYear = noon + 366 * 86_400_000;
/** Some platform versions use a narrow space before AM and PM. */
const plain = (text: string) => text.replaceAll(/\s/g, ' ');

describe('Numbers and times', () => {
  afterEach(() => setDisplayLanguage('en'));

  const written = () =>
    [
      formatNumber(12_345.6789),
      formatNumber(2, { least: 1, most: 1 }),
      fileSize(9_300_000_000),
      tokenCount(9500),
      exactTokenCount(12_400),
      exactTime(noon),
      dateAndTime(noon),
      shortDate(noon),
      recentDate(noon, nextDay),
      recentDate(noon, nextYear),
      clockTime(noon, noon + 1),
      clockTime(noon, nextDay),
    ].map(plain);

  it('follow the display language', () => {
    setDisplayLanguage('de');
    assert.deepEqual(written(), [
      ...['12.345,679', '2,0', '9,3 GB', '9,5k', '12,4k'],
      ...['Samstag, 14. März 2026 um 15:20', '14.03.2026, 15:20', '14.03.2026', '14. März', '14. März 2026', '15:20'],
      '14. März, 15:20',
    ]);
    setDisplayLanguage('en');
    assert.deepEqual(written(), [
      ...['12,345.679', '2.0', '9.3 GB', '9.5k', '12.4k'],
      ...['Saturday, March 14, 2026 at 3:20 PM', 'Mar 14, 2026, 3:20 PM', 'Mar 14, 2026', 'Mar 14', 'Mar 14, 2026', '03:20 PM'],
      'Mar 14, 03:20 PM',
    ]);
  });

  for (const language of ['qps-ploc', 'not a language', '']) {
    it(`are English in ${JSON.stringify(language)}`, () => {
      setDisplayLanguage(language);
      assert.deepEqual([formatNumber(12_345), shortDate(noon)], ['12,345', 'Mar 14, 2026']);
    });
  }

  it('are English for the model in every display language', () => {
    setDisplayLanguage('de');
    assert.equal(formatInEnglish(12_345), '12,345');
  });
});

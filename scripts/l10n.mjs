import { main, note } from './lib/console.mjs';
import { checkTranslations, writeBundle } from './lib/l10n.mjs';

/**
 * `npm run l10n`: writes all texts to `l10n/bundle.l10n.json`, and lists the missing texts of each translation. Untranslated texts are
 * shown in English. The only failure is a translation whose placeholders differ from its text.
 */
await main(() => {
  const { texts, problems } = writeBundle();
  note(`${texts.length} texts in l10n/bundle.l10n.json`);
  for (const problem of problems) note(`No text found, it will stay English: ${problem}`);
  let failed = 0;
  for (const { language, missing, unused, wrong } of checkTranslations()) {
    note(`${language}: ${missing.length} missing, ${unused.length} unused, ${wrong.length} with other placeholders`);
    for (const text of missing) console.log(`  missing  ${JSON.stringify(text)}`);
    for (const text of unused) console.log(`  unused   ${JSON.stringify(text)}`);
    for (const text of wrong) console.log(`  differs  ${JSON.stringify(text)}`);
    failed += wrong.length;
  }
  return failed === 0 ? 0 : 1;
});

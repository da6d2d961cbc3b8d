/** Texts for the screenshots. */

export const thought = `The form is in \`src/signup.ts\`. It reads the two fields and sends them as they are.

I should look at how other forms validate before I write anything new, and see whether there is a test that says what "valid" means here.`;

/** Base64-encoded PNG of a form. */
export const picture =
  'iVBORw0KGgoAAAANSUhEUgAAAKAAAABaCAIAAACwpMoFAAAAzUlEQVR42u3aQQ3AIAxAUeRMRDWhc0q4zAHhwBUDkKW85Cvou7UtT1QlrhgBYAEWYAEWYAEWYMACLMD6AXDvQ4kDDFiABViABViABRiwAAuwEgC39ml3gAEDBgwYMGDAAizAAgwYMGCrSqtKARZgARZgARZgwAIsP1myixZgAQYMGDBgwIABC7AAy0+WAAswYAEWYAEWYAEWYMACrKuA34jzYQMswIABAwYMGDBgwIABAxZgwIABA3ZsEGABFmABBmwKgAVYgAVYgAVYSxOHzDvFDFuiGQAAAABJRU5ErkJggg==';

export const answer = `I'd check both fields **before** sending, and say beside each field what is wrong.

### What is missing

1. The address is sent even when it is empty.
2. The password may be any length; \`MIN_LENGTH\` in [the policy](https://example.org/policy) says twelve:
   \`\`\`json
   { "minLength": 12 }
   \`\`\`
3. Nothing tells a screen reader about an error.

\`\`\`typescript
import { MIN_LENGTH } from './policy';

/** Null when the form may be sent, else what is wrong with it. */
export function validate(email: string, password: string): string | null {
  if (!/^[^@\\s]+@[^@\\s]+$/.test(email)) return 'Enter an e-mail address';
  if (password.length < MIN_LENGTH) return \`Use at least \${MIN_LENGTH} characters\`;
  return null; // nothing to complain about
}
\`\`\`

> The server checks again: this is for the person, not for safety.`;

export const longCode = Array.from({ length: 64 }, (_, index) => `  ["key_${index}", ${index * 37}],`).join('\n');

export const odd = `# A heading of the first level
Text under it with ~~struck~~ words, *emphasis* and a very long word: ${'Donaudampfschifffahrtselektrizitätenhauptbetriebswerk'.repeat(2)}.

| Command | What it does | Time |
|:--|:--|--:|
| \`npm start\` | Opens a real editor on a sample workspace with everything in it | 15 s |
| \`npm test\` | Runs every test that needs no inference server | 12 min |

- one
  - two
    - three, with \`code\` in it
      1. four
      2. five
- six

中文输入法和日本語のテキスト、한국어 텍스트도 함께 보여 줍니다。

هذا نص عربي طويل بما يكفي لكي يلتف على أكثر من سطر واحد في عرض ضيق، وفيه كلمة English واحدة.

![a remote picture](https://example.org/picture.png) and <script>alert(1)</script> and [a bad link](javascript:alert(1)).

\`\`\`
${'0123456789'.repeat(2000)}
\`\`\`

\`\`\`js
const pairs = [
${longCode}
];
\`\`\``;

export const diff = `--- a/src/signup.ts
+++ b/src/signup.ts
@@ -10,12 +10,15 @@
 export async function submit(form: HTMLFormElement) {
   const data = new FormData(form);
-  const email = String(data.get('email'));
-  const password = String(data.get('password'));
+  const email = String(data.get('email') ?? '').trim();
+  const password = String(data.get('password') ?? '');
+  const problem = validate(email, password);
+  if (problem !== null) {
+    show(problem);
+    return;
+  }
   const response = await fetch('/api/signup', { method: 'POST', body: JSON.stringify({ email, password }) });
   if (!response.ok) {
     throw new Error('Could not sign up');
   }
 }
`;

export const created = `--- /dev/null
+++ b/src/validate.ts
@@ -0,0 +1,3 @@
+export function validate(email: string) {
+  return email.includes('@');
+}
`;

export const output = `> sample@1.0.0 test
> node --test

✔ accepts an address (1.2 ms)
✖ refuses a short password (0.9 ms)
  AssertionError: expected null to equal 'Use at least 12 characters'
      at TestContext.<anonymous> (tests/signup.test.ts:24:10)

ℹ tests 2
ℹ pass 1
ℹ fail 1
ℹ duration_ms 84.3`;

/** Text in several scripts, with characters that are often rendered incorrectly. */
export const world = `日本語の段落です。この関数は入力を検証し、問題がなければ \`null\` を返します。**太字**と*斜体*も使えます。全角記号（かっこ）や、改行のない長い文が続いても、画面の端で折り返されます。

- 中文列表：第一项，包含 \`代码\`
- 한국어 항목: 두 번째, **굵게**
- ไทย: รายการที่สามไม่มีช่องว่างระหว่างคำ

فقرة باللغة العربية تحتوي على \`code.ts\` وعلى كلمة English في وسطها، وهي طويلة بما يكفي لكي تلتف.

1. عنصر أول في قائمة مرقمة
2. عنصر ثانٍ فيه رابط إلى [الموقع](https://example.org/)

> ציטוט בעברית עם \`src/index.ts\` באמצע.

| שם | 値 | 값 |
|:---|---:|:-:|
| אלף | 一千 | 천 |

Emoji: 👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇩🇪 and combining: é ñ ạ̈, and zalgo: Z̸̢͙̈́a̶̧͂l̵͕̈́g̷̝̈o.

Hidden: zero\u200bwidth, a bell\u0007, right to left \u202egnp.exe\u202c, end.

\`\`\`python
# 注释：检查地址
名前 = "値"  # متغير
print(f"{名前} 👍")
\`\`\``;

/** Characters that are invisible, change the direction of text, overprint their neighbours, or must not end anything. */
export const invisible = `zero\u200bwidth\u200cnon\u200djoiner\ufeff and soft\u00adhyphen, controls \u0000\u0007\u0008\u001b[31m\u007f\u0085, \
turned \u202egnp.exe\u202c \u2066inner\u2069 \u061c, half a pair \ud83d, not a character \uffff, tags \u{e0041}\u{e0042}, \
\`code \u202e here\u202c\`, **bold\u200b**, [link\u202e](https://example.org/\u200b), lines\u2028and\u2029paragraphs\r\rreturns`;

/** Text that must have no effect: no script runs, nothing is loaded, requested or sent. */
export const hostile = `<script>fetch('https://example.org/script')</script>
<img src="https://example.org/img.png" onerror="fetch('https://example.org/onerror')">
<iframe src="https://example.org/frame"></iframe><link rel="stylesheet" href="https://example.org/style.css">
<style>body { background: url(https://example.org/background.png) }</style>

![a remote picture](https://example.org/picture.png) ![](https://example.org/nameless.png)
[![a picture in a link](https://example.org/inner.png)](https://example.org/outer)
[a script](javascript:fetch('https://example.org/javascript')) [data](data:text/html,<script>alert(1)</script>)
<https://example.org/auto> [title](https://example.org/ "\"><img src=https://example.org/title.png>")

| <img src=https://example.org/cell.png> | ![x](https://example.org/table.png) |
|---|---|
| \`<svg onload=fetch('https://example.org/svg')>\` | [x]: https://example.org/reference |

\`\`\`html
<img src="https://example.org/code.png"><script src="https://example.org/code.js"></script>
\`\`\``;

export const longDiff = `--- a/src/signup.ts
+++ b/src/signup.ts
@@ -1,7 +1,8 @@
 import { send } from './server';
-import { check } from './check';
+import { validateEmail, validatePassword } from './validate';
+import type { Problem } from './problem';
 
 /** Reads the two fields, tells what is wrong with them and sends them when nothing is; the server looks at them once more anyway. */
 export function signup(form: HTMLFormElement) {
   const email = form.elements.namedItem('email');
   const password = form.elements.namedItem('password');
@@ -96,9 +97,12 @@
   const text = email.value.trim();
-  if (!check(text)) {
-    return;
+  const problems: Problem[] = [...validateEmail(text), ...validatePassword(password.value)];
+  if (problems.length > 0) {
+    show(problems);
+    return problems;
   }
-  send(text);
-  done();
+  await send(text);
+  done(text);
+  return [];
 }
`;

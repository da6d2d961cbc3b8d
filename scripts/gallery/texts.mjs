/** Texts for the pictures. */

export const thought = `The form is in \`src/signup.ts\`. It reads the two fields and sends them as they are.

I should look at how other forms validate before I write anything new, and see whether there is a test that says what "valid" means here.`;

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

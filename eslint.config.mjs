import globals from 'globals';
import tseslint from 'typescript-eslint';
import vue from 'eslint-plugin-vue';
import vueAccessibility from 'eslint-plugin-vuejs-accessibility';

const typed = {
  '@typescript-eslint/no-explicit-any': 'error',
  '@typescript-eslint/no-floating-promises': 'error',
  '@typescript-eslint/consistent-type-imports': 'error',
  '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
  '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
  '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
  '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
  '@typescript-eslint/no-non-null-assertion': 'error',
  '@typescript-eslint/prefer-nullish-coalescing': 'off',
};

const localeMethods = ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString', 'toFixed'];
const localeMessage = 'Numbers and times follow the display language: use src/types/format.ts.';

const unclearStart = /^\*[\s*]*(What|Whether|Whoever|Of|As|Those|Where|That|How|Which|Why|Who)\b/;

/** Reports doc comments that begin neither with a verb nor with a noun. */
const docCommentStart = {
  meta: { messages: { start: 'Begin with a verb ("Returns …") or, on a property or a type, with a noun, not with "{{word}}".' } },
  create: (context) => ({
    Program() {
      for (const comment of context.sourceCode.getAllComments()) {
        const word = comment.type === 'Block' ? unclearStart.exec(comment.value)?.[1] : undefined;
        if (word !== undefined) context.report({ loc: comment.loc, messageId: 'start', data: { word } });
      }
    },
  }),
};

/** Reports declarations and properties that are wrapped in a literal for no reason. */
const plainStatements = {
  meta: {
    messages: {
      list: 'Declare one variable per statement.',
      spread: 'Write the properties out instead of spreading an object literal.',
    },
  },
  create: (context) => ({
    'VariableDeclarator[id.type="ArrayPattern"] > ArrayExpression'(node) {
      if (node.elements.every((value) => value?.type !== 'SpreadElement')) context.report({ node, messageId: 'list' });
    },
    'ObjectExpression > SpreadElement > ObjectExpression'(node) {
      context.report({ node, messageId: 'spread' });
    },
  }),
};

/** Reports waits in tests that are longer than `most` milliseconds: wait for a state instead. */
const longWait = (names, most) => ({
  meta: { messages: { long: 'Wait for a state instead, or at most {{most}} ms.' } },
  create: (context) => ({
    CallExpression({ callee, arguments: given }) {
      const name = callee.type === 'MemberExpression' ? callee.property.name : callee.name;
      if (!names.includes(name)) return;
      const isCallback = name === 'setTimeout' && given.length > 1;
      // A callback that is more than going on is a limit, not a wait.
      if (isCallback && given[0].type !== 'Identifier') return;
      const last = given.at(isCallback ? 1 : 0);
      // What has a signal ends before.
      if (given.length > (isCallback ? 2 : 1)) return;
      if (last?.type === 'Literal' && last.value > most) context.report({ loc: last.loc, messageId: 'long', data: { most } });
    },
  }),
});
const waits = { long: longWait(['setTimeout', 'delay', 'sleep', 'wait', 'pause', 'waitForTimeout'], 50) };
const editorWaits = { long: longWait(['setTimeout', 'delay', 'sleep', 'wait', 'pause', 'waitForTimeout'], 100) };

const pageReads = new Set([
  ...['count', 'textContent', 'innerText', 'inputValue', 'getAttribute', 'evaluate', 'evaluateAll', 'boundingBox'],
  ...['allTextContents', 'allInnerTexts', 'isVisible', 'isHidden', 'isEnabled', 'isDisabled', 'isChecked', 'isEditable'],
]);
const nameOf = (callee) => (callee.type === 'MemberExpression' ? nameOf(callee.object) : callee.name);

/** Reports assertions that read a page once, while it may still be changing. */
const readOnce = {
  meta: { messages: { once: 'Wait for the state: `await expect(locator).…`, or the assertion in `eventually`.' } },
  create: (context) => ({
    AwaitExpression(node) {
      const { argument } = node;
      if (argument.type !== 'CallExpression' || !pageReads.has(argument.callee.property?.name)) return;
      const calls = context.sourceCode.getAncestors(node).filter(({ type }) => type === 'CallExpression');
      const names = calls.map(({ callee }) => nameOf(callee));
      if (names.includes('assert') && !names.includes('eventually')) context.report({ node, messageId: 'once' });
    },
  }),
};

const networkMessage = 'Connections are recorded and can be refused: use src/services/network/network.ts.';
const networkModules = ['http', 'https', 'http2', 'net', 'tls', 'dgram', 'dns', 'dns/promises'].flatMap((name) => [
  name,
  `node:${name}`,
]);
const networkGlobals = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'];
const networkPattern = `/^(node:)?(https?2?|net|tls|dgram|dns(\\u002fpromises)?)$|^(ws|undici)$/`;

/** Forbids all ways to open a connection, and to listen for some. */
const noNetwork = {
  '@typescript-eslint/no-restricted-imports': [
    'error',
    {
      paths: [...networkModules, 'ws', 'undici'].map((name) => ({ name, message: networkMessage, allowTypeImports: true })),
    },
  ],
  'no-restricted-globals': [
    'error',
    ...networkGlobals.map((name) => ({ name, message: networkMessage })),
    { name: 'Intl', message: localeMessage },
  ],
  'no-restricted-properties': [
    'error',
    ...['globalThis', 'global', 'window', 'self'].flatMap((object) =>
      networkGlobals.map((property) => ({ object, property, message: networkMessage })),
    ),
    ...localeMethods.map((property) => ({ property, message: localeMessage })),
  ],
};
/** Modules that are loaded by a call. */
const noNetworkCalls = [
  `ImportExpression[source.value=${networkPattern}]`,
  `CallExpression[callee.name='require'][arguments.0.value=${networkPattern}]`,
  `CallExpression[callee.property.name='getBuiltinModule'][arguments.0.value=${networkPattern}]`,
].map((selector) => ({ selector, message: networkMessage }));
const numberedParameters = {
  selector: ':matches(TemplateElement[value.raw=/\\?[1-9]/], Literal[value=/[ (]\\?[1-9]/])',
  message: 'Editors with Node 22 do not bind numbered parameters. Name them, as in :session.',
};

export default tseslint.config(
  { ignores: ['dist/', 'media/', 'out/', 'node_modules/', 'screenshots/', 'test-results/', 'resources/'] },
  {
    files: ['src/**/*.ts', 'tests/**/*.ts'],
    ignores: ['src/webview/**', 'tests/webview/**', 'tests/bench/view/**'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.test.json' }, globals: globals.node },
    rules: typed,
  },
  {
    files: ['src/webview/**/*.{ts,vue}', 'tests/webview/**/*.ts', 'tests/bench/view/**/*.ts'],
    extends: [
      tseslint.configs.recommendedTypeChecked,
      vue.configs['flat/recommended'],
      vueAccessibility.configs['flat/recommended'],
    ],
    languageOptions: {
      parserOptions: { project: './tsconfig.webview.json', parser: tseslint.parser, extraFileExtensions: ['.vue'] },
      globals: globals.browser,
    },
    rules: {
      ...typed,
      'vue/max-attributes-per-line': 'off',
      'vue/singleline-html-element-content-newline': 'off',
      'vue/html-self-closing': 'off',
      'vue/html-indent': 'off',
      'vue/html-closing-bracket-newline': 'off',
      'vue/multiline-html-element-content-newline': 'off',
      'vue/first-attribute-linebreak': 'off',
      'vue/multi-word-component-names': 'off',
      'vue/no-v-html': 'error',
      'vuejs-accessibility/label-has-for': ['error', { required: { some: ['nesting', 'id'] } }],
    },
  },
  {
    files: ['src/**/*.{ts,vue}'],
    plugins: { comments: { rules: { start: docCommentStart } } },
    rules: { 'comments/start': 'error' },
  },
  {
    files: ['src/**/*.{ts,vue}', 'tests/**/*.ts', 'scripts/**/*.mjs'],
    plugins: { plain: { rules: { statements: plainStatements } } },
    rules: { 'plain/statements': 'error' },
  },
  {
    files: ['src/**/*.{ts,vue}'],
    ignores: ['src/types/format.ts'],
    rules: {
      'no-restricted-properties': ['error', ...localeMethods.map((property) => ({ property, message: localeMessage }))],
      'no-restricted-globals': ['error', { name: 'Intl', message: localeMessage }],
    },
  },
  {
    // The core's rules do not see templates.
    files: ['src/**/*.vue'],
    plugins: { vue },
    rules: {
      'vue/no-restricted-syntax': [
        'error',
        {
          selector: `VElement MemberExpression[property.name=/^(${localeMethods.join('|')})$/]`,
          message: localeMessage,
        },
      ],
    },
  },
  {
    files: ['src/services/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', numberedParameters],
    },
  },
  {
    files: ['src/**/*.{ts,vue}'],
    ignores: ['src/services/network/**', 'src/types/format.ts'],
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: { ...noNetwork, 'no-restricted-syntax': ['error', ...noNetworkCalls] },
  },
  {
    files: ['src/services/**/*.ts'],
    ignores: ['src/services/network/**'],
    rules: { 'no-restricted-syntax': ['error', numberedParameters, ...noNetworkCalls] },
  },
  {
    files: ['tests/**/*.ts'],
    rules: { '@typescript-eslint/no-unused-expressions': 'off', '@typescript-eslint/require-await': 'off' },
  },
  {
    files: ['tests/unit/**/*.ts', 'tests/webview/**/*.ts'],
    plugins: { waits: { rules: waits } },
    rules: { 'waits/long': 'error' },
  },
  {
    files: ['tests/contract/**/*.ts', 'tests/extension/**/*.ts', 'tests/e2e/**/*.ts'],
    ignores: ['tests/contract/**/real*.ts', 'tests/e2e/real*.ts'],
    plugins: { waits: { rules: { ...editorWaits, once: readOnce } } },
    rules: { 'waits/long': 'error', 'waits/once': 'error' },
  },
  { files: ['**/*.{mjs,js}'], extends: [tseslint.configs.base], languageOptions: { globals: globals.node } },
);

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
    files: ['src/services/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: ':matches(TemplateElement[value.raw=/\\?[1-9]/], Literal[value=/[ (]\\?[1-9]/])',
          message: 'Editors with Node 22 do not bind numbered parameters. Name them, as in :session.',
        },
      ],
    },
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
    plugins: { waits: { rules: editorWaits } },
    rules: { 'waits/long': 'error' },
  },
  { files: ['**/*.{mjs,js}'], extends: [tseslint.configs.base], languageOptions: { globals: globals.node } },
);

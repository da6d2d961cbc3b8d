import { computed, reactive, ref, shallowRef, watch } from 'vue';
import { mcpFormProblems, type McpFormProblem, type McpServerForm } from '../../../protocol/forms/mcpServerForm';
import type { McpTest } from '../../../protocol/requests/mcpRequests';
import type { useMcpServers } from '../../common/useMcpServers';
import { formProblemText } from './formTexts';

type Mcp = Pick<ReturnType<typeof useMcpServers>, 'test' | 'stopTest' | 'save'>;

export function useServerForm(mcp: Mcp, initial: McpServerForm, former: string | null, taken: () => readonly string[]) {
  const { reach } = initial;
  // Contains the fields of both kinds, so that switching between kinds loses no input.
  const fields = reactive({
    name: initial.name,
    kind: reach.kind,
    command: reach.kind === 'stdio' ? reach.command : '',
    args: reach.kind === 'stdio' ? reach.args.join('\n') : '',
    env: reach.kind === 'stdio' ? reach.env.map((row) => ({ ...row })) : [],
    cwd: reach.kind === 'stdio' ? (reach.cwd ?? '') : '',
    isSandboxed: reach.kind === 'stdio' && reach.isSandboxed,
    url: reach.kind === 'http' ? reach.url : '',
    headers: reach.kind === 'http' ? reach.headers.map((row) => ({ ...row })) : [],
  });
  const busy = ref<'testing' | 'saving' | null>(null);
  const result = shallowRef<McpTest | null>(null);
  /** Reason why a test or save failed. */
  const failure = ref<string | null>(null);
  /** Fields that the user has left. After an attempt to test or save, all fields. */
  const left = reactive(new Set<McpFormProblem['field']>());
  const isTried = ref(false);

  const form = computed<McpServerForm>(() => ({
    name: fields.name.trim(),
    reach:
      fields.kind === 'stdio'
        ? {
            kind: 'stdio',
            command: fields.command.trim(),
            args: fields.args.split('\n').filter((arg) => arg.trim() !== ''),
            env: trimmed(fields.env),
            cwd: fields.cwd.trim() === '' ? null : fields.cwd.trim(),
            isSandboxed: fields.isSandboxed,
          }
        : { kind: 'http', url: fields.url.trim(), headers: trimmed(fields.headers) },
  }));
  const problems = computed(() => mcpFormProblems(form.value, taken()));
  const findProblem = (field: McpFormProblem['field']): string | null => {
    const problem = problems.value.find((one) => one.field === field);
    if (problem === undefined) return null;
    // An empty field shows no problem if the user only moved through it.
    const isShown = isTried.value || (left.has(field) && !problem.code.endsWith('Missing'));
    return isShown ? formProblemText(problem) : null;
  };

  // The test result no longer matches the form.
  watch(form, () => {
    result.value = null;
    failure.value = null;
  });

  /** Resolves to the result of the request. Resolves to null if the form has problems or the request failed. */
  async function attempt<T>(kind: 'testing' | 'saving', request: () => Promise<T>): Promise<T | null> {
    isTried.value = true;
    if (busy.value !== null || problems.value.length > 0) return null;
    busy.value = kind;
    result.value = null;
    failure.value = null;
    try {
      return await request();
    } catch (error) {
      failure.value = error instanceof Error ? error.message : String(error);
      return null;
    } finally {
      busy.value = null;
    }
  }

  async function test(): Promise<void> {
    const tested = form.value;
    const answer = await attempt('testing', () => mcp.test(tested, former));
    if (answer !== null && answer.outcome !== 'stopped' && tested === form.value) result.value = answer;
  }

  /** Resolves to true if the server was saved. */
  const save = async (): Promise<boolean> => (await attempt('saving', () => mcp.save(form.value, former))) !== null;

  const stop = (): void => {
    if (busy.value === 'testing') void mcp.stopTest();
  };

  return { fields, busy, result, failure, problems, problemOf: findProblem, left, test, save, stop };
}

function trimmed(rows: readonly { name: string; value: string }[]): { name: string; value: string }[] {
  const isEmpty = ({ name, value }: { name: string; value: string }) => name.trim() === '' && value === '';
  return rows.filter((row) => !isEmpty(row)).map(({ name, value }) => ({ name: name.trim(), value }));
}

import { formatNumber, shortDate } from '../../types/format';
import type { Statistics } from '../../protocol/requests/statisticsRequests';
import { t } from '../translate';

const oneDecimal = { least: 1, most: 1 };

/** Chart, and the same values as a table. */
export interface Picture {
  title: string;
  /** Direction of the bars. `days` are side by side, `names` are one below the other. */
  kind: 'days' | 'names';
  /** Names of the bar segments. The table can have more columns. */
  series: string[];
  rows: { name: string; values: number[]; cells: string[] }[];
  /** Column headings, without the name column. */
  columns: string[];
  head: string;
}

/** Returns the charts that have data, the most important one first. */
export function listPictures(statistics: Statistics): Picture[] {
  const { tokensByDay, tools, toolsByDay, models, edits, sessions } = statistics;
  const timed = models.filter(({ firstTokenMs }) => firstTokenMs !== null);
  const fast = models.filter(({ tokensPerSecond }) => tokensPerSecond !== null);
  const all: Picture[] = [
    {
      title: t('Tokens per day'),
      kind: 'days',
      head: t('Day'),
      series: [t('Input'), t('Output')],
      columns: [t('Input'), t('Output')],
      rows: everyDay(tokensByDay, (day) => [day.prompt, day.answer], 2),
    },
    {
      title: t('Tool calls by result'),
      kind: 'names',
      head: t('Tool'),
      series: [t('Successful'), t('Failed'), t('Skipped or stopped')],
      columns: [t('Calls'), t('Success rate'), t('Average run time'), t('Average wait for your answer')],
      rows: tools.slice(0, 20).map(({ tool, calls, successes, failures, averageMs, averageWaitMs }) => ({
        name: tool,
        values: [successes, failures, calls - successes - failures],
        cells: [
          formatNumber(calls),
          percentText(successes, successes + failures),
          ...[averageMs, averageWaitMs].map((time) => (time === null ? '–' : timeText(time))),
        ],
      })),
    },
    {
      title: t('Time to first token by model'),
      kind: 'names',
      head: t('Model'),
      series: [t('Time')],
      columns: [t('Time'), t('Answers')],
      rows: timed.map(({ model, firstTokenMs, answers }) => ({
        name: model,
        values: [firstTokenMs ?? 0],
        cells: [timeText(firstTokenMs ?? 0), formatNumber(answers)],
      })),
    },
    {
      title: t('Tokens per second by model'),
      kind: 'names',
      head: t('Model'),
      series: [t('Tokens per second')],
      columns: [t('Tokens per second'), t('Input tokens'), t('Output tokens')],
      rows: fast.map(({ model, tokensPerSecond, promptTokens, answerTokens }) => ({
        name: model,
        values: [tokensPerSecond ?? 0],
        cells: [formatNumber(tokensPerSecond ?? 0, oneDecimal), formatNumber(promptTokens), formatNumber(answerTokens)],
      })),
    },
    {
      title: t('Tool calls per day'),
      kind: 'days',
      head: t('Day'),
      series: [t('Calls')],
      columns: [t('Calls'), t('Failed')],
      rows: everyDay(
        toolsByDay,
        (day) => [day.calls],
        1,
        (day) => [day.calls, day.failures],
      ),
    },
    {
      title: t('Files changed, by model'),
      kind: 'names',
      head: t('Model'),
      series: [t('Kept'), t('Undone'), t('Pending')],
      columns: [t('Kept'), t('Undone'), t('Pending')],
      rows: edits.map(({ model, kept, undone, pending }) => ({
        name: model,
        values: [kept, undone, pending],
        cells: [kept, undone, pending].map((count) => formatNumber(count)),
      })),
    },
    {
      title: t('Tool calls in recent chats'),
      kind: 'names',
      head: t('Chat'),
      series: [t('Calls')],
      columns: [t('Calls'), t('Tools')],
      rows: sessions.map((session) => {
        const calls = session.tools.reduce((sum, tool) => sum + tool.calls, 0);
        const used = session.tools.map((tool) => `${tool.tool} ${formatNumber(tool.calls)}`).join(', ');
        return { name: session.title || t('Untitled'), values: [calls], cells: [formatNumber(calls), used] };
      }),
    },
  ];
  return all.filter(({ rows }) => rows.length > 0);
}

/** Adds days without data to make the time axis even. */
function everyDay<T extends { day: string }>(
  days: readonly T[],
  valuesOf: (day: T) => number[],
  count: number,
  cellsOf: (day: T) => number[] = valuesOf,
): Picture['rows'] {
  const first = days[0];
  const last = days.at(-1);
  if (first === undefined || last === undefined) return [];
  const known = new Map(days.map((day) => [day.day, day]));
  const rows: Picture['rows'] = [];
  for (let time = Date.parse(first.day); time <= Date.parse(last.day); time += 86_400_000) {
    const name = new Date(time).toISOString().slice(0, 10);
    const day = known.get(name);
    const values = day === undefined ? Array.from({ length: count }, () => 0) : valuesOf(day);
    rows.push({
      name: shortDate(Date.parse(`${name}T00:00`)),
      values,
      cells: (day === undefined ? values : cellsOf(day)).map((count) => formatNumber(count)),
    });
  }
  return rows;
}

function percentText(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((part * 100) / whole)} %`;
}

function timeText(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${formatNumber(milliseconds / 1000, oneDecimal)} s`;
}

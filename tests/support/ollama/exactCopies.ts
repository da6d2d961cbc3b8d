import type { OllamaOptions } from '../../../src/types/ollama';
import type { RealServer } from './realServer';

/** Lines of code that repeat earlier parts, as code and JSON do. The first twelve repeat the most. */
export const linesToCopy: readonly string[] = [
  'sum += values[i];',
  'const total = total + total * rate;',
  'if (a === a) return a;',
  '{"a": 1, "b": 1, "c": 1}',
  'for (let i = 0; i < i.length; i++) {',
  'return values.map((value) => value.value);',
  'import { t } from "../t";',
  'x = x - x + x;',
  'git add . && git commit && git push',
  'path.join(path.dirname(path), "path");',
  'left.left = left.right;',
  'assert.equal(sum(1, 1), 2);',
  'let count = 0;',
  'count = count + 1;',
  'return left < right;',
  'const names = rows.map((row) => row.name);',
  'if (index >= items.length) break;',
  'while (start < end && text[start] === " ") start++;',
  'export const size = width * height;',
  'throw new Error("not found");',
  'items.push(items[0]);',
  'this.value = value;',
  'this.name = this.name.trim();',
  'public int getCount() { return count; }',
  'for x in range(10): print(x)',
  'def add(a, b): return a + b',
  'self.items = self.items[1:]',
  'result = result * 10 + digit',
  'values = [1, 1, 2, 3, 5, 8]',
  'assert add(2, 2) == 4',
  'from a.b import b',
  'print(f"{name}: {name}")',
  'if x and not y: return x',
  'return [row for row in rows if row]',
  'data = {"id": 1, "ids": [1, 2]}',
  'let mut total = 0;',
  'total += total / 2;',
  'let [a, b] = [b, a];',
  'fn min(a: i32, b: i32) -> i32 {',
  'match key { Key::Up => up(), Key::Down => down() }',
  'func swap(a, b int) (int, int) { return b, a }',
  'if err != nil { return err }',
  'SELECT a.id, b.id FROM a, b WHERE a.id = b.id;',
  'UPDATE users SET name = name WHERE id = 1;',
  '<li><a href="a.html">a</a></li>',
  'margin: 0 auto 0 auto;',
  '.list .list { color: #fff; background: #000; }',
  'name: name',
  '- run: npm run build && npm run test',
  '"test": "npm run test:unit && npm run test:view",',
  'echo "$HOME" > "$HOME/home.txt"',
  'cp a.txt b.txt && cp b.txt c.txt',
  'cd src && ls && cd ..',
  'type Pair = { left: number; right: number };',
  'const pair = { left: left, right: right };',
  'return a && b || a && c;',
  'matrix[i][j] = matrix[j][i];',
  '0, 1, 0, 1, 1, 0, 1, 0',
  'log("start"); work(); log("end");',
  'button.addEventListener("click", () => click(button));',
];

/** Returns how many of the lines a model copies exactly, given two copies as examples. */
export async function exactCopies(
  server: RealServer,
  model: string,
  lines: readonly string[],
  penalty: Pick<OllamaOptions, 'repeat_penalty'>,
): Promise<number> {
  let copied = 0;
  for (const line of lines) {
    const prompt = `Line: let a = b;\nCopy: let a = b;\n\nLine: call(first, second);\nCopy: call(first, second);\n\nLine: ${line}\nCopy:`;
    const options = { num_ctx: 2048, temperature: 0, num_predict: 48, stop: ['\n'], ...penalty };
    const { response } = (await server.post('/api/generate', { model, prompt, raw: true, stream: false, options })) as {
      response: string;
    };
    if (response.trim() === line) copied += 1;
  }
  return copied;
}

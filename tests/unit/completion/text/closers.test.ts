import assert from 'node:assert/strict';
import { cleanCompletion } from '../../../../src/completion/text/cleanCompletion';
import { fitToTail } from '../../../../src/completion/text/closers';

/** Returns the document after an answer is accepted at the cursor (`¦`), or undefined if nothing is shown. */
function accepted(languageId: string, document: string, raw: string): string | undefined {
  const [before = '', after = ''] = document.split('¦');
  const place = { languageId, multiline: true, family: null };
  const text = cleanCompletion({ raw, prefix: before, suffix: after, ...place });
  if (text === undefined) return undefined;
  const fitted = fitToTail(text, { before, after, languageId });
  return fitted.text === '' ? undefined : before + fitted.text + after.slice(fitted.replaces);
}

describe('closers after a suggestion', () => {
  const cases: [language: string, document: string, raw: string, after: string | undefined][] = [
    ['python', `    print(f"{d['¦']}")`, `name']} is {d['age']}")`, `    print(f"{d['name']} is {d['age']}")`],
    ['python', `    print(f"{d['¦']}")`, `name']} is {d['age']}`, `    print(f"{d['name']} is {d['age']}")`],
    ['python', `x = f'{a["¦"]}'`, `b"]} {c["d"]}'`, `x = f'{a["b"]} {c["d"]}'`],
    ['python', `x = f'{{¦}}'`, `a}}'`, `x = f'{{a}}'`],
    ['python', 'x = d["¦"]', 'name"] + e["first"', 'x = d["name"] + e["first"]'],
    ['python', '"""¦"""', 'Say it."""', '"""Say it."""'],
    ['python', 'print("¦")', "it's (a) [b", 'print("it\'s (a) [b")'],
    ['python', 'f(g(¦))', 'x), h(y', 'f(g(x), h(y))'],
    ['python', 'f(g(¦), z)', 'x), h(y)', 'f(g(x), h(y), z)'],
    ['javascript', 'const s = `${a[¦]}`;', '0]} and ${b[1]}`;', 'const s = `${a[0]} and ${b[1]}`;'],
    ['javascript', 'const s = `${¦}`;', 'a} and ${b', 'const s = `${a} and ${b}`;'],
    ['javascript', 'const s = `a ${¦}`', 'x.map((y) => `<${y}>`)}`;', 'const s = `a ${x.map((y) => `<${y}>`)}`;'],
    ['javascript', "say('¦')", 'it\\\'s\', "x")', "say('it\\'s', \"x\")"],
    ['javascript', 'if (¦) {', 'a && f(b)) {', 'if (a && f(b)) {'],
    ['javascript', 'it("¦", () => {});', 'works", () => {\n  a();\n});', 'it("works", () => {\n  a();\n});'],
    ['javascript', 'foo(¦)', '() => {', 'foo(() => {)'],
    ['javascript', 'foo(¦, bar)', 'x, y', 'foo(x, y, bar)'],
    ['javascript', 'foo(¦, bar)', 'x,', 'foo(x, bar)'],
    ['javascript', "// it's (¦)", 'so)', "// it's (so)"],
    ['javascript', 'foo(¦)', "a // it's", undefined],
    ['javascript', 'foo(¦)', 'a)]', undefined],
    ['typescriptreact', '<div className="¦"></div>', 'a">b</div>', '<div className="a">b</div>'],
    ['typescriptreact', '<A onClick={() => {¦}} />', ' go("x"); }} />', '<A onClick={() => { go("x"); }} />'],
    ['typescriptreact', '<A x={¦} />', '{ a: `b${c}` }} />', '<A x={{ a: `b${c}` }} />'],
    ['typescriptreact', '<p>{a ? <b>¦</b> : null}</p>', "don't</b>", "<p>{a ? <b>don't</b> : null}</p>"],
    ['typescript', 'const m = new Map<¦>();', 'string, Array<number>>();', 'const m = new Map<string, Array<number>>();'],
    ['rust', "fn f<'a, 'b>(x¦)", ": &'a str, y: &'b str)", "fn f<'a, 'b>(x: &'a str, y: &'b str)"],
    ['rust', 'let v: Vec<¦>', '&\'static str> = vec!["it\'s"];', 'let v: Vec<&\'static str> = vec!["it\'s"];'],
    ['rust', 'm.get(¦)', "&'(')", "m.get(&'(')"],
    ['sql', "SELECT * FROM t WHERE n IN ('¦')", "O''Brien', 'b')", "SELECT * FROM t WHERE n IN ('O''Brien', 'b')"],
    ['csharp', 'var s = $"{d["¦"]}";', 'name"]} and {d["age"]}";', 'var s = $"{d["name"]} and {d["age"]}";'],
    ['kotlin', 'val s = "${m["¦"]}"', 'k"]} and ${m["l"]}"', 'val s = "${m["k"]} and ${m["l"]}"'],
    ['swift', 'let s = "\\(d["¦"])"', 'k"]) and \\(e)"', 'let s = "\\(d["k"]) and \\(e)"'],
    ['ruby', 's = "#{h["¦"]}"', 'k"]} #{h["l"]}"', 's = "#{h["k"]} #{h["l"]}"'],
    ['go', 'fmt.Println("¦")', 'a", x[1], m["k"])', 'fmt.Println("a", x[1], m["k"])'],
  ];
  for (const [language, document, raw, after] of cases) {
    const outcome = after === undefined ? 'shows nothing' : 'closes everything once';
    it(`${outcome} in ${language}: ${document} with ${JSON.stringify(raw)}`, () =>
      assert.equal(accepted(language, document, raw), after));
  }
});

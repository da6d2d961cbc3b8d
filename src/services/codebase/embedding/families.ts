/** Prefixes with which a model family was trained. */
interface Family {
  name: RegExp;
  query: string;
  document: string;
}

const families: readonly Family[] = [
  { name: /nomic-embed/, query: 'search_query: ', document: 'search_document: ' },
  { name: /embeddinggemma/, query: 'task: code retrieval | query: ', document: 'title: none | text: ' },
  {
    name: /qwen3-embedding/,
    query: 'Instruct: Given a description, retrieve the code that fits it\nQuery: ',
    document: '',
  },
  {
    name: /mxbai-embed|snowflake-arctic-embed(?!2)/,
    query: 'Represent this sentence for searching relevant passages: ',
    document: '',
  },
  { name: /snowflake-arctic-embed2/, query: 'query: ', document: '' },
  { name: /\be5\b|multilingual-e5/, query: 'query: ', document: 'passage: ' },
];

/** Returns the prefixes for a query and a document. Returns empty strings for other model families. */
export function findPrefixes(model: string): { query: string; document: string } {
  const { query = '', document = '' } = families.find(({ name }) => name.test(model.toLowerCase())) ?? {};
  return { query, document };
}

/** Returns whether a model was trained on prose only. Such a model compares words better than code. */
export function isProseModel(model: string): boolean {
  return /minilm|paraphrase/.test(model.toLowerCase());
}

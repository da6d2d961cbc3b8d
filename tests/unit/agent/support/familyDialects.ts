import { coder, gemma, invoke, json, listOf, parameters, pythonCall, type Dialect } from './writeCalls';

/** Forms of model families from their published chat templates, with sources. Nothing is copied. */
export const familyDialects: readonly Dialect[] = [
  // moonshotai/Kimi-K2 chat template (llama.cpp models/templates/moonshotai-Kimi-K2.jinja; vLLM test_kimi_k2_tool_parser).
  {
    name: 'Kimi K2',
    kind: 'token',
    write: (calls) =>
      `<|tool_calls_section_begin|>${calls
        .map(
          ({ name, arguments: given }, at) =>
            `<|tool_call_begin|>functions.${name}:${at}<|tool_call_argument_begin|>${JSON.stringify(given)}<|tool_call_end|>`,
        )
        .join('')}<|tool_calls_section_end|>`,
  },
  // deepseek-ai/DeepSeek-V3.2 encoding (llama.cpp models/templates/DeepSeek-V3.2.jinja; vLLM test_deepseekv32_tool_parser).
  {
    name: 'DeepSeek DSML',
    kind: 'token',
    write: (calls) =>
      `<｜DSML｜function_calls>\n${calls
        .map((call) => invoke(call, '｜DSML｜', (value) => ` string="${typeof value === 'string'}"`))
        .join('\n')}\n</｜DSML｜function_calls>`,
  },
  // vLLM test_deepseekv4_tool_parser.
  {
    name: 'DeepSeek DSML, newer',
    kind: 'token',
    isUntyped: true,
    write: (calls) =>
      `<｜DSML｜tool_calls>\n${calls
        .map((call) => invoke(call, '｜DSML｜', () => ' string="true"'))
        .join('\n')}\n</｜DSML｜tool_calls>`,
  },
  // meta-llama/Llama-4 chat template (vLLM test_llama4_pythonic_tool_parser).
  {
    name: 'Llama 4',
    kind: 'token',
    write: (calls) => `<|python_start|>[${calls.map(pythonCall).join(', ')}]<|python_end|>`,
  },
  { name: 'Python alone', kind: 'bare', write: (calls) => `[${calls.map(pythonCall).join(', ')}]` },
  // allenai/Olmo-3 chat template (Ollama model/parsers/olmo3_test.go).
  { name: 'Olmo 3', write: (calls) => `<function_calls>${calls.map(pythonCall).join('\n')}</function_calls>` },
  // LiquidAI/LFM2 chat template (llama.cpp models/templates/llama-cpp-lfm2.jinja; Ollama model/parsers/lfm2_test.go).
  {
    name: 'LFM2',
    kind: 'token',
    write: (calls) => `<|tool_call_start|>[${calls.map(pythonCall).join(', ')}]<|tool_call_end|>`,
  },
  {
    name: 'LFM2, JSON',
    kind: 'token',
    write: (calls) => `<|tool_call_start|>${listOf(calls)}<|tool_call_end|>`,
  },
  // openai/gpt-oss, harmony format (Ollama harmony/harmonyparser_test.go).
  {
    name: 'gpt-oss',
    kind: 'token',
    write: (calls) =>
      calls
        .map(
          ({ name, arguments: given }) =>
            `<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${JSON.stringify(given)}<|call|>`,
        )
        .join('<|start|>assistant'),
  },
  {
    name: 'gpt-oss, recipient first',
    kind: 'token',
    write: (calls) =>
      calls
        .map(
          ({ name, arguments: given }) =>
            `<|start|>assistant to=functions.${name}<|channel|>commentary json<|message|>${JSON.stringify(given)}<|call|>`,
        )
        .join(''),
  },
  {
    name: 'gpt-oss without its tokens',
    kind: 'word',
    isSingle: true,
    write: (calls) =>
      calls.map(({ name, arguments: given }) => `commentary to=functions.${name} json${JSON.stringify(given)}`).join('\n'),
  },
  // microsoft/Phi-4-mini-instruct chat template (vLLM test_phi4mini_tool_parser).
  { name: 'Phi 4 mini', kind: 'word', write: (calls) => `functools${listOf(calls)}` },
  { name: 'Phi 4', kind: 'token', write: (calls) => `<|tool_call|>${listOf(calls)}<|/tool_call|>` },
  // internlm/internlm2_5-chat (vLLM test_internlm2_tool_parser).
  {
    name: 'InternLM',
    kind: 'token',
    isSingle: true,
    write: (calls) => calls.map((call) => `<|action_start|><|plugin|>${json(call, 'parameters')}<|action_end|>`).join('\n'),
  },
  // swiss-ai/Apertus chat template (vLLM test_apertus_tool_parser).
  {
    name: 'Apertus',
    kind: 'token',
    write: (calls) =>
      `<|tools_prefix|>${JSON.stringify(calls.map(({ name, arguments: given }) => ({ [name]: given })))}<|tools_suffix|>`,
  },
  // MiniMaxAI/MiniMax-M2 chat template (llama.cpp models/templates/unsloth-MiniMax-M2.jinja).
  {
    name: 'MiniMax M2',
    isUntyped: true,
    write: (calls) => `<minimax:tool_call>\n${calls.map((call) => invoke(call, '')).join('\n')}\n</minimax:tool_call>`,
  },
  // ByteDance-Seed/Seed-OSS chat template (llama.cpp models/templates/ByteDance-Seed-OSS.jinja).
  {
    name: 'Seed OSS',
    isUntyped: true,
    write: (calls) => calls.map((call) => `<seed:tool_call>\n${coder(call)}\n</seed:tool_call>`).join('\n'),
  },
  // nvidia/NVIDIA-Nemotron-Nano-v2 chat template (llama.cpp models/templates/NVIDIA-Nemotron-Nano-v2.jinja).
  { name: 'Nemotron', kind: 'token', write: (calls) => `<TOOLCALL>${listOf(calls)}</TOOLCALL>` },
  // stepfun-ai/step3 (vLLM test_step3_tool_parser).
  {
    name: 'Step 3',
    kind: 'token',
    isUntyped: true,
    write: (calls) =>
      `<｜tool_calls_begin｜>${calls
        .map((call) => `<｜tool_call_begin｜>function<｜tool_sep｜>${invoke(call, 'steptml:')}<｜tool_call_end｜>`)
        .join('<｜tool_sep｜>')}<｜tool_calls_end｜>`,
  },
  // google/gemma-4 chat template (llama.cpp models/templates/gemma4.jinja; Ollama model/parsers/gemma4_test.go).
  {
    name: 'Gemma 4',
    kind: 'token',
    write: (calls) =>
      calls.map(({ name, arguments: given }) => `<|tool_call>call:${name}${gemma(given, '<|"|>')}<tool_call|>`).join(''),
  },
  // google/functiongemma (Ollama model/parsers/functiongemma_test.go).
  {
    name: 'FunctionGemma',
    kind: 'token',
    write: (calls) =>
      calls
        .map(({ name, arguments: given }) => `<start_function_call>call:${name}${gemma(given, '<escape>')}<end_function_call>`)
        .join(''),
  },
  // CohereForAI/c4ai-command-r7b chat template (llama.cpp models/templates/CohereForAI-c4ai-command-r7b-12-2024-tool_use.jinja).
  {
    name: 'Command R7B',
    kind: 'token',
    write: (calls) =>
      `<|START_ACTION|>[\n${calls
        .map(({ name, arguments: given }, at) => JSON.stringify({ tool_call_id: `${at}`, tool_name: name, parameters: given }))
        .join(',\n')}\n]<|END_ACTION|>`,
  },
  // ai-sage/GigaChat3 chat template (llama.cpp models/templates/GigaChat3-10B-A1.8B.jinja).
  {
    name: 'GigaChat 3',
    kind: 'word',
    isSingle: true,
    write: (calls) => calls.map((call) => `function call<|role_sep|>\n${json(call)}`).join('\n'),
  },
  // meituan-longcat/LongCat-Flash (vLLM test_longcat_tool_parser).
  { name: 'LongCat', write: (calls) => calls.map((call) => `<longcat_tool_call>${json(call)}</longcat_tool_call>`).join('\n') },
  // ai-sage/GigaChat3.1 chat template, as vLLM's gigachat3 parser reads it.
  {
    name: 'GigaChat 3.1',
    kind: 'token',
    isSingle: true,
    write: (calls) => calls.map((call) => `<|function_call|>${json(call)}`).join('\n'),
  },
  // openbmb/MiniCPM5 (vLLM minicpm5xml_tool_parser).
  {
    name: 'MiniCPM 5',
    isUntyped: true,
    write: (calls) =>
      calls
        .map(
          (call) =>
            `<function name="${call.name}">${parameters(call, (key, value) => `<param name="${key}">${value}</param>`)}</function>`,
        )
        .join('\n'),
  },
];

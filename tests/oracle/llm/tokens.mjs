// SPDX-License-Identifier: Apache-2.0
// tokens.mjs MODEL CASES: the ids of each text of CASES (a JSON array of strings), by Hugging Face's
// own library in Rust and by the one in JavaScript, with and without what its post-processor adds;
// what the ids stand for; and how long each took for all of them.
import {readFileSync} from 'node:fs';
import {Tokenizer as JavaScript} from '@huggingface/tokenizers';

const [model, cases] = process.argv.slice(2);
const json = readFileSync(model + '/tokenizer.json', 'utf8');
const script = new JavaScript(JSON.parse(json),
                              JSON.parse(readFileSync(model + '/tokenizer_config.json', 'utf8')));
let rust = null;
try {
  rust = (await import('@anush008/tokenizers')).Tokenizer.fromString(json);
} catch (fault) {
  process.stderr.write(`no library in Rust for this machine: ${fault.message}\n`);
}
const texts = JSON.parse(readFileSync(cases, 'utf8'));
const answers = [];
const seconds = {javascript: 0, rust: 0};
const timed = async (name, call) => {
  const begin = process.hrtime.bigint();
  const result = await call();
  seconds[name] += Number(process.hrtime.bigint() - begin) / 1e9;
  return result;
};
for (const text of texts) {
  const answer = {javascript: await timed('javascript', () => script.encode(text, {add_special_tokens: false}).ids)};
  if (rust) {
    answer.rust = (await timed('rust', () => rust.encode(text, null, {addSpecialTokens: false}))).getIds();
    answer.whole = (await rust.encode(text, null, {addSpecialTokens: true})).getIds();
    answer.decoded = await rust.decode(answer.rust, false);
    answer.plain = await rust.decode(answer.rust, true);
    const odd = answer.rust.filter((_, k) => k % 2 === 1);
    answer.odd = await rust.decode(odd, false);
  }
  answers.push(answer);
}
process.stdout.write(JSON.stringify({answers, seconds}));

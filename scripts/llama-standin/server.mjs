// A small server on node-llama-cpp: several sequences in one context, which the engine batches as they come.
//   node server.mjs MODEL TRUTH.csv [sequences=4] [requests=24] [tokens=60] [prompt=64] [context=8192] [batch=512]
// Every request has a prompt of a length drawn around `prompt` and makes `tokens` tokens; a sequence takes the next
// request when it is done. TRUTH.csv gets one line per decode call of the engine: when it began and ended
// (CLOCK_MONOTONIC), how many tokens it had, of how many sequences.
import fs from "node:fs";
import {getLlama, LlamaLogLevel} from "node-llama-cpp";

const [model_path, truth_path, ...words] = process.argv.slice(2);
const options = {sequences: 4, requests: 24, tokens: 60, prompt: 64, context: 8192, batch: 512, seed: 1, flash: 1, work: 0};
for (const word of words) {
    const [key, value] = word.split("=");
    if (!(key in options)) throw new Error(`unknown option ${word}`);
    options[key] = Number(value);
}

let state = options.seed;
function draw() { // the same requests in every run with the same seed
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
}

const llama = await getLlama({gpu: "cuda", build: "never", skipDownload: true, logLevel: LlamaLogLevel.warn});
if (llama.gpu !== "cuda") throw new Error(`the engine uses ${llama.gpu}`);
const model = await llama.loadModel({modelPath: model_path, gpuLayers: "max"});
const context = await model.createContext({
    sequences: options.sequences, contextSize: options.context, batchSize: options.batch,
    flashAttention: options.flash !== 0
});

const truth = fs.openSync(truth_path, "w");
fs.writeSync(truth, "begin_ns,end_ns,tokens,sequences\n");
const engine = context._ctx;
let tokens = 0, sequences = 0;
function watch(name, make) { // the engine's methods cannot be assigned
    Object.defineProperty(engine, name, {value: make(engine[name].bind(engine))});
}
watch("initBatch", (call) => (size) => {
    tokens = sequences = 0;
    return call(size);
});
watch("addToBatch", (call) => (sequence, first, added, logits) => {
    tokens += added.length;
    sequences += 1;
    return call(sequence, first, added, logits);
});
watch("decodeBatch", (call) => async () => {
    const begin = process.hrtime.bigint();
    await call();
    fs.writeSync(truth, `${begin},${process.hrtime.bigint()},${tokens},${sequences}\n`);
});

function busy(thousands) { // work of the host, per token
    let x = 1.0001;
    for (let i = thousands * 1000; i > 0; i--) x = x * 1.0000001 + 1e-9;
    return x;
}

let left = options.requests, made = 0;
async function serve(sequence) {
    while (left > 0) {
        left -= 1;
        const length = Math.max(1, Math.round(options.prompt * (0.5 + draw())));
        const prompt = Array.from({length}, () => 300 + Math.floor(draw() * 600));
        let count = 0;
        for await (const token of sequence.evaluate(prompt, {temperature: 0, yieldEogToken: true})) {
            made += 1;
            if (options.work > 0) busy(options.work);
            if (++count >= options.tokens) break;
        }
        await sequence.clearHistory();
    }
}
const begin = process.hrtime.bigint();
await Promise.all(Array.from({length: options.sequences}, () => serve(context.getSequence())));
const seconds = Number(process.hrtime.bigint() - begin) / 1e9;
console.log(`${options.requests} requests, ${made} tokens in ${seconds.toFixed(2)} s`);
fs.closeSync(truth);
await context.dispose();
await model.dispose();
await llama.dispose();

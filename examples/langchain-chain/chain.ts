/**
 * A chain of LangChain.js whose model stops by fullstop's rules: `node chain.ts "What number comes before 395?"`.
 *
 * The answer goes to standard output as it comes, and why it ended to standard error. Ctrl+C closes the connection to
 * the provider and keeps what came.
 */
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { ChatOpenAI } from "@langchain/openai";
import { createFetch } from "fullstop/fetch";

const { OPENAI_BASE_URL = "http://127.0.0.1:8787/v1", OPENAI_API_KEY = "none", MODEL = "pip" } = process.env;
const question = process.argv.slice(2).join(" ") || "What number comes before 395?";

const fetch = createFetch({
  stop: ["</answer>", "</final>", "Question:", "Observation:", "Human:"], // more than the four that OpenAI takes
  repetition: true,
  onFinish: ({ reason, stopSequence }) => console.error(`\n[${[reason, stopSequence].filter(Boolean).join(": ")}]`),
});
const model = new ChatOpenAI({
  model: MODEL,
  apiKey: OPENAI_API_KEY,
  configuration: { baseURL: OPENAI_BASE_URL, fetch },
});
const chain = ChatPromptTemplate.fromMessages([["user", "{question} Use <answer></answer>."]])
  .pipe(model)
  .pipe(new StringOutputParser());

const stop = new AbortController();
process.on("SIGINT", () => stop.abort());
try {
  for await (const text of await chain.stream({ question }, { signal: stop.signal })) process.stdout.write(text);
} catch (error) {
  // LangChain throws at a stop; what came before it is on the screen.
  if (!stop.signal.aborted) throw error;
}

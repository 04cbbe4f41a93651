// What the gateway's own objects look like, as JSON Schema. Bodies in a provider's dialect are described by the provider.
import { REASONS } from "./reasons.mjs";

const text = { type: "string" };
const count = { type: "integer", minimum: 0 };
const flag = { type: "boolean" };
const time = { type: "string", format: "date-time" };
const words = (/** @type {readonly string[]} */ ...values) => ({ type: "string", enum: values });
const list = (/** @type {object} */ items) => ({ type: "array", items });
const ref = (/** @type {string} */ name) => ({ $ref: `#/components/schemas/${name}` });
const nothingOr = (/** @type {object} */ schema) => ({ anyOf: [schema, { type: "null" }] });

/**
 * @param {string} description
 * @param {Readonly<Record<string, object>>} properties
 * @param {readonly string[]} required
 */
const object = (description, properties, required = Object.keys(properties)) => ({
  type: "object",
  description,
  properties,
  required,
});

const channel = words("text", "reasoning", "tool-arguments");
const scope = { anyOf: [channel, { const: "all" }, list(channel)] };

const stopString = {
  anyOf: [text, object("A stop string with settings of its own.", { text, scope, include: flag }, ["text"])],
};

const repetition = {
  anyOf: [
    flag,
    object(
      "Loops: true for the profile that weighs the evidence, or settings.",
      {
        minPatternLength: { type: "integer", minimum: 1 },
        maxPatternLength: { type: "integer", minimum: 1 },
        minRepetitions: { type: "integer", minimum: 2 },
        windowSize: { type: "integer", minimum: 1, maximum: 1_000_000 },
        unit: words("characters", "tokens"),
        scope,
        trim: flag,
      },
      [],
    ),
  ],
};

const phase = words("waiting", "thinking", "answering", "calling", "ended", "unknown");

const generation = {
  id: text,
  model: text,
  owner: { type: "string", description: "Whose it is; in lists for operators only." },
  replica: text,
  state: words("running", "ended"),
  phase,
  startedAt: time,
  answeredBy: { ...text, description: "The model that answers, as provider/model, once one does." },
  events: count,
  signal: ref("TerminationSignal"),
};
const generationRequired = ["id", "model", "replica", "state", "phase", "startedAt"];

/** The schemas of the document. */
export const SCHEMAS = {
  StopSettings: {
    ...object(
      "What a request can say beside its dialect: the object fullstop of a body, or the header x-fullstop-settings.",
      {
        stop: { anyOf: [text, list(stopString)] },
        include: flag,
        caseInsensitive: flag,
        repetition,
        maxReasoningTokens: count,
        maxCharacters: count,
        maxMilliseconds: { type: "number", minimum: 0 },
        maxCost: {
          anyOf: [
            { type: "number", minimum: 0 },
            object(
              "Money, in any currency. Without perToken the model's prices count.",
              { amount: { type: "number", minimum: 0 }, perToken: { type: "number", minimum: 0 } },
              ["amount"],
            ),
          ],
        },
        stopTokenIds: list(count),
        ignoreEos: flag,
        minTokens: count,
        onDisconnect: words("stop", "continue"),
      },
      [],
    ),
    additionalProperties: false,
  },
  TerminationSignal: object(
    "How a generation ended. The list of reasons may grow.",
    {
      shouldTerminate: flag,
      reason: words(...REASONS),
      confidence: words("high", "medium", "low"),
      providerSpecific: object(
        "The source's own words.",
        { originalField: text, originalValue: text, metadata: { type: "object" } },
        ["originalField", "originalValue"],
      ),
      message: text,
      detail: text,
      stopSequence: text,
    },
    ["shouldTerminate", "reason", "confidence", "providerSpecific"],
  ),
  Usage: object(
    "Token counts. A part that is unknown is absent.",
    {
      inputTokens: count,
      outputTokens: count,
      cachedInputTokens: count,
      cacheWriteTokens: count,
      reasoningTokens: count,
      estimated: flag,
    },
    ["inputTokens", "outputTokens"],
  ),
  Generation: object("A generation, without what it has written.", generation, generationRequired),
  GenerationWithText: object(
    "A generation, with what it has written so far.",
    { ...generation, text, reasoning: text, usage: nothingOr(ref("Usage")) },
    [...generationRequired, "text", "reasoning", "usage"],
  ),
  PastGeneration: object(
    "A generation that has ended.",
    {
      id: text,
      owner: text,
      model: text,
      replica: text,
      startedAt: time,
      endedAt: time,
      events: count,
      bytes: count,
      signal: ref("TerminationSignal"),
      answeredBy: { ...text, description: "The model that answered, as provider/model, where one did." },
      usage: nothingOr(ref("Usage")),
      maxOutputTokens: count,
    },
    ["id", "owner", "model", "replica", "startedAt", "endedAt", "events", "bytes", "signal", "usage"],
  ),
  GenerationList: {
    anyOf: [
      object(
        "Those that run. isPartial says that the store could not be asked or did not answer within a second, so that those of other replicas are missing.",
        { generations: list(ref("Generation")), isPartial: flag },
        ["generations"],
      ),
      object("Those that have ended, the newest first. next is what before= takes for the next page.", {
        generations: list(ref("PastGeneration")),
        next: nothingOr(text),
      }),
    ],
  },
  StopOrder: object(
    "What is to become of a generation.",
    {
      mode: { ...words("stop", "skip-thinking", "finish-sentence"), default: "stop" },
      reason: {
        type: "string",
        maxLength: 200,
        description: "Becomes the detail of the signal. Default: user, or operator for what is another's.",
      },
    },
    [],
  ),
  StopReceipt: object(
    "What came of an order.",
    {
      id: text,
      result: words("stopped", "already_finished", "not_found", "not_thinking", "unreachable"),
      replica: text,
      signal: ref("TerminationSignal"),
      text,
      reasoning: text,
      usage: nothingOr(ref("Usage")),
    },
    ["id", "result", "replica"],
  ),
  StoppedAll: object(
    "What came of an order for all that runs. isPartial says that the store could not be asked for those of other replicas, or did not answer within a second.",
    {
      owner: text,
      generations: list(object("One of them.", { id: text, result: text })),
      isPartial: flag,
    },
    ["owner", "generations"],
  ),
  Deleted: object("What came of a wish to forget something.", { id: text, deleted: flag }),
  Health: object(
    "Whether the process answers, and whether it takes requests.",
    {
      status: words("ok", "ready", "not_ready"),
      problems: list(text),
    },
    ["status"],
  ),
  Error: { type: "object", description: "An error, in the words of the caller's dialect." },
};

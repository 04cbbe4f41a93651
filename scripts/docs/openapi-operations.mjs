// What there is to say of each route of the gateway, by the method and address under which it is registered.

/**
 * @typedef {object} Operation
 * @property {string} [path] its address in the document, where that is not the registered one
 * @property {string} tag
 * @property {string} summary
 * @property {string} [description]
 * @property {string} [dialect] the provider's dialect that bodies are in
 * @property {readonly string[]} [parameters] names of parameters, as in PARAMETERS
 * @property {string} [body] the schema of the request's body
 * @property {boolean} [takesNothing] that only the answer is in the dialect
 * @property {string} [answer] the schema of the answer
 * @property {string} [type] the media type of the answer; default application/json
 * @property {Readonly<Record<string, string>>} [others] further statuses
 * @property {"public"} [access] that no key is needed
 */

const GENERATING = ["settings", "providerKey", "traceparent"];
const NOT_THERE = { 404: "There is no such generation, or it is another's." };
const NOT_YET = { ...NOT_THERE, 409: "It still runs." };

/** @type {Readonly<Record<string, Operation | readonly Operation[]>>} */
export const OPERATIONS = {
  "POST /v1/chat/completions": {
    tag: "Dialects",
    summary: "Ask any model in OpenAI Chat Completions",
    dialect: "openai-chat",
    parameters: GENERATING,
  },
  "POST /v1/responses": {
    tag: "Dialects",
    summary: "Ask any model in OpenAI Responses",
    description: "With background: true it is answered at once, and runs without a reader.",
    dialect: "openai-responses",
    parameters: GENERATING,
  },
  "GET /v1/responses/:id": {
    tag: "Dialects",
    summary: "Look at a response again, or follow it",
    dialect: "openai-responses",
    parameters: ["id", "stream", "startingAfter"],
    others: NOT_THERE,
  },
  "DELETE /v1/responses/:id": {
    tag: "Dialects",
    summary: "Forget a response that has ended",
    answer: "Deleted",
    parameters: ["id"],
    others: NOT_YET,
  },
  "POST /v1/responses/:id/cancel": {
    tag: "Dialects",
    summary: "Stop a response",
    dialect: "openai-responses",
    takesNothing: true,
    parameters: ["id"],
    others: NOT_THERE,
  },
  "POST /v1/responses/input_tokens": {
    tag: "Counting tokens",
    summary: "Count the tokens of a request in OpenAI Responses",
    dialect: "openai-responses",
    parameters: ["providerKey"],
  },
  "POST /v1/messages": {
    tag: "Dialects",
    summary: "Ask any model in Anthropic Messages",
    dialect: "anthropic-messages",
    parameters: GENERATING,
  },
  "POST /v1/messages/count_tokens": {
    tag: "Counting tokens",
    summary: "Count the tokens of a request in Anthropic Messages",
    dialect: "anthropic-messages",
    parameters: ["providerKey"],
  },
  "POST /v1beta/models/*": [
    {
      path: "/v1beta/models/{model}:generateContent",
      tag: "Dialects",
      summary: "Ask any model in Gemini's dialect",
      dialect: "gemini",
      parameters: ["model", ...GENERATING],
    },
    {
      path: "/v1beta/models/{model}:streamGenerateContent",
      tag: "Dialects",
      summary: "The same as a stream: a JSON array, or events with alt=sse",
      dialect: "gemini",
      parameters: ["model", "alt", ...GENERATING],
    },
    {
      path: "/v1beta/models/{model}:countTokens",
      tag: "Counting tokens",
      summary: "Count the tokens of a request in Gemini's dialect",
      dialect: "gemini",
      parameters: ["model", "providerKey"],
    },
  ],
  "GET /v1beta/models": { tag: "Models", summary: "List the models, in Gemini's words", dialect: "gemini" },
  "GET /v1beta/models/*": {
    path: "/v1beta/models/{model}",
    tag: "Models",
    summary: "Describe a model, in Gemini's words",
    dialect: "gemini",
    parameters: ["model"],
    others: { 404: "There is no such model for this key." },
  },
  "GET /v1/models": { tag: "Models", summary: "List the models, in OpenAI's and Anthropic's words" },
  "GET /v1/models/*": {
    path: "/v1/models/{model}",
    tag: "Models",
    summary: "Describe a model, in OpenAI's and Anthropic's words",
    parameters: ["model"],
    others: { 404: "There is no such model for this key." },
  },
  "GET /v1/generations": {
    tag: "Generations",
    summary: "List the generations that run, or that have ended and are kept",
    parameters: ["state", "limit", "before"],
    answer: "GenerationList",
  },
  "GET /v1/generations/live": {
    tag: "Generations",
    summary: "Follow all that runs: everything first, then what changes",
    type: "text/event-stream",
  },
  "POST /v1/generations/stop": {
    tag: "Generations",
    summary: "Stop all that runs for the key, or for another one",
    description: 'A body {"owner": "name"} names another key; that is for operators.',
    answer: "StoppedAll",
    others: { 403: "Only operators may stop what is another's." },
  },
  "GET /v1/generations/:id": {
    tag: "Generations",
    summary: "See what a generation is doing, and what it has written",
    parameters: ["id"],
    answer: "GenerationWithText",
    others: NOT_THERE,
  },
  "DELETE /v1/generations/:id": {
    tag: "Generations",
    summary: "Forget a generation that has ended",
    parameters: ["id"],
    answer: "Deleted",
    others: NOT_YET,
  },
  "POST /v1/generations/:id/stop": {
    tag: "Generations",
    summary: "Stop a generation, skip its thinking, or let it finish its sentence",
    parameters: ["id"],
    body: "StopOrder",
    answer: "StopReceipt",
    others: { ...NOT_THERE, 503: "The replica that generates it does not answer; the order is left for it." },
  },
  "GET /v1/generations/:id/events": {
    tag: "Generations",
    summary: "Follow the events of a generation, from any of them, while it runs and after",
    parameters: ["id", "from", "lastEventId", "held"],
    type: "text/event-stream",
    others: { ...NOT_THERE, 204: "There is nothing more." },
  },
  "GET /healthz": { tag: "Operation", summary: "Is it alive?", answer: "Health", access: "public" },
  "GET /readyz": {
    tag: "Operation",
    summary: "Does it take requests?",
    answer: "Health",
    access: "public",
    others: { 503: "It does not, with what is in the way." },
  },
  "GET /metrics": {
    tag: "Operation",
    summary: "How is it doing, in Prometheus' text format?",
    description: "For operators' keys, unless the configuration makes it public.",
    type: "text/plain",
  },
};

const query = (/** @type {string} */ name, /** @type {string} */ description, schema = { type: "string" }) => ({
  name,
  in: "query",
  description,
  schema,
});
const header = (/** @type {string} */ name, /** @type {string} */ description) => ({
  name,
  in: "header",
  description,
  schema: { type: "string" },
});
const inPath = (/** @type {string} */ name, /** @type {string} */ description) => ({
  name,
  in: "path",
  required: true,
  description,
  schema: { type: "string" },
});

/** What stands in addresses and headers. */
export const PARAMETERS = {
  id: inPath("id", "The id of a generation, as in x-fullstop-generation-id."),
  model: inPath("model", "The name of a model, slashes included."),
  settings: header("x-fullstop-settings", "StopSettings as JSON, for requests whose body has no fullstop."),
  providerKey: header("x-fullstop-provider-key", "The caller's own key, where a provider is asked with it."),
  traceparent: header("traceparent", "The trace that the generation becomes part of."),
  stream: query("stream", "true to follow it as events."),
  startingAfter: query("starting_after", "The number of the last event that the reader has.", { type: "integer" }),
  alt: query("alt", "sse for events in place of a JSON array."),
  state: query("state", "running (the default) or ended."),
  limit: query("limit", "How many that have ended, 1 to 1000. Default 100.", { type: "integer" }),
  before: query("before", "The field next of the page before."),
  from: query("from", "How many events the reader has already.", { type: "integer" }),
  lastEventId: header("last-event-id", "The same, as browsers say it when they come back. It counts more."),
  held: query("held", "true to be shown the text that stop rules hold back at present."),
};

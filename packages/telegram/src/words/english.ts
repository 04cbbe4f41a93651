import type { Words } from "./words.ts";

/** The bot's own words in English, which is also what it says in languages that it does not know. */
export const ENGLISH: Words = {
  stopped: "Generation stopped.",
  nothingToStop: "No active generation to stop.",
  endings: {
    interrupted: "[interrupted]",
    length: "[cut off: the answer has reached its length limit]",
    filtered: "[withheld by the provider's content filter]",
    loop: "[stopped: it was repeating itself]",
    cut: "[cut off: the connection to the model was lost]",
    unknown: "[the model did not say whether this is all]",
    context: "[the conversation has become too long; /new begins another]",
    time: "[stopped: it took too long]",
    budget: "[stopped: the budget is used up]",
    tools: "[stopped: too many steps]",
    error: "[the model could not answer]",
  },
  placeholder: "…",
  tool: (name) => `⚙ ${name}…`,
  buttons: {
    stop: "⏹ Stop",
    skipThinking: "⏭ Skip thinking",
    continue: "▶ Continue",
    regenerate: "🔄 Regenerate",
  },
  toasts: {
    stopping: "Stopping…",
    alreadyStopping: "Already stopping",
    alreadyFinished: "Already finished",
    notYours: "You can only stop your own generations",
    skipping: "Skipping the thinking…",
    nothingToSkip: "It is not thinking any more",
    answering: "One moment…",
    notTheLast: "Only the last answer can be continued or written again",
    notAllowed: "This bot is not open to everybody.",
    tooMany: "That is too much at once. Try again in a minute.",
    unreachable: "It could not be reached. Try again in a moment.",
  },
  welcome:
    "Write to me, and I answer. Whatever you write while I answer stops me, and I answer that instead.\n\n/stop stops the answer\n/new begins a new conversation",
  newConversation: "A new conversation. I have forgotten the one before.",
  notAllowed: "This bot is not open to everybody.",
  onlyText: "I can only read text.",
  tooMany: "That is too much at once. Try again in a minute.",
  busy: "I am still answering. /stop stops the answer.",
  commands: { stop: "Stop the answer", new: "Begin a new conversation", help: "What I can do" },
};

import type { GenerationRequest } from "fullstop";
import { createGate, finish, reasoning, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { createFolder } from "../support/folder.ts";
import { startInTerminal } from "../support/pty.ts";
import type { TerminalRun } from "../support/pty.ts";
import { openScripted } from "../support/scripted.ts";

const folder = createFolder();
const gateway = await openScripted();
const cwd = folder.path("");

function startChat(parameters: readonly string[] = [], env: Readonly<Record<string, string>> = {}): TerminalRun {
  return startInTerminal(["chat", ...parameters], { cwd, env });
}

/** A chat with a model that answers as a test has told it. */
function startScripted(env: Readonly<Record<string, string>> = {}): TerminalRun {
  return startChat(["--gateway", gateway.url, "--model", "openai-chat/any-model"], env);
}

const ESCAPE = "\u001B";
const CONTROL_C = "\u0003";
const CONTROL_D = "\u0004";

const textsOf = ({ messages }: GenerationRequest): readonly string[] =>
  messages.flatMap(({ content }) => content.flatMap((part) => (part.type === "text" ? [part.text] : [])));

describe("fullstop chat in a terminal", () => {
  it.each([
    { name: "Escape", key: ESCAPE },
    { name: "Ctrl-C", key: CONTROL_C },
  ])("$name stops an answer of Pip, which stays and is marked; then it goes on", async ({ key }) => {
    const chat = startChat();
    await chat.until("> ");
    // It does not come to the end of this by itself, however fast the machine is.
    chat.type("Count forever.\r");
    await chat.until("thinking: ");
    await chat.until("1, 2, 3");
    chat.type(key);
    await chat.until("[interrupted]");
    await chat.until("[Generation stopped · ");
    await chat.until("> ");
    chat.type("What number comes before 395?\r");
    await chat.until("Before 395 comes 394.");
    await chat.until("End of sequence token detected · ");
    await chat.until("> ");
    chat.type("/exit\r");
    expect(await chat.exitCode).toBe(0);
  });

  it.each([
    { name: "Ctrl-C with nothing running", keys: CONTROL_C },
    { name: "Ctrl-D", keys: CONTROL_D },
    { name: "/exit", keys: "/exit\r" },
  ])("$name leaves", async ({ keys }) => {
    const chat = startScripted();
    await chat.until("> ");
    chat.type(keys);
    expect(await chat.exitCode).toBe(0);
  });

  it("Ctrl-C twice leaves in the middle of an answer", async () => {
    const gate = createGate();
    gateway.script("openai-chat", [start(), text("One, two"), gate.pass, finish()]);
    const chat = startScripted();
    await chat.until("> ");
    chat.type("Count.\r");
    await chat.until("One, two");
    chat.type(CONTROL_C);
    chat.type(CONTROL_C);
    expect(await chat.exitCode).toBe(0);
    expect(chat.output()).toContain("[interrupted]");
    gate.open();
  });

  it("tells the model of the interruption with the next question", async () => {
    const gate = createGate();
    const { requests } = gateway.upstreams["openai-chat"];
    gateway.script("openai-chat", [start(), text("One, two"), gate.pass, finish()]);
    const chat = startScripted();
    await chat.until("> ");
    chat.type("Count.\r");
    await chat.until("One, two");
    chat.type(ESCAPE);
    await chat.until("> ");
    gateway.script("openai-chat", [start(), text("All right."), usage(9, 2), finish()]);
    chat.type("Why not?\r");
    await chat.until("All right.");
    await chat.until("9 tokens in, 2 out");
    gate.open();
    expect(textsOf(requests.at(-1)?.request ?? { model: "", messages: [] })).toEqual([
      "Count.",
      "One, two",
      "The user interrupted the previous answer on purpose.",
      "Why not?",
    ]);
  });

  it("lists what an answer quotes below it", async () => {
    const page = { type: "citation", start: 0, end: 8, url: "https://one.example/", format: "openai-chat" } as const;
    gateway.script("openai-chat", [start(), text("One, two"), page, usage(9, 2), finish()]);
    const chat = startScripted();
    await chat.until("> ");
    chat.type("Count.\r");
    await chat.until("9 tokens in, 2 out");
    expect(chat.output()).toContain("One, two\r\nSources:\r\n1. https://one.example/\r\n");
  });

  it("s skips thinking, and the answer comes", async () => {
    const gate = createGate();
    gateway.script("openai-chat", ({ reasoning: wish = {} }) =>
      wish.effort === "none" || wish.budgetTokens === 0
        ? [start(), text("42"), usage(9, 1), finish()]
        : [start(), reasoning("Let me see"), gate.pass, text("Late"), finish()],
    );
    const chat = startScripted();
    await chat.until("> ");
    chat.type("What is the answer?\r");
    await chat.until("Let me see");
    chat.type("s");
    await chat.until("[skipped]");
    await chat.until("42");
    await chat.until("> ");
    gate.open();
    expect(chat.output()).not.toContain("Late");
  });

  it("begins a new conversation", async () => {
    const { requests } = gateway.upstreams["openai-chat"];
    gateway.script("openai-chat", [start(), text("Yes."), finish()]);
    const chat = startScripted();
    await chat.until("> ");
    chat.type("First.\r");
    await chat.until("Yes.");
    await chat.until("> ");
    chat.type("/new\r");
    await chat.until("[a new conversation]");
    await chat.until("> ");
    chat.type("Second.\r");
    await chat.until("Yes.");
    expect(textsOf(requests.at(-1)?.request ?? { model: "", messages: [] })).toEqual(["Second."]);
  });

  it("takes lines that are pasted for one question", async () => {
    const { requests } = gateway.upstreams["openai-chat"];
    gateway.script("openai-chat", [start(), text("Yes."), finish()]);
    const chat = startScripted();
    await chat.until("> ");
    chat.type("One,\rtwo,\rthree\r");
    await chat.until("Yes.");
    expect(textsOf(requests.at(-1)?.request ?? { model: "", messages: [] })).toEqual(["One,\ntwo,\nthree"]);
  });

  it("takes all of a long text that is pasted for one question, in however many pieces it comes", async () => {
    const { requests } = gateway.upstreams["openai-chat"];
    gateway.script("openai-chat", [start(), text("Yes."), finish()]);
    const chat = startScripted();
    await chat.until("> ");
    const pasted = Array.from({ length: 40 }, (_, index) => `Line ${index} skips nothing`);
    chat.type("Read: \u001B[200~");
    // Each of them has been taken before the next one comes.
    for (const line of pasted) {
      chat.type(`${line}\r`);
      await chat.until(line);
    }
    chat.type("and the end\u001B[201~");
    await chat.until("and the end");
    chat.type(".\r");
    await chat.until("Yes.");
    const expected = [...pasted, "and the end."].join("\n");
    expect(textsOf(requests.at(-1)?.request ?? { model: "", messages: [] })).toEqual([`Read: ${expected}`]);
  });

  it("asks nothing that was pasted and not sent", async () => {
    const { requests } = gateway.upstreams["openai-chat"];
    const asked = requests.length;
    const chat = startScripted();
    await chat.until("> ");
    chat.type("\u001B[200~One,\rtwo\u001B[201~");
    await chat.until("two");
    chat.type(CONTROL_C);
    expect(await chat.exitCode).toBe(0);
    expect(requests.length).toBe(asked);
    expect(chat.output()).toContain("\u001B[?2004l");
  });

  it("lets no model move the cursor or write anything but text", async () => {
    gateway.script("openai-chat", [
      start(),
      text("a\u001B[2Jb\u0007\u202Ec"),
      text("\u001B"),
      text("]0;x\u0007"),
      finish(),
    ]);
    const chat = startScripted();
    await chat.until("> ");
    chat.type("Hi.\r");
    await chat.until("a\\u001b[2Jb\\u0007\\u202ec\\u001b]0;x\\u0007");
    expect(chat.output()).not.toContain("\u001B[2J");
  });

  it("has no colours where they are not wanted", async () => {
    gateway.script("openai-chat", [start(), reasoning("Hm."), text("Good."), finish()]);
    const chat = startScripted({ NO_COLOR: "1" });
    await chat.until("> ");
    chat.type("Hi.\r");
    await chat.until("Good.");
    await chat.until("> ");
    // The line that is typed is drawn by moving the cursor; there are no colours in it.
    for (const colour of ["[1m", "[2m", "[33m"]) expect(chat.output()).not.toContain(`${ESCAPE}${colour}`);
    expect(chat.output()).toContain("thinking: Hm.");
  });
});

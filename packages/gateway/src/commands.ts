import type { CommandDescription } from "./command-line/description.ts";
import type { RunCommand } from "./terminal.ts";

/** A command of the command line. */
export interface Command {
  readonly summary: string;
  /** Loads what there is to know about it, for the completion of shells. */
  readonly describe: () => Promise<CommandDescription>;
  /** Loads the command's code. Nothing else may import it, so that no command has to wait for another's. */
  readonly load: () => Promise<RunCommand>;
}

/** The commands there are, in the order in which people are told of them. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  [
    "serve",
    {
      summary: "start the gateway: one server in front of every model, that stops when told",
      describe: async () => (await import("./serve/options.ts")).SERVE,
      load: async () => (await import("./serve/command.ts")).runServe,
    },
  ],
  [
    "telegram",
    {
      summary: "run a Telegram bot whose answers can be interrupted",
      describe: async () => (await import("./telegram/options.ts")).TELEGRAM,
      load: async () => (await import("./telegram/command.ts")).runTelegram,
    },
  ],
  [
    "chat",
    {
      summary: "talk with a model in the terminal, and interrupt it",
      describe: async () => (await import("./chat/options.ts")).CHAT,
      load: async () => (await import("./chat/command.ts")).runChat,
    },
  ],
  [
    "pipe",
    {
      summary: "pass a text on as it comes, and end it at a stop string, a loop or a limit",
      describe: async () => (await import("./pipe/options.ts")).PIPE,
      load: async () => (await import("./pipe/command.ts")).runPipe,
    },
  ],
  [
    "models",
    {
      summary: "list the models there are, download others, and remove them",
      describe: async () => (await import("./manage-models/options.ts")).MODELS,
      load: async () => (await import("./manage-models/command.ts")).runModels,
    },
  ],
  [
    "doctor",
    {
      summary: "look whether everything that is needed is there, and say what to do",
      describe: async () => (await import("./doctor/options.ts")).DOCTOR,
      load: async () => (await import("./doctor/command.ts")).runDoctor,
    },
  ],
  [
    "inspect",
    {
      summary: "say what a recorded answer of a model provider is and how it ended",
      describe: async () => (await import("./inspect/options.ts")).INSPECT,
      load: async () => (await import("./inspect/command.ts")).runInspect,
    },
  ],
  [
    "completion",
    {
      summary: "print a script by which a shell completes commands and options",
      describe: async () => (await import("./completion/options.ts")).COMPLETION,
      load: async () => (await import("./completion/command.ts")).runCompletion,
    },
  ],
]);

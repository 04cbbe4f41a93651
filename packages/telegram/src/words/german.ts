import type { Words } from "./words.ts";

/** The bot's own words in German. */
export const GERMAN: Words = {
  stopped: "Antwort angehalten.",
  nothingToStop: "Gerade entsteht keine Antwort.",
  endings: {
    interrupted: "[unterbrochen]",
    length: "[abgeschnitten: die Antwort hat ihre Höchstlänge erreicht]",
    filtered: "[vom Inhaltsfilter des Anbieters zurückgehalten]",
    loop: "[angehalten: die Antwort wiederholte sich]",
    cut: "[abgeschnitten: die Verbindung zum Modell ist abgerissen]",
    unknown: "[das Modell hat nicht gesagt, ob das alles ist]",
    context: "[das Gespräch ist zu lang geworden; /new beginnt ein neues]",
    time: "[angehalten: es dauerte zu lange]",
    budget: "[angehalten: das Budget ist aufgebraucht]",
    tools: "[angehalten: zu viele Schritte]",
    error: "[das Modell konnte nicht antworten]",
  },
  placeholder: "…",
  tool: (name) => `⚙ ${name}…`,
  buttons: {
    stop: "⏹ Stopp",
    skipThinking: "⏭ Nachdenken überspringen",
    continue: "▶ Weiter",
    regenerate: "🔄 Neu schreiben",
  },
  toasts: {
    stopping: "Wird angehalten…",
    alreadyStopping: "Wird schon angehalten",
    alreadyFinished: "Schon fertig",
    notYours: "Sie können nur Ihre eigenen Antworten anhalten",
    skipping: "Das Nachdenken wird übersprungen…",
    nothingToSkip: "Es wird nicht mehr nachgedacht",
    answering: "Einen Moment…",
    notTheLast: "Nur die letzte Antwort kann fortgesetzt oder neu geschrieben werden",
    notAllowed: "Dieser Bot ist nicht für alle offen.",
    tooMany: "Das ist zu viel auf einmal. Bitte in einer Minute noch einmal versuchen.",
    unreachable: "Das ging gerade nicht. Bitte gleich noch einmal versuchen.",
  },
  welcome:
    "Schreiben Sie mir, und ich antworte. Was Sie schreiben, während ich antworte, unterbricht mich, und ich antworte darauf.\n\n/stop hält die Antwort an\n/new beginnt ein neues Gespräch",
  newConversation: "Ein neues Gespräch. Das vorige habe ich vergessen.",
  notAllowed: "Dieser Bot ist nicht für alle offen.",
  onlyText: "Ich kann nur Text lesen.",
  tooMany: "Das ist zu viel auf einmal. Bitte in einer Minute noch einmal versuchen.",
  busy: "Ich antworte noch. /stop hält die Antwort an.",
  commands: { stop: "Die Antwort anhalten", new: "Ein neues Gespräch beginnen", help: "Was ich kann" },
};

import type { Context } from "grammy";
import type { FoundAnswer } from "../answers/answers.ts";
import { decodePress } from "../answers/buttons.ts";
import type { Action } from "../answers/buttons.ts";
import { outcomeOf } from "../screen/outcome.ts";
import type { Words } from "../words/words.ts";
import { isEntitled } from "./entitled.ts";
import type { Handle, House } from "./house.ts";

/** What is said after a press: a toast that goes by itself, or an alert that has to be read. */
interface Notice {
  readonly toast: keyof Words["toasts"];
  readonly isAlert?: true;
  /** What is done when it is said: whoever has pressed must not wait for it. */
  readonly after?: () => Promise<unknown>;
}

/** A button was pressed. What it carries is only a hint: whose answer it is and who presses is looked up. */
export const onPress: Handle = async (context, house) => {
  const words = house.findWords(context.from?.language_code);
  const {
    toast,
    isAlert = false,
    after,
  } = await noticeOf(context, house).catch((error: unknown): Notice => {
    // The button would go on turning until Telegram gives up, and nobody would know that it was in vain.
    house.log.warn({ err: error }, "a press could not be carried out");
    return { toast: "unreachable" };
  });
  const said = { text: words.toasts[toast], show_alert: isAlert };
  // Both are begun: a toast that Telegram puts off must not hold up the rest either.
  await Promise.all([house.patientApi.answerCallbackQuery(context.callbackQuery?.id ?? "", said), after?.()]);
};

async function noticeOf(context: Context, house: House): Promise<Notice> {
  const press = decodePress(context.callbackQuery?.data);
  const answer = press && (await house.answers.find(press.id));
  const chat = context.callbackQuery?.message?.chat.id;
  const user = context.from?.id;
  // The message need not be there; one of another chat never had this button.
  if (press === undefined || answer === undefined || user === undefined) return { toast: "alreadyFinished" };
  if (chat !== undefined && chat !== answer.place.chat) return { toast: "alreadyFinished" };
  if (!(await isEntitled(house, { user }, answer.place))) return { toast: "notYours", isAlert: true };
  return ACTIONS[press.action](answer, user, context, house);
}

type Act = (answer: FoundAnswer, user: number, context: Context, house: House) => Promise<Notice>;

const ACTIONS: Readonly<Record<Action, Act>> = {
  stop,
  skip,
  continue: askAgain("continue"),
  regenerate: askAgain("regenerate"),
};

async function stop(
  { id, place, isRunning }: FoundAnswer,
  user: number,
  _context: Context,
  { answers }: House,
): Promise<Notice> {
  if (!isRunning) return { toast: "alreadyFinished" };
  const result = await answers.stop(id, user === place.user ? "user" : "operator");
  if (result === "ended") return { toast: "alreadyFinished" };
  return { toast: result === "stopping" ? "stopping" : "alreadyStopping" };
}

async function skip(
  { id, isRunning }: FoundAnswer,
  _user: number,
  _context: Context,
  { answers }: House,
): Promise<Notice> {
  if (!isRunning) return { toast: "alreadyFinished" };
  return { toast: (await answers.skipThinking(id)) ? "skipping" : "nothingToSkip" };
}

/** Asks for the rest of an answer that has ended, or for another one in its place. */
function askAgain(type: "continue" | "regenerate"): Act {
  return async ({ id, place, isRunning }, user, context, house) => {
    const { lanes, conversations, admission } = house;
    // An administrator may stop what others have asked for, not ask in their name; only in that of the chat.
    if (user !== place.user && place.user !== place.chat) return { toast: "notYours", isAlert: true };
    // Buttons stay for longer than some people are on the list.
    if (!admission.isAllowed(place)) return { toast: "notAllowed", isAlert: true };
    const messageId = context.callbackQuery?.message?.message_id;
    const { exchanges } = await conversations.read(place);
    const isBusy = (): boolean => isRunning || lanes.isBusy(place);
    if (isBusy() || exchanges.at(-1)?.id !== id || messageId === undefined) return { toast: "notTheLast" };
    if ((await admission.admit(place, await lanes.countElsewhere(place))) !== "admitted") return { toast: "tooMany" };
    // Another press may have been faster.
    if (isBusy()) return { toast: "notTheLast" };
    const languageCode = context.from?.language_code;
    const words = house.findWords(languageCode);
    const question = { task: { type, of: id }, messageId, updateId: context.update.update_id, languageCode, words };
    if (!lanes.ask(place, question)) return { toast: "notTheLast" };
    // If its message is gone, so are its buttons.
    const after = () => outcomeOf(() => house.patientApi.editMessageReplyMarkup(place.chat, messageId));
    return { toast: "answering", after };
  };
}

import type { Place } from "../place.ts";
import { outcomeOf } from "../screen/outcome.ts";
import type { House } from "./house.ts";

/** Whoever acts: a person, and the chat in whose name they act if they do. */
export interface Actor {
  readonly user: number;
  readonly senderChat?: number | undefined;
}

/**
 * Whether somebody may stop an answer: whoever asked for it, and the administrators of the chat. It is asked at the
 * moment in which they want to, because people come and go. Rejects if Telegram cannot say so in time.
 */
export async function isEntitled({ promptApi }: House, { user, senderChat }: Actor, place: Place): Promise<boolean> {
  if (user === place.user || senderChat === place.user) return true;
  if (place.chatType === "private") return false;
  // Administrators can act in the name of the group.
  if (senderChat === place.chat) return true;
  // Who writes in the name of another chat is somebody that nobody knows, and never an administrator.
  if (senderChat !== undefined) return false;
  // Not who somebody is in the chat: that a bot may only be told where it is an administrator itself.
  const outcome = await outcomeOf(() => promptApi.getChatAdministrators(place.chat));
  if (outcome.state === "later") throw new Error("Telegram could not be asked who the administrators of a chat are");
  return outcome.state === "done" && outcome.value.some((member) => member.user.id === user);
}

import { useState } from "react";
import type { FormEvent } from "react";
import { createRoot } from "react-dom/client";
import { useChat } from "@ai-sdk/react";
import { textOf } from "./conversation.ts";
import type { ChatMessage } from "./conversation.ts";

/** What people are told of an ending. One that is not here is a whole answer. */
const ENDINGS: Readonly<Record<string, string>> = {
  cancelled: "Stopped.",
  token_limit_reached: "Cut off: it was too long.",
  repetition_detected: "Ended: it went round in circles.",
  error_termination: "Broken off: something went wrong.",
};

function Chat({ past }: { readonly past: readonly ChatMessage[] }) {
  const { messages, sendMessage, status, stop } = useChat<ChatMessage>({ messages: [...past] });
  const [question, setQuestion] = useState("");
  const isRunning = status === "submitted" || status === "streaming";

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (question === "") return;
    void sendMessage({ text: question });
    setQuestion("");
  }

  return (
    <>
      {messages.map((message, index) => (
        <article key={message.id} aria-label={message.role}>
          <p>{textOf(message)}</p>
          {message.role === "assistant" && !(isRunning && index === messages.length - 1) && (
            <small>{ENDINGS[message.metadata?.reason ?? "cancelled"]}</small>
          )}
        </article>
      ))}
      <form onSubmit={submit}>
        <input aria-label="Question" value={question} onChange={(event) => setQuestion(event.target.value)} />
        {/* Two buttons, not one that changes: a press on Stop would end as one on Send. */}
        {isRunning ? (
          <button key="stop" type="button" onClick={() => void stop()}>
            Stop
          </button>
        ) : (
          <button key="send" type="submit">
            Send
          </button>
        )}
      </form>
    </>
  );
}

const past = (await (await fetch("/api/messages")).json()) as readonly ChatMessage[];
const place = document.querySelector("#chat");
if (place !== null) createRoot(place).render(<Chat past={past} />);

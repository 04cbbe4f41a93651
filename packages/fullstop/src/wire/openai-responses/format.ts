import { checkNames } from "../../check.ts";
import { defineAnswerFormat } from "../reading/decode.ts";
import type { WireFormat } from "../format.ts";
import { openResponsesReader } from "./decode-answer.ts";
import { decodeOpenaiResponsesRequest } from "./decode-request.ts";
import { encodeOpenaiResponsesErrorBody } from "./encode-error.ts";
import { encodeOpenaiResponsesRequest } from "./encode-request.ts";
import type { OpenaiResponsesVariant } from "./encode-request.ts";
import { encodeOpenaiResponsesResponse } from "./encode-response.ts";
import { encodeOpenaiResponsesStream } from "./encode-stream.ts";

const VARIANT_NAMES: Readonly<Record<keyof OpenaiResponsesVariant, true>> = {
  allowedTools: true,
  callIds: true,
  textTools: true,
};

/** Describes Responses as a provider takes it that understands more, or less, than others. Only requests differ. */
export function defineOpenaiResponses(variant: OpenaiResponsesVariant = {}): WireFormat {
  checkNames("variant", variant, VARIANT_NAMES);
  return {
    ...defineAnswerFormat("openai-responses", openResponsesReader),
    decodeRequest: decodeOpenaiResponsesRequest,
    encodeRequest: (request) => encodeOpenaiResponsesRequest(request, variant),
    encodeStream: encodeOpenaiResponsesStream,
    encodeError: encodeOpenaiResponsesErrorBody,
    encodeResponse: encodeOpenaiResponsesResponse,
  };
}

/** Responses as everybody understands it who speaks it. */
export const openaiResponses: WireFormat = defineOpenaiResponses();

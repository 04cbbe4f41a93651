import type {
  ImagePart,
  ImageSource,
  OutputShape,
  TextPart,
  ToolChoice,
  ToolDefinition,
  ToolMessage,
} from "../../request.ts";
import { listOf, recordOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import type { BodyObject, BodyValue } from "./reader.ts";
import { idsUpTo } from "./spelt-calls.ts";
import type { RequestWarnings } from "./warnings.ts";
import { leaveOutType, readImageAddress, withoutAbsent, writeDataAddress } from "./values.ts";

/** What both OpenAI dialects call the person a request is made for, under the old name and the new one. */
export function readUser(body: BodyObject): string | undefined {
  const user = body.field("user")?.string();
  const identifier = body.field("safety_identifier");
  if (user === undefined) return identifier?.string();
  if (identifier !== undefined && identifier.string() !== user) {
    identifier.leaveOut("It was left out because user says otherwise.");
  }
  return user;
}

/** How many characters of the name of a person everybody takes who speaks a dialect of OpenAI's. */
const MOST_OF_USER = 64;

/**
 * Writes the name of the person a request is made for. One that is longer than providers take, such as that of Claude
 * Code, which holds three ids, would have the whole request refused; a shorter one tells people apart as well.
 */
export function writeUser(user: string | undefined, warnings: RequestWarnings): string | undefined {
  const names = idsUpTo(MOST_OF_USER);
  if (user === undefined || names.takes(user)) return user;
  warnings.add(
    "user",
    `Providers take at most ${MOST_OF_USER} characters; a shorter name that stands for it was sent.`,
  );
  return names.spell(user, 1);
}

/** Reads a function's name, description, parameters and strictness. */
export function readFunction(definition: BodyObject): ToolDefinition {
  return withoutAbsent({
    name: definition.value("name").name(),
    description: definition.field("description")?.string(),
    parameters: definition.field("parameters")?.json(),
    strict: definition.field("strict")?.flag(),
  });
}

/** What a tool choice may be of. */
export interface ChosenTools {
  /** The tools of the request as they came, also those that were left out. */
  readonly tools: unknown;
  /** Whether a choice is of a tool of the provider's own. Default: no. */
  readonly isOwn?: ((chosen: unknown) => boolean) | undefined;
}

/**
 * Reads a tool choice, which is a word or an object. What stands in the object differs between the two dialects: the
 * holder of a function's name and of the allowed tools. Those that are tools of the provider's own are passed over.
 */
export function readToolChoice(
  value: BodyValue | undefined,
  holderOf: (choice: BodyObject, name: "function" | "custom" | "allowed_tools") => BodyObject,
  { tools, isOwn = () => false }: ChosenTools,
): ToolChoice | undefined {
  if (value === undefined) return undefined;
  if (typeof value.raw === "string") return value.word(["auto", "none", "required"]);
  const choice = value.kind();
  const type = choice.value("type").string();
  switch (type) {
    case "function":
    case "custom":
      return { name: holderOf(choice, type).value("name").name() };
    case "allowed_tools": {
      const holder = holderOf(choice, "allowed_tools");
      const allowed = holder
        .value("tools")
        .list()
        .flatMap((item): readonly string[] => {
          const tool = item.kind();
          const kind = tool.field("type")?.string() ?? "function";
          // Some clients write the tools of either dialect in the shape of the other.
          if (kind === "function" || kind === "custom")
            return [(tool.field(kind)?.object() ?? tool).value("name").name()];
          if (isOwn(item.raw)) tool.entries();
          else leaveOutType(tool, kind);
          return [];
        });
      return { allowed, mode: holder.value("mode").word(["auto", "required"]) };
    }
    default:
      leaveOutType(choice, type);
      // The tool that has to be called was left out as well, and no other may be called in its place.
      return listOf(tools).some((tool) => recordOf(tool)["type"] === type) ? "none" : undefined;
  }
}

/** Reads the shape of the answer. The dialects differ in where the description of a JSON Schema stands. */
export function readOutput(
  format: BodyObject | undefined,
  holderOf: (format: BodyObject) => BodyObject,
): OutputShape | undefined {
  if (format === undefined) return undefined;
  const type = format.value("type").string();
  switch (type) {
    case "text":
      return { type: "text" };
    case "json_object":
      return { type: "json" };
    case "json_schema": {
      const holder = holderOf(format);
      return withoutAbsent({
        type: "json-schema" as const,
        schema: holder.field("schema")?.json() ?? {},
        name: holder.value("name").string(),
        description: holder.field("description")?.string(),
        strict: holder.field("strict")?.flag(),
      });
    }
    default:
      return leaveOutType(format, type);
  }
}

/** The description of a JSON Schema as both dialects write it, with a name, because they insist on one. */
export function writeSchema(output: OutputShape & { readonly type: "json-schema" }): JsonRecord {
  const { name = "output", description, schema, strict } = output;
  return withoutAbsent({ name, description, schema, strict });
}

/** An image at an address or in an address. How closely to look is left out where it is left to the model. */
export function readImage(source: ImageSource, detail: string | undefined): ImagePart {
  return withoutAbsent({ type: "image" as const, source, detail: detail === "auto" ? undefined : detail });
}

/** An image whose address, or data in the form of an address, stands in a field of its own. */
export function readImageUrl(url: BodyValue, detail: BodyValue | undefined): ImagePart {
  return readImage(readImageAddress(url.name()), detail?.string());
}

/** The address of an image, or the image itself in the form of one. Files of the provider's have none. */
export function writeImageUrl(source: ImageSource): string | undefined {
  if (source.type === "file") return undefined;
  return source.type === "url" ? source.url : writeDataAddress(source.mediaType, source.data);
}

/** What is said about a refusal of earlier: its words are as good as any other text. */
export function readRefusal(part: BodyObject): TextPart {
  return { type: "text", text: part.value("refusal").string() };
}

/** Warns of what neither OpenAI dialect says about an image. */
export function warnOfImage(image: ImagePart, path: string, warnings: RequestWarnings): void {
  if (image.mediaType !== undefined) {
    warnings.add(`${path}.mediaType`, "The dialect has no place for the media type of an image; it was left out.");
  }
}

/** Warns of what neither OpenAI dialect says about the result of a tool. */
export function warnOfFailure(message: ToolMessage, path: string, warnings: RequestWarnings): void {
  if (message.isError === true) {
    warnings.add(`${path}.isError`, "The dialect cannot say that a tool has failed; its words were sent as they are.");
  }
}

/** The last letters of the file of a model that is split: which part it is, and of how many. */
const PART = /-(?<part>\d{5})-of-(?<parts>\d{5})\.gguf$/u;

/** The name of a model's file without the number of the part that it is. */
export function familyOf(name: string): string {
  return name.replace(PART, ".gguf");
}

/** The names of all parts of a split model, given that of one; just the name, if it is not split. */
export function partsOf(name: string): readonly string[] {
  const parts = PART.exec(name)?.groups?.["parts"];
  if (parts === undefined) return [name];
  return Array.from({ length: Number(parts) }, (_, index) => {
    const part = String(index + 1).padStart(5, "0");
    return name.replace(PART, `-${part}-of-${parts}.gguf`);
  });
}

/** Whether a file was cut into pieces that are no models by themselves. */
export function isRawPart(path: string): boolean {
  return /\.gguf\.part\d+of\d+$/iu.test(path);
}

/** What a file from an address is called on disk. The whole address is in it, because many files have the same name. */
export function urlFileName({ host, pathname, search }: URL): string {
  const path = decodePart(pathname).split("/").filter(Boolean).join("_");
  const name = safeName(`${host}_${path}`);
  return name.toLowerCase().endsWith(".gguf") ? name : `${name}${safeName(search)}.gguf`;
}

/** What a file from the hub is called on disk: what node-llama-cpp calls it, so that each finds what the other has. */
export function hubFileName(
  { user, model, branch, path }: Readonly<Record<"user" | "model" | "branch" | "path", string>>,
  isDefaultBranch: boolean,
): string {
  const folders = path.split("/");
  const name = folders.pop() ?? "";
  const stem = familyOf(name).slice(0, -".gguf".length).toLowerCase();
  const words = ["hf", user];
  const isNamedAlike = /-gguf$/iu.test(model) && stem.startsWith(model.slice(0, -"-gguf".length).toLowerCase());
  if (!isNamedAlike || !isDefaultBranch) words.push(model);
  if (!isDefaultBranch) words.push(branch);
  if (folders.at(-1)?.toLowerCase() === stem) folders.pop();
  if (folders.length > 0) words.push(folders.join("__"));
  return [...words, name].map(safeName).join("_");
}

/** A part of an address in plain letters; as it is, where it cannot be told what is meant. */
export function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone percent sign is no escape.
    return text;
  }
}

/** Replaces what cannot stand in the name of a file on every system. */
function safeName(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are among what is replaced
  return text.replace(/[<>:"/\\|?*\u0000-\u001F]/gu, "!");
}

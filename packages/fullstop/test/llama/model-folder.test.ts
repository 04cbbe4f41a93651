import { existsSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { FullstopError } from "../../src/index.ts";
import { listDownloadedModels, modelDirectory, removeDownloadedModel } from "../../src/llama/index.ts";
import { createFolder } from "./model-server.ts";

/** A folder with files of so many bytes. */
async function folderOf(files: Readonly<Record<string, number>>): Promise<string> {
  const folder = await createFolder();
  for (const [name, bytes] of Object.entries(files)) writeFileSync(path.join(folder, name), "x".repeat(bytes));
  return folder;
}

describe("the folder of downloads", () => {
  it("is that of node-llama-cpp unless another is named", () => {
    expect(modelDirectory()).toBe(path.join(homedir(), ".node-llama-cpp", "models"));
  });

  it("lists models whole, in parts and unfinished, and nothing else", async () => {
    const folder = await folderOf({
      "one.gguf": 5,
      "split-00001-of-00002.gguf": 3,
      "split-00002-of-00002.gguf": 4,
      "lost-00002-of-00002.gguf": 2,
      "late.gguf.part": 1,
      "late.gguf.part.json": 9,
      "notes.txt": 9,
    });
    symlinkSync(path.join(folder, "one.gguf"), path.join(folder, "link.gguf"));
    expect(await listDownloadedModels(folder)).toEqual([
      { name: "late.gguf", path: path.join(folder, "late.gguf"), bytes: 1, isWhole: false },
      { name: "lost.gguf", path: path.join(folder, "lost-00001-of-00002.gguf"), bytes: 2, isWhole: false },
      { name: "one.gguf", path: path.join(folder, "one.gguf"), bytes: 5, isWhole: true },
      { name: "split.gguf", path: path.join(folder, "split-00001-of-00002.gguf"), bytes: 7, isWhole: true },
    ]);
  });

  it("is empty where there is none", async () => {
    expect(await listDownloadedModels(path.join(await createFolder(), "nowhere"))).toEqual([]);
  });

  it.each([
    { model: "split.gguf", left: ["hf_me_tiny.Q8_0.gguf", "late.gguf.part", "late.gguf.part.json"] },
    { model: "late.gguf", left: ["hf_me_tiny.Q8_0.gguf", "split-00001-of-00002.gguf", "split-00002-of-00002.gguf"] },
    {
      model: "hf:me/tiny-GGUF:Q8_0",
      left: ["late.gguf.part", "late.gguf.part.json", "split-00001-of-00002.gguf", "split-00002-of-00002.gguf"],
    },
  ])("loses $model with all that belongs to it", async ({ model, left }) => {
    const folder = await folderOf({
      "hf_me_tiny.Q8_0.gguf": 1,
      "late.gguf.part": 1,
      "late.gguf.part.json": 1,
      "split-00001-of-00002.gguf": 3,
      "split-00002-of-00002.gguf": 4,
    });
    await removeDownloadedModel(model, folder);
    expect(readdirSync(folder).sort()).toEqual(left);
  });

  it.each(["../one.gguf", "one", "two.gguf", "."])("keeps everything for the name %s", async (model) => {
    const folder = await folderOf({ "one.gguf": 1 });
    await expect(removeDownloadedModel(model, folder)).rejects.toMatchObject({ kind: "not_found" });
    expect(existsSync(path.join(folder, "one.gguf"))).toBe(true);
  });

  it("refuses a name that is none", async () => {
    await expect(removeDownloadedModel("")).rejects.toThrow(FullstopError);
  });
});

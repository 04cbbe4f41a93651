import { mkdirSync } from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, expect, onTestFinished } from "vitest";

/** Where the tests leave pictures of what they have seen. */
const SCREENSHOTS = path.resolve(import.meta.dirname, "../../screenshots");

/** A tab that remembers what must not have happened. */
export interface Tab {
  readonly page: Page;
  /** The addresses it has asked that are not of its gateway. */
  readonly foreign: readonly string[];
  /** What went wrong in it: exceptions, and what the browser has refused. */
  readonly problems: readonly string[];
}

/** Starts a browser for the tests of a file. */
export async function openBrowser(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  afterAll(() => browser.close());
  return browser;
}

/** Opens a page of the console in a fresh tab, until the end of the test. */
export async function openTab(
  browser: Browser,
  url: string,
  place = "",
  options: BrowserContextOptions = {},
): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const foreign: string[] = [];
  const problems: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) foreign.push(request.url());
  });
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (/content security policy|uncaught/iu.test(message.text())) problems.push(message.text());
  });
  await page.goto(`${url}/${place}`);
  return { page, foreign, problems };
}

/** Writes a picture of a page. */
export async function takePicture(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`) });
}

/** Writes a prompt and sends it. */
export async function say(page: Page, words: string): Promise<void> {
  await page.getByLabel("Message").fill(words);
  await page.getByRole("button", { name: "Send", exact: true }).click();
}

/** The reason with which the last answer has ended, once it has. */
export async function endingOf(page: Page): Promise<string | null> {
  const mark = page.locator(".turn").last().locator(".ending [data-reason]");
  await mark.waitFor({ timeout: 60_000 });
  return mark.getAttribute("data-reason");
}

/** Waits until the page has chosen a model to ask. */
export async function whenReady(page: Page): Promise<void> {
  await expect.poll(() => page.getByLabel("Model").inputValue()).not.toBe("");
}

/** Asks a model from now on that is not in the list. */
export async function chooseModel(page: Page, name: string): Promise<void> {
  await whenReady(page);
  await page.getByLabel("Model").selectOption("Another one…");
  await page.getByLabel("Its name").fill(name);
}

/** What the last answer has said so far, without its thinking. */
export async function lastAnswer(page: Page): Promise<string> {
  const texts = await page.locator(".turn").last().locator(".answer-text").allTextContents();
  return texts.join("");
}

/** Waits, within the page, until the answer says something: Pip is done before anybody has asked the page twice. */
export async function untilAnswerHas(page: Page, text: string): Promise<void> {
  await page.locator(".turn").last().locator(".answer-text", { hasText: text }).first().waitFor();
}

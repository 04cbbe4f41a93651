// @ts-check

/** How long the list of ten thousand generations takes that all run, and write to the last moment. */
import { createScriptedEngine, text } from "fullstop/testing";
import { buildHouse } from "../../packages/gateway/dist/config/build-house.js";
import { parseConfig } from "../../packages/gateway/dist/config/config.js";
import { createServer } from "../../packages/gateway/dist/server.js";
import { sendFigures } from "../apart.mjs";
import { spreadOf } from "../statistics.mjs";

/**
 * @typedef {object} ListingFigures
 * @property {number} generations
 * @property {number} bytes Of the list.
 * @property {import("../statistics.mjs").Spread} milliseconds
 */

const GENERATIONS = 10_000;
const PIECES = 20;
const TIMES = 100;

const config = parseConfig({ store: { place: { kind: "memory" } } });
const house = await buildHouse(config, {});
const pieces = Array.from({ length: PIECES }, (_, index) => text(`piece ${index} `));
const engine = createScriptedEngine(() => [...pieces, () => new Promise(() => undefined)]);
for (let number = 0; number < GENERATIONS; number += 1) {
  house.generations.start({
    id: `chatcmpl-${number}`,
    owner: "anybody",
    request: { model: "mock/model", messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] },
    settings: { rules: {}, onDisconnect: "stop" },
    targets: [{ engine, model: "model", provider: "mock", appliesRules: false }],
  });
}
const app = createServer(house, config);
const url = `${await app.listen({ host: "127.0.0.1", port: 0 })}/v1/generations`;

/** @type {number[]} */
const samples = [];
let bytes = 0;
for (let count = 0; count < TIMES; count += 1) {
  const began = performance.now();
  bytes = (await (await fetch(url)).arrayBuffer()).byteLength;
  samples.push(performance.now() - began);
}
// The first ones are for the compiler.
sendFigures({ generations: GENERATIONS, bytes, milliseconds: spreadOf(samples.slice(TIMES / 10)) });
process.exit();

// Starts the gateway in a container. There it has to listen beyond its own machine, which it does only with a key: the
// one in FULLSTOP_KEY, or one that is made up at the first start and kept in a file.
import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const { FULLSTOP_KEY_FILE: file = "/run/fullstop/key", FULLSTOP_KEY: given = "" } = process.env;

/** The key to start with. */
function takeKey() {
  const kept = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  const key = given || kept || randomBytes(24).toString("base64url");
  // Whoever reads the metrics reads it, too, in a container of its own and under another name.
  if (key !== kept) writeFileSync(file, key, { mode: 0o644 });
  return key;
}

if ((process.env["FULLSTOP_KEY_SHA256"] ?? "") === "") {
  process.env["FULLSTOP_KEY_SHA256"] = createHash("sha256").update(takeKey()).digest("hex");
  console.warn(`fullstop: the key of the operator is in ${file}`);
}
// From here on nobody needs the key itself.
delete process.env["FULLSTOP_KEY"];
process.argv.splice(2, 0, "serve", "--host", "0.0.0.0");
await import("../packages/gateway/dist/cli.js");

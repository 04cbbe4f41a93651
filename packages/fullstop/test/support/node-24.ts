import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";

/** One test that Node 24 has run. */
interface ForeignTest {
  readonly name: string;
  /** What went wrong; empty if nothing did. */
  readonly failure: string;
}

/** One file of tests that Node 24 has run. */
export interface ForeignFile {
  readonly file: string;
  readonly tests: readonly ForeignTest[];
}

/** The part of vitest's JSON report that is read here. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

const project = path.resolve(import.meta.dirname, "../node-24");

/** The oldest Node that the AI SDK runs on. */
const OLDEST = 22;

/** Runs the tests of the project for Node 24 and reads what came of them. */
export async function runOnNode24(): Promise<readonly ForeignFile[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "fullstop-node-24-"));
  const outputFile = path.join(folder, "report.json");
  const vitest = path.join(path.dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
  const parameters = [vitest, "run", "--config", path.join(project, "vitest.config.ts")];
  const reporting = ["--reporter", "json", "--outputFile", outputFile];
  try {
    const output = await new Promise<string>((resolve) => {
      // How it ended is in the report; a run without one has said why.
      execFile(
        findNode(),
        [...parameters, ...reporting],
        { cwd: project, env: cleanEnvironment(), maxBuffer: 1e8 },
        (_error, stdout, stderr) => resolve(stdout + stderr),
      );
    });
    if (!existsSync(outputFile)) throw new Error(`The tests on Node 24 did not run: ${output}`);
    const { testResults } = JSON.parse(readFileSync(outputFile, "utf8")) as Report;
    return testResults.map(toFile);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function toFile({ name, message, assertionResults }: Report["testResults"][number]): ForeignFile {
  const tests = assertionResults.map(({ fullName, status, failureMessages }) => ({
    name: fullName,
    failure: status === "passed" ? "" : `${status}: ${failureMessages.join("\n")}`,
  }));
  // A file that could not be read has no tests and would otherwise vanish.
  return {
    file: path.relative(project, name),
    tests: tests.length > 0 ? tests : [{ name: "is read", failure: message === "" ? "no tests were found" : message }],
  };
}

/** A Node that the AI SDK runs on: the one that is installed with the project, else the one that runs this. */
export function findNode(): string {
  if (!existsSync(path.join(project, "node_modules/ai"))) {
    throw new Error("What the tests on Node 24 need is not installed: run npm run precheck");
  }
  const installed = path.join(project, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
  if (existsSync(installed)) return installed;
  const [major = ""] = process.versions.node.split(".");
  if (Number(major) >= OLDEST) return process.execPath;
  throw new Error(
    `The AI SDK needs Node ${OLDEST}, for ${process.platform} ${process.arch} none is installed with its tests, and this is ${process.version}: run the tests with a newer Node`,
  );
}

/** What vitest tells its workers must not reach a vitest of its own. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:VITEST|NODE_OPTIONS|TEST$|VITE_)/u.test(name));
  return Object.fromEntries(kept);
}

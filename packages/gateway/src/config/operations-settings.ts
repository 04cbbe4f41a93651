import type { DestinationStream } from "pino";
import { LOG_LEVELS } from "../operations/logs.ts";
import type { LogLevel, LogSettings } from "../operations/logs.ts";
import { quoteValue } from "../quote-value.ts";
import { ConfigError } from "./config-error.ts";
import type { GatewayConfig } from "./config.ts";
import type { Environment } from "./environment.ts";

/** What is logged, and where to; nothing where there is nobody to write it down. */
export function logSettingsOf(
  { logs }: GatewayConfig,
  environment: Environment,
  destination: DestinationStream | undefined,
): LogSettings {
  const level = levelOf(environment["FULLSTOP_LOG_LEVEL"]) ?? logs.level ?? "info";
  if (destination !== undefined) return { level, content: logs.content, destination };
  return { level: "silent", content: false, destination: { write: () => undefined } };
}

function levelOf(text: string | undefined): LogLevel | undefined {
  if (text === undefined || text === "") return undefined;
  const level = LOG_LEVELS.find((each) => each === text);
  if (level !== undefined) return level;
  throw new ConfigError(`FULLSTOP_LOG_LEVEL must be one of ${LOG_LEVELS.join(", ")}, got ${quoteValue(text)}`);
}

/** The keys of providers, which nobody may read in a log or an error. */
export function providerKeys({ providers }: GatewayConfig, environment: Environment): readonly string[] {
  const named = new Set(Object.values(providers).map((each) => ("apiKeyEnv" in each ? each.apiKeyEnv : undefined)));
  return Object.entries(environment).flatMap(([variable, value]) => {
    const isKey = named.has(variable) || variable.endsWith("_API_KEY");
    return isKey && value !== undefined ? [value] : [];
  });
}

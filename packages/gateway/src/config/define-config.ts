import type { GatewayConfig, ProviderConfig } from "./config.ts";
import type { ServerLimitsInput } from "./limits.ts";
import type { StoreConfigInput } from "./store.ts";

type Provider = GatewayConfig["providers"][string];

/** A provider, whose dialect may be left out. */
type ProviderInput = Exclude<Provider, ProviderConfig> | (Omit<ProviderConfig, "dialect"> & Partial<ProviderConfig>);

/** A configuration as it is written. What its fields mean stands in its JSON Schema. */
export interface GatewayConfigInput extends Partial<Omit<GatewayConfig, "providers" | "limits" | "store">> {
  readonly $schema?: string | undefined;
  readonly limits?: ServerLimitsInput | undefined;
  readonly store?: StoreConfigInput | undefined;
  readonly providers?: Readonly<Record<string, ProviderInput>> | undefined;
}

/** Gives a configuration back as it is, so that an editor knows its fields. */
export function defineConfig(config: GatewayConfigInput): GatewayConfigInput {
  return config;
}

import { stat } from "node:fs/promises";
import { listDownloadedModels, locateModel } from "fullstop/llama";
import type { GatewayConfig } from "../config/config.ts";
import { environmentProviders } from "../config/environment.ts";
import type { Environment } from "../config/environment.ts";

/** A model that can be asked, or a provider any model of which can be. */
export interface KnownModel {
  /** What it is asked by; a provider's models by `provider/…`. */
  readonly name: string;
  readonly kind: "embedded" | "configured" | "downloaded" | "unfinished" | "provider";
  /** Where it is, or why it is there. Never a key. */
  readonly where: string;
  /** The size of its files; null where it is not on this machine, or nobody knows. */
  readonly bytes: number | null;
}

/** Lists everything that can be asked. */
export async function listModels(
  config: GatewayConfig,
  environment: Environment,
  directory: string,
): Promise<readonly KnownModel[]> {
  const downloaded = await listDownloadedModels(directory);
  return [
    ...(await listEmbedded()),
    ...listConfigured(config),
    ...downloaded.map(({ path, bytes, isWhole }): KnownModel => ({
      name: path,
      kind: isWhole ? "downloaded" : "unfinished",
      where: isWhole ? directory : `${directory}, pull it again to go on`,
      bytes,
    })),
    ...listProviders(config, environment),
  ];
}

async function listEmbedded(): Promise<readonly KnownModel[]> {
  const file = await locateModel("pip");
  return [{ name: "pip", kind: "embedded", where: "@fullstop/pip", bytes: (await stat(file)).size }];
}

function listConfigured({ models, aliases }: GatewayConfig): readonly KnownModel[] {
  const named = Object.entries(models).map(([name, model]): KnownModel => {
    const where = "local" in model ? model.local : "provider" in model ? `${model.provider}/${model.model}` : name;
    return { name, kind: "configured", where, bytes: null };
  });
  const others = Object.entries(aliases).map(([name, meant]): KnownModel => ({
    name,
    kind: "configured",
    where: meant,
    bytes: null,
  }));
  return [...named, ...others];
}

function listProviders({ providers }: GatewayConfig, environment: Environment): readonly KnownModel[] {
  const configured = Object.entries(providers).map(([name, provider]) =>
    entryOf(name, "baseUrl" in provider ? provider.baseUrl : "with the key of whoever asks"),
  );
  const keyed = environmentProviders(environment)
    .filter(({ name }) => !Object.hasOwn(providers, name))
    .map(({ name, variable }) => entryOf(name, `${variable} is set`));
  return [...configured, ...keyed];
}

function entryOf(name: string, where: string): KnownModel {
  return { name: `${name}/…`, kind: "provider", where, bytes: null };
}

/** What stands for every model of a provider where a key says which models it is for. */
const EVERY = "/*";

/** The provider of which any model may be asked, if a name in the list of a key says that: `provider/*`. */
export function providerMeant(name: string): string | undefined {
  return name.endsWith(EVERY) ? name.slice(0, -EVERY.length) : undefined;
}

/** Whether a key is for a model: by its name, by that of its provider, or because it is for all. */
export function mayAsk(models: readonly string[] | undefined, model: string): boolean {
  return models === undefined || models.some((each) => isMeant(each, model));
}

function isMeant(name: string, model: string): boolean {
  const provider = providerMeant(name);
  if (provider === undefined) return name === model;
  return model.startsWith(`${provider}/`) && model.length > provider.length + 1;
}

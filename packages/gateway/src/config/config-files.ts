/** The names under which a configuration is looked for, the first one first. */
export const CONFIG_FILES: readonly string[] = ["json", "mjs", "js", "ts"].map((ending) => `fullstop.config.${ending}`);

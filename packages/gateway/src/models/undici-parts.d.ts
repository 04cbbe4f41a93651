/** Parts of undici that have no types of their own there. */

declare module "undici/lib/dispatcher/agent.js" {
  import { Agent } from "undici";
  export default Agent;
}

declare module "undici/lib/core/connect.js" {
  import { buildConnector } from "undici";
  export default buildConnector;
}

declare module "undici/lib/core/symbols.js" {
  const symbols: { readonly kParser: symbol };
  export default symbols;
}
